import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../kernel/bytes/hex.ts'
import type { Block } from './apply-block.ts'
import { createChainState } from './create-chain-state.ts'
import { sealState } from './seal-state.ts'
import { ACTORS, PRODUCER, SmallChain, setTimerAction, USER } from './small-chain.suite.ts'
import { type Action, actorAddressOf, type Transaction } from './transaction.ts'

const targets = Object.values(ACTORS)
const target = fc.constantFrom<Hex>(...targets)
const terms = fc.record({
  gasLimit: fc.constantFrom(10_000n, 30_000n),
  bidFp: fc.bigInt({ min: 0n, max: 1n << 96n }),
  payload: fc.constantFrom<Hex>('0x', '0x01', ...targets),
})
const action: fc.Arbitrary<Action> = fc.oneof(
  fc
    .tuple(target, terms, fc.integer({ min: 1, max: 25 }))
    .map(([at, each, dueHeight]) => setTimerAction(at, { ...each, dueHeight })),
  fc
    .tuple(target, terms, fc.integer({ min: 1, max: 4 }))
    .map(([at, each, everyBlocks]) => setTimerAction(at, { ...each, everyBlocks })),
  fc.tuple(target, terms, target).map(([at, each, key]) => setTimerAction(at, { ...each, watchKeys: [key] })),
  fc
    .tuple(target, fc.constantFrom<Hex>('0x01', '0x02', ...targets))
    .map(([actor, payload]) => ({ type: 'call' as const, actor, payload })),
  fc
    .tuple(target, fc.bigInt({ min: 0n, max: 1n << 40n }))
    .map(([to, amount]) => ({ type: 'transfer' as const, to, amount })),
  fc.constantFrom<Action>(
    { type: 'deploy', handler: 'counter' },
    { type: 'vote_params', change: { maxFiresPerBlock: 2 } },
  ),
)
const blocks = fc.array(fc.array(action, { maxLength: 4 }), { minLength: 1, maxLength: 10 })

function build(chain: SmallChain, plan: readonly (readonly Action[])[]): string[] {
  return plan.map((actions) => {
    const { stateRoot, receipts, delivery } = chain.block(...actions)
    return JSON.stringify([stateRoot, receipts, delivery.entries, delivery.evictions], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
  })
}

describe('R30 reorg', () => {
  test('a node that saw other blocks and went back equals one that never saw them [G9]', () => {
    fc.assert(
      fc.property(blocks, blocks, blocks, (common, abandoned, kept) => {
        const options = { epochLength: 5n, params: { maxFiresPerBlock: 3, timerLaneCycles: 250_000n } }
        const straight = new SmallChain(options)
        const expected = build(straight, [...common, ...kept])
        const wandering = new SmallChain({ ...options, shards: 5 })
        build(wandering, [...common, ...abandoned])
        wandering.chain.rewindTo(BigInt(common.length))
        const seen = build(wandering, kept)
        expect(seen).toEqual(expected.slice(common.length))
        expect(wandering.chain.head.stateRoot).toBe(straight.chain.head.stateRoot)
      }),
      { numRuns: 40 },
    )
  })
  test('the root kept up block by block is the root of the final content', () => {
    fc.assert(
      fc.property(blocks, (plan) => {
        const chain = new SmallChain()
        build(chain, plan)
        const blank = createChainState({ chainId: 7n })
        const empty = { ...blank, world: { ...blank.world, schedule: chain.chain.head.world.schedule } }
        expect(sealState(empty, chain.chain.head).stateRoot).toBe(chain.chain.head.stateRoot)
      }),
      { numRuns: 25 },
    )
  })
  test('there is no going forward or below the first block by rewinding', () => {
    const chain = new SmallChain()
    chain.idle(2)
    expect(() => chain.chain.rewindTo(3n)).toThrow(RangeError)
    expect(() => chain.chain.rewindTo(-1n)).toThrow(RangeError)
    chain.chain.rewindTo(0n)
    expect(chain.chain.head.height).toBe(0n)
    expect(chain.chain.resultAt(1n)).toBeUndefined()
  })
})

describe('one script, one root, in every process', () => {
  test('golden', () => {
    const chain = new SmallChain({ epochLength: 8n, params: { maxFiresPerBlock: 4, maxFiresPerTarget: 2 } })
    const plan: Action[][] = Array.from({ length: 24 }, (_, n) => {
      const at = targets[n % targets.length] ?? ACTORS.counter
      return [
        setTimerAction(at, {
          everyBlocks: 1 + (n % 5),
          bidFp: BigInt(n) << 92n,
          payload: targets[(n + 1) % targets.length],
        }),
        setTimerAction(ACTORS.counter, { watchKeys: [at], gasLimit: 20_000n + BigInt(n) }),
        { type: 'call', actor: at, payload: ACTORS.recorder },
      ]
    })
    plan[5]?.push({ type: 'deploy', handler: 'counter' })
    plan[6]?.push(setTimerAction(actorAddressOf(USER, 18n), { dueHeight: 9 }), {
      type: 'vote_params',
      change: { maxFiresPerBlock: 6 },
    })
    plan[7]?.push({ type: 'destroy', actor: actorAddressOf(USER, 18n) })
    build(chain, plan)
    const fires = plan.map((_, n) => chain.chain.resultAt(BigInt(n + 1))?.delivery.entries.length)
    expect(fires.join(' ')).toBe('0 1 1 2 1 4 3 5 4 5 5 6 5 5 6 5 6 6 6 6 6 6 6 6')
    expect(chain.chain.head.stateRoot).toBe('0x2618c86b15f6ee94782854635ac94db9c0a8aef63878a5634ae4657517723d05')
  })
  test('a block is a plain value: what it was made from does not matter', () => {
    const transactions: Transaction[] = [
      {
        from: USER,
        nonce: 0n,
        cyclesLimit: 1_000n,
        cellsLimit: 1_000n,
        action: { type: 'call', actor: ACTORS.counter, payload: '0x' },
      },
    ]
    const block: Block = { producer: PRODUCER, transactions }
    const roots = [new SmallChain(), new SmallChain({ shards: 9 })].map(
      ({ chain }) => chain.append(structuredClone(block)).stateRoot,
    )
    expect(roots[0]).toBe(roots[1])
  })
})
