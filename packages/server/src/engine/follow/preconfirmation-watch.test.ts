import { describe, expect, onTestFinished, test } from 'vitest'
import type { Header } from '../../core/chain/finality.ts'
import type { Attempt, InFlight, SubState } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import { createLocalSigner } from '../../signer/local-signer.ts'
import { createFakeChain, type FakeChain } from '../../testing/chain/fake-chain.ts'
import { allocated, inclusionIn, mined, stuck, tracking } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { CHAIN_ID, keyOf } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { LaneRunner, LaneSignal } from '../lane/lane-runner.ts'
import { createPreconfirmationWatch } from './preconfirmation-watch.ts'
import { createWatchList } from './watch-list.ts'

const POLL_MS = 250
const FEES = { type: 'eip1559', maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n } as const

/** A watch on a fake chain, and lanes that write down what they are told and put it in the list, as their store would have it. */
async function setUp(lanes = 1) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const signer = createLocalSigner(Array.from({ length: lanes }, (_, index) => keyOf(index)))
  const addresses = signer.addresses()
  const balances = Object.fromEntries(addresses.map((address) => [address, 10n ** 20n]))
  const fake = createFakeChain({ chainId: CHAIN_ID, balances })
  const asked = { counts: 0, batches: [] as number[] }
  const state: { fail: (() => Error) | null; isStoreAway: boolean } = { fail: null, isStoreAway: false }
  const chain: Pick<Chain, 'chainId' | 'getTransactionCount' | 'findReceipts'> = {
    chainId: CHAIN_ID,
    getTransactionCount: async (...args) => {
      asked.counts++
      if (state.fail !== null) throw state.fail()
      return fake.getTransactionCount(...args)
    },
    findReceipts: async (hashes) => {
      asked.batches.push(hashes.length)
      return fake.findReceipts(hashes)
    },
  }
  const list = createWatchList()
  const headers = new Map<number, Header>()
  let head: Header = fake.mine()
  headers.set(head.number, head)
  const lookedUp: string[] = []
  const signals: LaneSignal[] = []
  const runners = addresses.map((address): LaneRunner => {
    const lane = { chainId: CHAIN_ID, signer: address }
    const post = (signal: LaneSignal) => {
      signals.push(signal)
      if (signal.type === 'preconfirmed') move(signal.txId, 'preconfirmed')
      if (signal.type === 'preconfirmation.lost') move(signal.txId, 'stale')
    }
    const finality = { type: 'confirmations', count: 3 } as const
    return {
      lease: { lane, nodeId: 'node-a', fence: 1 },
      inFlight: () => null,
      finalityOf: () => finality,
      post,
      stop: async () => {},
    }
  })
  const watch = createPreconfirmationWatch({
    chain,
    list,
    clock,
    telemetry,
    settings: { pollIntervalMs: POLL_MS, receiptBatch: 10, receiptWorkers: 2 },
    view: () => ({ head, safe: null, finalized: null, header: (number) => headers.get(number) ?? null }),
    lookUp: (txId) => void lookedUp.push(txId),
  })
  onTestFinished(() => watch.stop())

  async function sign(nonce: number, lane: number): Promise<Attempt> {
    const from = addresses[lane] ?? `0x${'0'.repeat(40)}`
    const unsigned = { chainId: CHAIN_ID, nonce, to: from, data: '0x', value: 1n, gasLimit: 21_000n } as const
    const { raw, hash } = await signer.sign(from, { ...unsigned, fees: FEES })
    return { hash, raw, kind: 'original', nonce, gasLimit: 21_000n, fees: FEES, createdAt: 0 }
  }
  const stored = new Map<string, { readonly tx: InFlight; readonly lane: number }>()
  function put(tx: InFlight, lane = 0): void {
    const runner = runners[lane]
    if (runner === undefined) throw new Error(`no lane ${lane}`)
    stored.set(tx.id, { tx, lane })
    list.put(runner, tx, clock.now(), false)
  }
  function move(txId: string, subState: SubState): void {
    const known = stored.get(txId)
    if (known !== undefined && !state.isStoreAway) put({ ...known.tx, subState } as InFlight, known.lane)
  }
  /** In the node's pool and watched. */
  async function send(count: number, lane = 0): Promise<readonly InFlight[]> {
    const sent: InFlight[] = []
    for (let nonce = 0; nonce < count; nonce++) {
      const attempt = await sign(nonce, lane)
      const tx = tracking('pending', { id: `tx-${lane}-${nonce}`, nonce, attempts: [attempt] })
      put(tx, lane)
      sent.push(tx)
    }
    await fake.broadcast(sent.flatMap(({ attempts }) => attempts))
    watch.hurry()
    await clock.advance(0)
    return sent
  }
  function mine(take?: Parameters<FakeChain['mine']>[0]): void {
    head = fake.mine(take)
    headers.set(head.number, head)
  }
  const poll = async (times = 1) => clock.advance(POLL_MS * times)
  return { clock, telemetry, fake, asked, state, list, watch, signals, lookedUp, runners, put, send, mine, poll }
}

const ids = (signals: readonly LaneSignal[]) => signals.map((signal) => ('txId' in signal ? signal.txId : signal.type))

describe('reporting', () => {
  test('a receipt above the head is reported, with its result', async () => {
    const { fake, send, poll, signals } = await setUp()
    const [tx] = await send(1)
    fake.preconfirm()
    await poll()
    const hash = tx?.attempts[0]?.hash
    expect(signals).toEqual([{ type: 'preconfirmed', txId: 'tx-0-0', hash, blockNumber: 2, succeeded: true }])
  })

  test('a count alone says nothing: the pool is in it', async () => {
    const { fake, send, poll, signals, runners, asked } = await setUp()
    await send(1)
    await poll(5)
    const signer = runners[0]?.lease.lane.signer ?? '0x'
    expect(await fake.getTransactionCount(signer, 'pending')).toBe(1)
    expect(asked.batches.length).toBeGreaterThan(0)
    expect(signals).toEqual([])
  })

  test('a receipt in a block that the chain has is left to the tracker', async () => {
    const { send, mine, poll, signals, lookedUp } = await setUp()
    await send(1)
    mine()
    await poll()
    expect(signals).toEqual([])
    expect(lookedUp).toEqual(['tx-0-0'])
  })

  test('what a block lists is in the hands of the tracker already', async () => {
    const { send, mine, poll, list, lookedUp, fake } = await setUp()
    await send(1)
    mine()
    const entry = list.find('tx-0-0')
    const block = await fake.getBlock('latest')
    if (entry === null || block === null) throw new Error('not there')
    entry.listedIn = block
    await poll(3)
    expect(lookedUp).toEqual([])
  })

  test('all visible ones are reported by one check, however many', async () => {
    const { fake, send, poll, signals } = await setUp(2)
    await send(40, 0)
    await send(3, 1)
    fake.preconfirm()
    await poll()
    expect(signals).toHaveLength(43)
    expect(new Set(ids(signals)).size).toBe(43)
  })
})

describe('what is not looked up', () => {
  test('what has been told, while the chain has not come to its block', async () => {
    const { fake, send, poll, signals, asked } = await setUp()
    await send(1)
    fake.preconfirm()
    await poll()
    const [counts, batches] = [asked.counts, asked.batches.length]
    await poll(10)
    expect([asked.counts, asked.batches.length]).toEqual([counts, batches])
    expect(signals).toHaveLength(1)
  })

  test('anything while the count is not past the lowest nonce', async () => {
    const { fake, send, poll, asked } = await setUp()
    await send(2)
    asked.batches.length = 0
    fake.dropPool()
    await poll(5)
    expect(asked).toMatchObject({ counts: 6, batches: [] })
  })

  test('what is stuck, held back, or in a block', async () => {
    const { put, watch, poll, asked } = await setUp()
    put(stuck('no_inclusion', { id: 'a' }))
    put(tracking('suspended', { id: 'b', suspended: true }))
    put(mined({ id: 'c', inclusion: inclusionIn(1) }))
    watch.hurry()
    await poll(3)
    expect(asked).toMatchObject({ counts: 0, batches: [] })
  })

  test('with nothing in flight there is no timer', async () => {
    const { clock, watch, put, poll } = await setUp()
    watch.hurry()
    expect(clock.waiting()).toBe(0)
    put(allocated({ id: 'a' }))
    watch.hurry()
    await poll(2)
    expect(clock.waiting()).toBe(1)
  })
})

describe('cost', () => {
  test('a look that finds nothing costs a count and four hashes, with 200 on their way as with 10', async () => {
    const costs: unknown[] = []
    for (const onTheirWay of [10, 200]) {
      const { send, poll, asked } = await setUp()
      await send(onTheirWay)
      asked.counts = 0
      asked.batches.length = 0
      await poll(10)
      costs.push({ counts: asked.counts, hashes: asked.batches.reduce((sum, size) => sum + size, 0) })
    }
    expect(costs).toEqual([
      { counts: 10, hashes: 40 },
      { counts: 10, hashes: 40 },
    ])
  })

  test('no batch is larger than allowed', async () => {
    const { fake, send, poll, asked } = await setUp(3)
    for (let lane = 0; lane < 3; lane++) await send(30, lane)
    fake.preconfirm()
    await poll()
    expect(Math.max(...asked.batches)).toBe(10)
  })

  test('a burst of sends is looked at once per interval', async () => {
    const { send, watch, clock, asked } = await setUp()
    await send(1)
    for (let count = 0; count < 100; count++) {
      watch.hurry()
      await clock.advance(10)
    }
    expect(asked.counts).toBe(5)
  })
})

describe('a promise', () => {
  async function promise() {
    const parts = await setUp()
    await parts.send(1)
    parts.fake.preconfirm()
    await parts.poll()
    parts.signals.length = 0
    return parts
  }

  test('that the chain passed without keeping it is lost', async () => {
    const { mine, poll, signals } = await promise()
    mine(() => false)
    await poll()
    expect(signals).toEqual([])
    mine(() => false)
    await poll()
    expect(signals).toEqual([{ type: 'preconfirmation.lost', txId: 'tx-0-0', blockNumber: 2 }])
  })

  test('of a later block is as good', async () => {
    const { mine, poll, signals, fake, asked } = await promise()
    for (let count = 0; count < 2; count++) mine(() => false)
    fake.preconfirm()
    await poll()
    const batches = asked.batches.length
    await poll(5)
    expect(asked.batches.length).toBe(batches)
    expect(signals).toEqual([])
  })

  test('that was lost and is given again is reported again', async () => {
    const { mine, poll, signals, fake } = await promise()
    for (let count = 0; count < 2; count++) mine(() => false)
    await poll()
    fake.preconfirm()
    await poll()
    expect(signals).toMatchObject([{ type: 'preconfirmation.lost' }, { type: 'preconfirmed', blockNumber: 4 }])
  })

  test('of which only the store knows is looked at once', async () => {
    const { put, watch, clock, signals } = await setUp()
    put(tracking('preconfirmed', { id: 'a', nonce: 0 }))
    watch.hurry()
    await clock.advance(0)
    expect(signals).toEqual([{ type: 'preconfirmation.lost', txId: 'a', blockNumber: null }])
  })

  test('that the lane cannot store is reported again until stored', async () => {
    const { fake, send, poll, signals, state } = await setUp()
    await send(20)
    state.isStoreAway = true
    fake.preconfirm()
    await poll(3)
    expect(new Set(ids(signals)).size).toBe(20)
    state.isStoreAway = false
    await poll()
    signals.length = 0
    await poll(3)
    expect(signals).toEqual([])
  })

  test('that could not be looked up is not lost', async () => {
    const { mine, poll, signals, fake } = await promise()
    for (let count = 0; count < 2; count++) mine(() => false)
    fake.setFault(({ name }) => (name === 'findReceipts' ? 'unavailable' : null))
    await poll(5)
    expect(signals).toEqual([])
  })
})

describe('errors', () => {
  test('back off, and are over when the chain answers', async () => {
    const { fake, send, poll, signals, asked, state, clock } = await setUp()
    await send(1)
    state.fail = () => new ChainUnavailable('away')
    asked.counts = 0
    await poll(60)
    expect(asked.counts).toBeLessThan(8)
    state.fail = null
    fake.preconfirm()
    await clock.advance(15_000)
    expect(signals).toHaveLength(1)
  })

  test('that nobody expected are logged, and stop nothing', async () => {
    const { fake, send, poll, signals, state, telemetry, clock } = await setUp()
    await send(1)
    state.fail = () => new TypeError('broken')
    await poll()
    expect(telemetry.logs).toMatchObject([{ level: 'error', message: 'preconfirmation check failed' }])
    state.fail = null
    fake.preconfirm()
    await clock.advance(15_000)
    expect(signals).toHaveLength(1)
  })

  test('of one lane hold up no other', async () => {
    const { fake, send, poll, signals } = await setUp(2)
    await send(1, 0)
    await send(1, 1)
    let asked = 0
    fake.preconfirm()
    fake.setFault(({ name }) => (name === 'getTransactionCount' && asked++ === 0 ? 'unavailable' : null))
    await poll()
    expect(signals).toHaveLength(1)
  })
})
