import { describe, expect, onTestFinished, test } from 'vitest'
import type { Finality } from '../../core/chain/finality.ts'
import type { Allocated, Transaction } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import { createLocalSigner } from '../../signer/local-signer.ts'
import { createFakeChain, type FakeChain } from '../../testing/chain/fake-chain.ts'
import { allocated } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { CHAIN_ID, keyOf } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { LaneRunner, LaneSignal } from '../lane/lane-runner.ts'
import { createBlockFollower } from './block-follower.ts'
import { createInclusionTracker, type TrackerSettings } from './inclusion-tracker.ts'

const SETTINGS: TrackerSettings = {
  staleReceiptTimeoutMs: 60_000,
  receiptBatch: 2,
  receiptWorkers: 2,
  lostAfterLooks: 3,
  blockQueueLength: 5,
  fetchReceiptUponEntry: false,
  preconfirmations: false,
  pollIntervalMs: 250,
}
const FEES = { type: 'eip1559', maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n } as const

/** A tracker on a followed fake chain, with one lane that only writes down what it is told. */
async function setUp(settings: Partial<TrackerSettings> = {}, change: (chain: FakeChain) => Chain = (chain) => chain) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const signer = createLocalSigner([keyOf(0)])
  const [address] = signer.addresses()
  if (address === undefined) throw new Error('no address')
  const lane = { chainId: CHAIN_ID, signer: address }
  const fake = createFakeChain({ chainId: CHAIN_ID, balances: { [address]: 10n ** 20n } })
  const chain = change(fake)
  const follower = createBlockFollower({
    chain,
    clock,
    telemetry,
    settings: { windowSize: 16, initialDepth: 8, pollIntervalMs: 1_000, wantsTags: () => false },
  })
  const own = { ...SETTINGS, ...settings }
  const tracker = createInclusionTracker({ chain, follower, clock, telemetry, settings: own })
  const signals: LaneSignal[] = []
  const finality: Finality = { type: 'confirmations', count: 4 }
  const runner: LaneRunner = {
    lease: { lane, nodeId: 'node-a', fence: 1 },
    inFlight: () => null,
    finalityOf: (intent) => intent.finality ?? finality,
    post: (signal) => void signals.push(signal),
    stop: async () => {},
  }
  onTestFinished(async () => {
    const stopping = tracker.stop()
    await clock.advance(60_000)
    await stopping
    await follower.stop()
  })
  follower.start()
  await clock.settle()

  async function sign(nonce: number, value = 1n): Promise<Allocated> {
    const unsigned = { chainId: CHAIN_ID, nonce, to: address ?? null, data: '0x', value, gasLimit: 21_000n } as const
    const { raw, hash } = await signer.sign(lane.signer, { ...unsigned, fees: FEES })
    const attempt = { hash, raw, kind: 'original', nonce, gasLimit: 21_000n, fees: FEES, createdAt: 0 } as const
    return allocated({ id: `tx-${nonce}`, nonce, attempts: [attempt] })
  }
  const send = (tx: Transaction) => fake.broadcast(tx.attempts)
  async function mine(blocks = 1) {
    for (let count = 0; count < blocks; count++) {
      fake.mine()
      await clock.advance(400)
    }
  }
  const of = <T extends LaneSignal['type']>(type: T) =>
    signals.filter((signal): signal is Extract<LaneSignal, { type: T }> => signal.type === type)
  return { clock, telemetry, chain: fake, follower, tracker, runner, signals, sign, send, mine, of }
}

const isReceipt = (name: string) => name === 'findReceipts' || name === 'getInclusions'

describe('fetchReceiptUponEntry', () => {
  /** Nobody tells of new blocks: they are found by polling, once a second. */
  const deaf = (chain: FakeChain): Chain => ({ ...chain, onHeadHint: () => () => {} })

  test.each([
    ['on: looked up as soon as it is sent, without waiting for a block', true],
    ['off: nothing is looked up before a block or the audit', false],
  ])('%s', async (_, fetchReceiptUponEntry) => {
    const { tracker, runner, sign, send, chain, clock, of } = await setUp({ fetchReceiptUponEntry }, deaf)
    const tx = await sign(0)
    // Stored before it is sent: no node can know it yet.
    tracker.update(runner, [tx])
    await clock.advance(300)
    await send(tx)
    chain.mine()
    tracker.update(runner, [{ ...tx, submitCount: 1 }])
    await clock.advance(300)
    expect(of('inclusions').length > 0).toBe(fetchReceiptUponEntry)
  })
})

describe('finding by block', () => {
  test('an inclusion is reported before the chain update that contained it', async () => {
    const { tracker, runner, sign, send, mine, signals } = await setUp()
    const tx = await sign(0)
    tracker.update(runner, [tx])
    await send(tx)
    signals.length = 0
    await mine()
    expect(signals.map(({ type }) => type)).toEqual(['inclusions', 'chain'])
  })

  test('a block of strangers costs no request for receipts', async () => {
    let asked = 0
    const { mine } = await setUp({}, (chain) => ({
      ...chain,
      getInclusions: (...args) => {
        asked++
        return chain.getInclusions(...args)
      },
    }))
    await mine(3)
    expect(asked).toBe(0)
  })

  test('a released lane gets no more events', async () => {
    const { tracker, runner, sign, send, mine, signals } = await setUp()
    const tx = await sign(0)
    tracker.adopt(runner, [tx])
    await send(tx)
    tracker.forget(runner)
    signals.length = 0
    await mine(2)
    expect(signals).toEqual([])
  })

  test('a node too slow for its blocks holds up nothing: the rest is a gap, and everything is looked up by hash [G7]', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const { tracker, runner, sign, send, mine, of, telemetry, follower } = await setUp({}, (chain) => ({
      ...chain,
      getInclusions: async (...args) => {
        await gate
        return chain.getInclusions(...args)
      },
    }))
    const txs = [await sign(0), await sign(1)]
    tracker.update(runner, txs)
    for (const tx of txs) {
      await send(tx)
      await mine()
    }
    await mine(10)
    expect(follower.view()?.head.number).toBe(12)
    expect(of('inclusions')).toEqual([])
    open()
    await mine()
    expect(telemetry.valueOf('drover_gaps_total', { part: 'tracker' })).toBeGreaterThan(0)
    const found = of('inclusions').flatMap(({ inclusions }) => inclusions.map(({ txId }) => txId))
    expect(new Set(found)).toEqual(new Set(['tx-0', 'tx-1']))
    expect(of('chain').at(-1)?.view.head.number).toBe(13)
  })

  test('an update that comes at any moment around the end of the work is worked on', async () => {
    const { chain, clock, of } = await setUp().then(async (all) => {
      all.tracker.adopt(all.runner, [])
      return all
    })
    for (let turns = 0; turns < 30; turns++) {
      chain.mine()
      for (let turn = 0; turn < turns; turn++) await null
      const { number } = chain.mine()
      await clock.settle()
      expect(of('chain').at(-1)?.view.head.number, `${turns} turns`).toBe(number)
    }
  })
})

describe('finding by hash', () => {
  test('what was adopted is looked up at once; what is quiet, after its time', async () => {
    const { tracker, runner, sign, send, chain, of, clock } = await setUp()
    const [early, late] = [await sign(0), await sign(1)]
    await send(early)
    chain.mine()
    await clock.settle()
    tracker.adopt(runner, [early])
    await clock.advance(10)
    expect(of('inclusions')).toMatchObject([{ inclusions: [{ txId: 'tx-0' }] }])
    await send(late)
    chain.mine()
    await clock.settle()
    tracker.update(runner, [late])
    await clock.advance(59_000)
    expect(of('inclusions')).toHaveLength(1)
    await clock.advance(20_000)
    expect(of('inclusions').at(-1)).toMatchObject({ inclusions: [{ txId: 'tx-1' }] })
  })

  test('what became of a nonce that it gave up does not hide what became of the one that it has', async () => {
    const { tracker, runner, sign, send, chain, of, clock } = await setUp()
    const [empty, again] = [await sign(0), await sign(1)]
    for (const tx of [empty, again]) await send(tx)
    for (let count = 0; count < 30; count++) chain.mine()
    await clock.settle()
    const attempts = [...empty.attempts.map((each) => ({ ...each, kind: 'cancel' as const })), ...again.attempts]
    tracker.adopt(runner, [{ ...again, attempts }])
    await clock.advance(1_000)
    const found = of('inclusions').flatMap(({ inclusions }) => inclusions.map(({ inclusion }) => inclusion.txHash))
    expect(found).toEqual(again.attempts.map(({ hash }) => hash))
  })

  test('many in old blocks cost reads by the block, not by the transaction', async () => {
    let asked = 0
    const { tracker, runner, sign, send, chain, of, clock } = await setUp({ receiptBatch: 100 }, (fake) => ({
      ...fake,
      getBlock: (ref) => {
        if (typeof ref === 'number') asked++
        return fake.getBlock(ref)
      },
    }))
    const txs = await Promise.all(Array.from({ length: 40 }, (_, nonce) => sign(nonce)))
    for (const tx of txs) await send(tx)
    for (let count = 0; count < 30; count++) chain.mine()
    await clock.advance(1_000)
    asked = 0
    tracker.adopt(runner, txs)
    await clock.advance(10)
    expect(of('deep')).toHaveLength(40)
    // The block and the four on top of it.
    expect(asked).toBeLessThanOrEqual(5)
  })

  test('one that cannot be looked up holds up no other', async () => {
    const { tracker, runner, sign, send, chain, of, clock } = await setUp()
    const txs = [await sign(0), await sign(1), await sign(2)]
    for (const tx of txs) await send(tx)
    chain.mine()
    await clock.settle()
    const bad = txs[0]?.attempts[0]?.hash
    chain.setFault(({ name, hash }) => (name === 'findReceipts' && hash === bad ? 'unavailable' : null))
    tracker.adopt(runner, txs)
    await clock.advance(1_000)
    const found = of('inclusions').flatMap(({ inclusions }) => inclusions.map(({ txId }) => txId))
    expect(new Set(found)).toEqual(new Set(['tx-1', 'tx-2']))
    chain.setFault(null)
    await clock.advance(20_000)
    expect(of('inclusions').at(-1)).toMatchObject({ inclusions: [{ txId: 'tx-0' }] })
  })

  test('a node that is down is retried with growing pauses, and no lookup is forgotten', async () => {
    let asked = 0
    const { tracker, runner, sign, send, chain, of, clock } = await setUp({}, (fake) => ({
      ...fake,
      getBlock: (ref) => {
        if (typeof ref === 'number') asked++
        return fake.getBlock(ref)
      },
    }))
    const tx = await sign(0)
    await send(tx)
    for (let count = 0; count < 30; count++) chain.mine()
    await clock.advance(1_000)
    chain.setFault(({ name }) => (name === 'getBlock' ? 'unavailable' : null))
    tracker.adopt(runner, [tx])
    await clock.advance(3_600_000)
    expect(asked).toBeLessThan(300)
    expect(of('inclusions')).toEqual([])
    chain.setFault(null)
    await clock.advance(15_000)
    expect(of('inclusions')).toMatchObject([{ inclusions: [{ txId: 'tx-0' }] }])
  })

  test('a mined transaction whose node is behind is not withdrawn; only another block in its place does that', async () => {
    const { tracker, runner, sign, send, mine, of, chain, clock } = await setUp()
    const tx = await sign(0)
    tracker.update(runner, [tx])
    await send(tx)
    await mine()
    const inclusion = of('inclusions')[0]?.inclusions[0]?.inclusion
    if (inclusion === undefined) throw new Error('not found')
    const later = { ...inclusion, blockNumber: inclusion.blockNumber + 100 }
    tracker.adopt(runner, [{ ...tx, state: 'TRACKING', subState: 'mined', inclusion: later, minedAt: 0 }])
    chain.setFault(({ name }) => (isReceipt(name) ? 'receipt_missing' : null))
    await clock.advance(120_000)
    expect(of('withdrawn')).toEqual([])
    const other = { ...inclusion, blockHash: `0x${'99'.repeat(32)}` } as const
    tracker.adopt(runner, [{ ...tx, state: 'TRACKING', subState: 'mined', inclusion: other, minedAt: 0 }])
    await clock.advance(1_000)
    expect(of('withdrawn')).toMatchObject([{ txId: 'tx-0', blockHash: other.blockHash }])
  })
})

describe('a nonce used by a foreign transaction', () => {
  async function lose(all: Awaited<ReturnType<typeof setUp>>) {
    const { tracker, runner, sign, send, mine } = all
    const [ours, foreign] = [await sign(0), await sign(0, 77n)]
    await send(foreign)
    tracker.update(runner, [ours])
    await mine()
    tracker.lookUp('tx-0')
    return { ours, foreign }
  }

  test('is called lost after several looks as deep as finality, and not before', async () => {
    const all = await setUp()
    const { foreign } = await lose(all)
    await all.mine(4)
    expect(all.of('nonce.lost')).toEqual([])
    await all.mine(2)
    expect(all.of('nonce.lost')).toMatchObject([
      {
        type: 'nonce.lost',
        txId: 'tx-0',
        nonce: 0,
        proof: { user: { nonce: 0, inclusion: { txHash: foreign.attempts[0]?.hash } } },
      },
    ])
  })

  test('by looks as deep as finality, however deep the foreign one lies already', async () => {
    const all = await setUp()
    const { tracker, runner, sign, send, mine } = all
    const [ours, foreign] = [await sign(0), await sign(0, 77n)]
    await send(foreign)
    await mine(8)
    tracker.adopt(runner, [ours])
    await all.clock.advance(100)
    // Three looks would do; the blocks since the first of them are not four yet.
    await mine(3)
    expect(all.of('nonce.lost')).toEqual([])
    await mine(2)
    expect(all.of('nonce.lost')).toHaveLength(1)
  })

  test('by the rule of the signer too, however soon the caller wants to hear of an execution', async () => {
    const all = await setUp()
    const { tracker, runner, sign, send, mine } = all
    const [ours, foreign] = [await sign(0), await sign(0, 77n)]
    await send(foreign)
    const finality = { type: 'confirmations', count: 0 } as const
    tracker.update(runner, [{ ...ours, intent: { ...ours.intent, finality } }])
    await mine()
    tracker.lookUp('tx-0')
    await mine(4)
    expect(all.of('nonce.lost')).toEqual([])
    await mine(2)
    expect(all.of('nonce.lost')).toHaveLength(1)
  })

  test('is reported again only as often as it would take to find out', async () => {
    const all = await setUp()
    await lose(all)
    await all.mine(60)
    expect(all.of('nonce.lost').length).toBeLessThan(15)
  })

  test('without new blocks no number of looks is enough', async () => {
    const all = await setUp()
    await lose(all)
    for (let count = 0; count < 20; count++) {
      all.tracker.lookUp('tx-0')
      await all.clock.advance(100)
    }
    await all.clock.advance(3_600_000)
    expect(all.of('nonce.lost')).toEqual([])
  })

  test('is not lost while some node still knows our bytes', async () => {
    const all = await setUp({}, (chain) => ({
      ...chain,
      findTransaction: async (hash) => ({ hash, from: `0x${'00'.repeat(20)}`, nonce: 0 }),
    }))
    await lose(all)
    await all.mine(20)
    expect(all.of('nonce.lost')).toEqual([])
  })

  test('our own mined transaction without a receipt, however long, is never called lost', async () => {
    const all = await setUp({}, (chain) => ({ ...chain, findTransaction: async () => null }))
    const { tracker, runner, sign, send, mine, chain, clock, of } = all
    chain.setFault(({ name }) => (isReceipt(name) ? 'receipt_missing' : null))
    const tx = await sign(0)
    tracker.update(runner, [tx])
    await send(tx)
    await mine(40)
    await clock.advance(3_600_000)
    expect(of('nonce.lost')).toEqual([])
    chain.setFault(null)
    await clock.advance(60_000)
    expect(of('inclusions').at(-1)).toMatchObject({ inclusions: [{ txId: 'tx-0' }] })
  })

  test('a reorged block that listed ours does not protect it forever', async () => {
    const all = await setUp()
    const { tracker, runner, sign, send, mine, chain, clock, of } = all
    const [ours, foreign] = [await sign(0), await sign(0, 77n)]
    tracker.update(runner, [ours])
    await send(ours)
    await mine()
    chain.reorg(1, { length: 2, keep: 'dropped' })
    await clock.advance(400)
    await send(foreign)
    await mine()
    tracker.lookUp('tx-0')
    await mine(6)
    expect(of('nonce.lost')).toHaveLength(1)
  })
})

test('what an operator holds back is no reason to expect a block', async () => {
  const { tracker, runner, sign } = await setUp()
  const tx = await sign(0)
  tracker.update(runner, [{ ...tx, suspended: true, subState: 'suspended' }])
  expect(tracker.hasUnmined()).toBe(false)
  tracker.update(runner, [tx])
  expect(tracker.hasUnmined()).toBe(true)
})

test('an idle tracker asks nothing of the chain but its head', async () => {
  const { clock, chain, tracker, runner } = await setUp()
  tracker.adopt(runner, [])
  await clock.advance(1_000)
  const asked = new Set<string>()
  chain.setFault(({ name }) => {
    asked.add(name)
    return null
  })
  await clock.advance(3_600_000)
  expect([...asked]).toEqual(['getBlock'])
})
