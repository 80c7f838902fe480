import { describe, expect, test } from 'vitest'
import { tipOf } from '../kernel/ready/escrow.ts'
import { timerIdOf } from '../kernel/set/timer-id.ts'
import { type Message, sendMessage } from './chain-state.ts'
import { createChainState } from './create-chain-state.ts'
import { sealState } from './seal-state.ts'
import { ACTORS, PRODUCER, SmallChain, setTimerAction, USER } from './small-chain.suite.ts'
import { type Action, actorAddressOf, type Transaction } from './transaction.ts'

const ONE = 1n << 96n
const call = (actor: `0x${string}`, payload: `0x${string}` = '0x') => ({ type: 'call', actor, payload }) as const

describe('R26 end of block', () => {
  test('a timer set in one block wakes its actor in a later one, once', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.counter, { dueHeight: 3 }))
    expect(chain.idle(1)[0]?.delivery.entries).toEqual([])
    const [third] = chain.idle(3)
    expect(third?.receipts).toMatchObject([{ type: 'fire', payer: USER, outcome: { type: 'succeeded' } }])
    expect(chain.storage(ACTORS.counter, '0x00')).toBe('0x0000000000000001')
  })
  test('a failing entry rolls back its own state only, has a receipt and is billed', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.failer, { dueHeight: 2 }), setTimerAction(ACTORS.counter, { dueHeight: 2 }))
    const { receipts } = chain.block()
    const failed = receipts.find((receipt) => receipt.outcome.type === 'failed')
    expect(failed).toMatchObject({
      outcome: { reason: 'reverted', message: 'this actor always fails' },
      cyclesUsed: 300n,
      cellsUsed: 2n,
    })
    expect(failed?.burned).toBe(302n * 9n)
    expect(chain.storage(ACTORS.failer, '0x02')).toBeNull()
    expect(chain.storage(ACTORS.counter, '0x00')).not.toBeNull()
  })
  test('running out of cycles uses them all', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.burner, { dueHeight: 2, gasLimit: 12_345n }))
    expect(chain.block().receipts).toMatchObject([{ outcome: { reason: 'out_of_cycles' }, cyclesUsed: 12_345n }])
  })
  test('a handler that swallows the end of its meter has failed all the same', () => {
    const chain = new SmallChain({
      more: {
        counter: (context) => {
          try {
            context.write('0x00', `0x${'00'.repeat(60_000)}`)
          } catch {
            context.self.toString()
          }
        },
      },
    })
    chain.block(setTimerAction(ACTORS.counter, { dueHeight: 2 }))
    expect(chain.block().receipts).toMatchObject([{ outcome: { type: 'failed', reason: 'out_of_cells' } }])
  })
  test('a context kept after its run is dead', () => {
    const kept: (() => void)[] = []
    const chain = new SmallChain({
      more: { counter: (context) => void kept.push(() => context.write('0x00', '0x01')) },
    })
    chain.block(call(ACTORS.counter))
    expect(kept).toHaveLength(1)
    expect(kept[0]).toThrow('the run of this context is over')
  })
  test('messages sent by callbacks go to the next block, those of transactions to this one', () => {
    const chain = new SmallChain()
    const payload = `${ACTORS.recorder}beef` as const
    const sent = chain.block(call(ACTORS.forwarder, payload))
    expect(sent.receipts.map(({ type }) => type)).toEqual(['transaction', 'message'])
    expect(chain.storage(ACTORS.recorder, '0x01')).toBe('0xbeef')
    chain.block(setTimerAction(ACTORS.forwarder, { dueHeight: 3, payload: `${ACTORS.recorder}cafe` }))
    expect(chain.block().receipts.map(({ type }) => type)).toEqual(['fire'])
    expect(chain.storage(ACTORS.recorder, '0x01')).toBe('0xbeef')
    expect(chain.block().receipts).toMatchObject([
      { type: 'message', payer: ACTORS.forwarder, outcome: { type: 'succeeded' } },
    ])
    expect(chain.storage(ACTORS.recorder, '0x01')).toBe('0xcafe')
  })
  test('a message nobody pays for is dropped with a receipt, a lane full of them waits', () => {
    const poor = new SmallChain({ balances: { [USER]: 10n ** 15n } })
    expect(poor.block(call(ACTORS.forwarder, ACTORS.recorder)).receipts.at(-1)).toMatchObject({
      type: 'message',
      outcome: { type: 'rejected', reason: 'unfunded' },
    })
    const busy = new SmallChain({ params: { timerLaneCycles: 80_000n } })
    const calls = Array.from({ length: 6 }, () => call(ACTORS.forwarder, ACTORS.counter))
    expect(busy.block(...calls).receipts.filter(({ type }) => type === 'message')).toHaveLength(4)
    expect(busy.block().receipts.filter(({ type }) => type === 'message')).toHaveLength(2)
  })
  test('a message that could never fit a lane is not sent', () => {
    for (const gasLimit of [99n, 2_000_001n, 3 as unknown as bigint]) {
      const chain = new SmallChain({ more: { burner: (context) => context.send(ACTORS.counter, '0x', gasLimit) } })
      const { receipts } = chain.block(call(ACTORS.burner))
      expect(receipts).toMatchObject([{ type: 'transaction', outcome: { type: 'failed', reason: 'reverted' } }])
    }
  })
  test('one that no longer fits a narrowed lane is dropped with a receipt and holds up nobody', () => {
    const chain = new SmallChain({
      epochLength: 3n,
      more: { failer: (context) => context.send(ACTORS.counter, '0x', 250_000n) },
    })
    const narrow = { type: 'vote_params', change: { timerLaneCycles: 80_000n } } as const
    chain.block(narrow, setTimerAction(ACTORS.failer, { dueHeight: 2 }))
    chain.block()
    const { receipts } = chain.block(call(ACTORS.forwarder, ACTORS.recorder))
    expect(receipts.map(({ outcome }) => outcome)).toMatchObject([
      { type: 'succeeded' },
      { type: 'rejected', reason: 'lane_too_narrow' },
      { type: 'succeeded' },
    ])
  })
  test.each([
    ['nothing', undefined],
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('odd')],
    ['an error without a message', Object.assign(new Error('x'), { message: { toString: null } })],
  ])('a handler may throw %s', (_, thrown) => {
    const chain = new SmallChain({
      more: {
        counter: () => {
          throw thrown
        },
      },
    })
    expect(chain.block(call(ACTORS.counter)).receipts).toMatchObject([
      { outcome: { reason: 'reverted', message: expect.any(String) } },
    ])
  })
  test('timers set in callbacks are created at this height and wait for the next', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.rescheduler, { dueHeight: 2 }))
    expect(chain.idle(4).map(({ delivery }) => delivery.entries.length)).toEqual([1, 1, 1, 1])
    expect([...chain.chain.head.world.timers.timers.values()]).toMatchObject([
      { createdHeight: 5n, owner: ACTORS.rescheduler },
    ])
  })
  test('timers of a destroyed actor are evicted as they come due, and cost nobody anything', () => {
    const chain = new SmallChain()
    chain.block({ type: 'deploy', handler: 'counter' })
    const actor = actorAddressOf(USER, 0n)
    chain.block(setTimerAction(actor, { dueHeight: 9 }), { type: 'destroy', actor })
    const before = chain.balance(USER)
    chain.idle(6)
    expect(chain.block().delivery.evictions).toMatchObject([{ type: 'target_gone', target: actor }])
    expect(chain.balance(USER)).toBe(before)
  })
})

describe('R13 changed keys', () => {
  const watch = setTimerAction(ACTORS.counter, { watchKeys: [`${ACTORS.recorder}01`] })
  const fires = (result: { delivery: { entries: readonly unknown[] } }) => result.delivery.entries.length

  test('a value that a transaction changed wakes the watch in the same block', () => {
    const chain = new SmallChain()
    chain.block(watch)
    expect(fires(chain.block(call(ACTORS.recorder, '0x11')))).toBe(1)
    expect(fires(chain.block())).toBe(0)
  })
  test('the same value again does not; there and back over two transactions does', () => {
    const chain = new SmallChain()
    chain.block(watch, call(ACTORS.recorder, '0x11'))
    expect(fires(chain.block(call(ACTORS.recorder, '0x11')))).toBe(0)
    expect(fires(chain.block(call(ACTORS.recorder, '0x22'), call(ACTORS.recorder, '0x11')))).toBe(1)
  })
  test('a reverted transaction changes nothing', () => {
    const chain = new SmallChain({
      more: {
        recorder: (context) => {
          context.write('0x01', '0x99')
          throw new Error('no')
        },
      },
    })
    chain.block(watch)
    expect(fires(chain.block(call(ACTORS.recorder)))).toBe(0)
  })
  test('a key changed in the mailbox wakes its watch at the next height, not in its own end of block', () => {
    const chain = new SmallChain()
    chain.block(watch, setTimerAction(ACTORS.recorder, { dueHeight: 2, payload: '0x33' }))
    expect(fires(chain.block())).toBe(1)
    const { delivery } = chain.block()
    expect(delivery.entries).toMatchObject([
      { target: ACTORS.counter, triggerCtx: { matched: { keys: [`${ACTORS.recorder}01`] } } },
    ])
  })
})

describe('R27 escrow, burn and tip', () => {
  test('what is used is burned, the tip goes to the producer, the rest comes back', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.counter, { dueHeight: 2, gasLimit: 20_000n, bidFp: ONE / 2n }))
    const before = chain.balance(USER)
    const [receipt] = chain.block().receipts
    const cycles = 100n + 10n + 200n
    const cells = 1n + 8n
    const price = chain.chain.resultAt(2n)?.basefees ?? { cycles: 0n, cells: 0n }
    expect(receipt).toMatchObject({ cyclesUsed: cycles, cellsUsed: cells, tip: cycles / 2n })
    expect(before - chain.balance(USER)).toBe(cycles * price.cycles + cells * price.cells + cycles / 2n)
    expect(chain.balance(PRODUCER)).toBe(cycles / 2n)
  })
  test('a tip is capped at MAX_BID', () => {
    expect(tipOf(100n * ONE, 310n, ONE)).toBe(310n)
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.counter, { dueHeight: 2, bidFp: ONE }))
    expect(chain.block().receipts).toMatchObject([{ tip: 310n }])
  })
  test('an owner that cannot cover the escrow loses the timer, not money', () => {
    const chain = new SmallChain({ balances: { [USER]: 2_000_000n } })
    chain.block(setTimerAction(ACTORS.counter, { dueHeight: 2, gasLimit: 250_000n }))
    const before = chain.balance(USER)
    const { delivery, receipts } = chain.block()
    expect(delivery.evictions).toMatchObject([{ type: 'owner_unfunded' }])
    expect(receipts).toEqual([])
    expect(chain.balance(USER)).toBe(before)
  })
  test('two fires cannot count on the same balance', () => {
    // Prices fall from 10 to 9 after the first, nearly empty block.
    const bill = 2n * (200n + 190n) * 10n
    const escrow = (10_000n + 16_384n) * 9n
    const fund = (balance: bigint) => {
      const chain = new SmallChain({ balances: { [USER]: balance } })
      const set = (target: `0x${string}`, nonce: bigint) =>
        chain.tx(setTimerAction(target, { dueHeight: 2 }), { cyclesLimit: 200n, cellsLimit: 190n, nonce })
      chain.block(set(ACTORS.counter, 0n), set(ACTORS.recorder, 1n))
      return chain.block().delivery
    }
    expect(fund(bill + escrow * 2n).entries).toHaveLength(2)
    expect(fund(bill + escrow * 2n - 1n)).toMatchObject({
      entries: [{ target: ACTORS.counter }],
      evictions: [{ type: 'owner_unfunded', target: ACTORS.recorder }],
    })
  })
  test('nothing is made or lost: balances and burn always add up', () => {
    const chain = new SmallChain()
    const supply = chain.supply()
    for (const target of Object.values(ACTORS)) {
      chain.block(
        setTimerAction(target, { everyBlocks: 2, bidFp: ONE / 3n, payload: ACTORS.counter, gasLimit: 30_000n }),
        call(target, ACTORS.counter),
      )
      expect(chain.supply()).toBe(supply)
    }
    for (let n = 0; n < 10; n += 1) {
      chain.block()
      expect(chain.supply()).toBe(supply)
    }
  })
})

describe('R28 and R29 metering', () => {
  test('set_timeout with 100 bytes: 200 Cycles, 290 Cells', () => {
    const [receipt] = new SmallChain().block(
      setTimerAction(ACTORS.counter, { dueHeight: 9, payload: `0x${'00'.repeat(100)}` }),
    ).receipts
    expect(receipt).toMatchObject({ cyclesUsed: 200n, cellsUsed: 290n })
  })
  test('a watch pays per key in the record and in the index', () => {
    const keys = [ACTORS.counter, `${ACTORS.recorder}01`]
    const [receipt] = new SmallChain().block(setTimerAction(ACTORS.counter, { watchKeys: keys })).receipts
    expect(receipt?.cellsUsed).toBe(130n + (2n + 20n) + (2n + 21n) + (20n + 52n) + (21n + 52n))
  })
  test('update and cancel cost 200 Cycles; an update pays for the bytes it adds; a failed call still costs', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.counter, { dueHeight: 99, payload: '0x01' }))
    const timerId = timerIdOf({ chainId: 7n, owner: USER, target: ACTORS.counter, source: 'counter', n: 0n })
    const target = ACTORS.counter
    const { receipts } = chain.block(
      { type: 'update_timer', args: { target, timerId, payload: '0x010203' } },
      { type: 'cancel_timer', args: { target, timerId } },
      { type: 'cancel_timer', args: { target: ACTORS.recorder, timerId } },
    )
    expect(receipts.map(({ cyclesUsed, cellsUsed, outcome }) => [cyclesUsed, cellsUsed, outcome.type])).toEqual([
      [200n, 2n, 'succeeded'],
      [200n, 0n, 'succeeded'],
      [200n, 0n, 'failed'],
    ])
    expect(receipts[2]?.outcome).toMatchObject({ message: expect.stringContaining('ERR_TIMER_NOT_FOUND') })
  })
  test('transactions and timers both count into use', () => {
    const chain = new SmallChain()
    chain.block(setTimerAction(ACTORS.burner, { dueHeight: 2, gasLimit: 40_000n }))
    expect(chain.block(call(ACTORS.counter)).used).toEqual({ cycles: 40_000n + 310n, cells: 9n })
  })
})

describe('transactions', () => {
  test('a wrong nonce, an empty purse, a full block and nonsense are rejected at no cost', () => {
    const chain = new SmallChain()
    const before = chain.balance(USER)
    const transfer = { type: 'transfer', to: PRODUCER, amount: 1n } as const
    const { receipts } = chain.block(
      chain.tx(transfer, { nonce: 5n }),
      chain.tx(transfer, { from: PRODUCER }),
      chain.tx(transfer, { cyclesLimit: 20_000_000n }),
      chain.tx(transfer, { cellsLimit: 1_000_001n }),
      chain.tx(transfer, { cyclesLimit: -1n }),
    )
    expect(receipts.map(({ outcome }) => (outcome.type === 'rejected' ? outcome.reason : outcome.type))).toEqual([
      'wrong_nonce',
      'unfunded',
      'block_full',
      'block_full',
      'malformed',
    ])
    expect(chain.balance(USER)).toBe(before)
  })
  test.each<[string, Partial<Record<keyof Transaction, unknown>>]>([
    ['a nonce below zero', { nonce: -1n }],
    ['a nonce of 65 bits', { nonce: 1n << 64n }],
    ['a nonce that is a number', { nonce: 0 }],
    ['limits that are numbers', { cyclesLimit: 5 }],
    ['a tip below zero', { tipPerCycle: -1n }],
    ['a sender that is no address', { from: '0xzz' }],
    ['a sender in capitals', { from: USER.toUpperCase().replace('0X', '0x') }],
    ['no action', { action: null }],
    ['an unknown action', { action: { type: 'mint' } }],
    ['an action named like a method', { action: { type: 'toString' } }],
    ['a transfer to no address', { action: { type: 'transfer', to: '0x12', amount: 1n } }],
    ['a transfer to another spelling', { action: { type: 'transfer', to: `0x${'0F'.repeat(20)}`, amount: 1n } }],
    ['a transfer of less than nothing', { action: { type: 'transfer', to: PRODUCER, amount: -1n } }],
    ['a transfer of a number', { action: { type: 'transfer', to: PRODUCER, amount: 1 } }],
    ['a payload of half a byte', { action: { type: 'call', actor: ACTORS.counter, payload: '0x1' } }],
    ['a payload that is missing', { action: { type: 'call', actor: ACTORS.counter } }],
    ['a handler that is no text', { action: { type: 'deploy', handler: 5 } }],
    ['no actor to destroy', { action: { type: 'destroy', actor: null } }],
  ])('%s is malformed: rejected alone, and the block goes on', (_, odd) => {
    const chain = new SmallChain()
    const good = chain.tx(call(ACTORS.counter))
    const { receipts } = chain.block({ ...good, ...odd } as unknown as Transaction, good)
    expect(receipts.map(({ outcome }) => (outcome.type === 'rejected' ? outcome.reason : outcome.type))).toEqual([
      'malformed',
      'succeeded',
    ])
  })
  test.each([[null], [undefined], [5], ['x'], [[]], [{ kind: 'HEIGHT' }]])(
    'timer calls with %s for arguments fail with a code, and cost their cycles',
    (args) => {
      const actions = ['set_timer', 'update_timer', 'cancel_timer'].map((type) => ({ type, args }) as unknown as Action)
      for (const { outcome, cyclesUsed } of new SmallChain().block(...actions).receipts) {
        expect(outcome).toMatchObject({ type: 'failed', message: expect.stringMatching(/^ERR_/) })
        expect(cyclesUsed).toBe(200n)
      }
    },
  )
  test('a producer that is not an address is a mistake of the host', () => {
    expect(() => new SmallChain().chain.append({ producer: '0x12', transactions: [] })).toThrow(RangeError)
  })
  test('deploy, call, destroy; only with permission', () => {
    const chain = new SmallChain()
    const actor = actorAddressOf(USER, 0n)
    chain.block({ type: 'deploy', handler: 'counter' }, call(actor))
    expect(chain.storage(actor, '0x00')).toBe('0x0000000000000001')
    const other = chain.block(chain.tx({ type: 'destroy', actor }, { from: ACTORS.counter }), {
      type: 'deploy',
      handler: 'nothing',
    })
    expect(other.receipts.map(({ outcome }) => outcome.type)).toEqual(['failed', 'failed'])
    chain.block({ type: 'destroy', actor })
    expect(chain.storage(actor, '0x00')).toBeNull()
  })
  test('R16 a vote acts from the next epoch, and only governors vote', () => {
    const chain = new SmallChain({ epochLength: 4n })
    const vote = { type: 'vote_params', change: { maxFiresPerBlock: 3 } } as const
    expect(
      chain.block(vote, chain.tx(vote, { from: ACTORS.counter })).receipts.map(({ outcome }) => outcome.type),
    ).toEqual(['succeeded', 'failed'])
    expect(chain.idle(3).map(({ params }) => params.maxFiresPerBlock)).toEqual([1_000, 1_000, 3])
    expect(chain.block({ type: 'vote_params', change: { wAge: 1n } }).receipts).toMatchObject([
      { outcome: { type: 'failed' } },
    ])
  })
  test('a lane that would leave no room for transactions cannot be voted, nor started with', () => {
    const chain = new SmallChain()
    const vote = (timerLaneCycles: bigint) => ({ type: 'vote_params', change: { timerLaneCycles } }) as const
    expect(chain.block(vote(10_000_000n), vote(10_000_001n)).receipts.map(({ outcome }) => outcome)).toMatchObject([
      { type: 'succeeded' },
      { type: 'failed', message: expect.stringContaining('half of a block') },
    ])
    expect(() => new SmallChain({ params: { timerLaneCycles: 10_000_001n } })).toThrow(RangeError)
  })
})

describe('state roots', () => {
  test('cover accounts, storage, timers, indices and prices, and follow from content alone', () => {
    const base = createChainState({ chainId: 1n, balances: { [USER]: 5n } })
    const { world } = base
    const variants = [
      { ...base, world: { ...world, accounts: world.accounts.set(USER, { balance: 6n, nonce: 0n }) } },
      { ...base, world: { ...world, storage: world.storage.set(`${USER}00`, '0x01') } },
      { ...base, world: { ...world, actors: world.actors.set(USER, { handler: 'x', deployer: USER }) } },
      { ...base, world: { ...world, timers: { ...world.timers, nextRank: 1n } } },
      { ...base, world: { ...world, timers: { ...world.timers, cursors: world.timers.cursors.set(USER, 1n) } } },
      { ...base, world: sendMessage(world, { from: USER, to: USER, payload: '0x', gasLimit: 1n }) },
      { ...base, basefees: { cycles: 1n, cells: 1_000n } },
      { ...base, lateKeys: [USER] },
      { ...base, burned: 1n },
    ]
    const roots = variants.map((variant) => sealState(base, variant).stateRoot)
    expect(new Set([base.stateRoot, ...roots]).size).toBe(variants.length + 1)
    for (const variant of variants) expect(sealState(sealState(base, variant), base).stateRoot).toBe(base.stateRoot)
  })
})

describe('what a block costs does not grow with what waits', () => {
  type Node = { readonly left: Node | null; readonly right: Node | null }
  const nodesOf = (node: Node | null): Node[] =>
    node === null ? [] : [node, ...nodesOf(node.left), ...nodesOf(node.right)]

  test('sending a message leaves the queue before it as it is, instead of copying it', () => {
    const message: Message = { from: USER, to: USER, payload: '0x', gasLimit: 1n }
    let { world } = createChainState({ chainId: 1n })
    for (let n = 0; n < 5_000; n += 1) world = sendMessage(world, message)
    const before = new Set(nodesOf(world.messages.root))
    const made = nodesOf(sendMessage(world, message).messages.root).filter((node) => !before.has(node))
    expect(made.length).toBeGreaterThan(0)
    expect(made.length).toBeLessThan(40)
  })
})

describe('one spelling of an address', () => {
  const upper = (address: string) => `0x${address.slice(2).toUpperCase()}` as const

  test('a genesis in another case is the same genesis, and both cases at once are refused', () => {
    const plain = createChainState({ chainId: 1n, balances: { [USER]: 5n }, actors: { [ACTORS.counter]: 'counter' } })
    const shouted = createChainState({
      chainId: 1n,
      balances: { [upper(USER)]: 5n },
      actors: { [upper(ACTORS.counter)]: 'counter' },
    })
    expect(shouted.stateRoot).toBe(plain.stateRoot)
    if (upper(USER) !== USER) {
      expect(() => createChainState({ chainId: 1n, balances: { [USER]: 5n, [upper(USER)]: 6n } })).toThrow(/twice/)
    }
    expect(() => createChainState({ chainId: 1n, balances: { '0x12': 5n } })).toThrow(RangeError)
  })
})
