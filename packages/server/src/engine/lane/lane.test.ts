import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { Intent, Transaction } from '../../core/transaction/transaction.ts'
import type { LaneWrite, LaneWriteResult } from '../../ports/lane-write.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { createLocalSigner } from '../../signer/local-signer.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { inclusionIn } from '../../testing/core/sample-transactions.ts'
import { createFaultyStore } from '../../testing/engine/faulty-store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { CHAIN_ID, keyOf, QUICK } from '../../testing/engine/test-cluster.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { acceptOne, acquire, anyId } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createBalanceReader } from '../balance/balance-reader.ts'
import type { InclusionTracker } from '../follow/inclusion-tracker.ts'
import { createReservations } from '../reservations/reserve.ts'
import type { Writer } from '../write/writer.ts'
import type { Broadcast } from './broadcaster.ts'
import { createLane } from './lane.ts'
import type { LaneRunner } from './lane-runner.ts'

/** One lane on a memory store; what it wants sent and watched is written down, and its writes can be held or answered by hand. */
async function setUp(policy: Policy = QUICK, isAway: () => boolean = () => false) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const store = createFaultyStore(createMemoryStore({ clock }))
  const local = createLocalSigner([keyOf(0)])
  const signer: typeof local = {
    addresses: local.addresses,
    sign: async (from, transaction) => {
      if (isAway()) throw new KeyStoreAway('kms.example does not respond: timed out')
      return await local.sign(from, transaction)
    },
  }
  const [address] = signer.addresses()
  if (address === undefined) throw new Error('no address')
  const lane = { chainId: CHAIN_ID, signer: address }
  await store.registerSigners([{ lane, policy, label: null }])
  const lease = await acquire(store, lane, 'node-a', 3_600_000)
  const chain = createFakeChain({ chainId: CHAIN_ID, balances: { [address]: 10n ** 21n } })
  const sent: Broadcast[] = []
  const watched = new Map<LaneRunner, number>()
  const state = {
    held: true,
    fencedTimes: 0,
    outcome: { type: 'accepted' } as SendOutcome,
    writes: 0,
    answer: null as ((write: LaneWrite) => Promise<LaneWriteResult>) | null,
  }
  const tracker: InclusionTracker = {
    adopt: (runner, transactions) => void watched.set(runner, transactions.length),
    update: (runner, transactions) => void watched.set(runner, transactions.length),
    follow: () => {},
    forget: (runner) => void watched.delete(runner),
    lookUp: () => {},
    hasUnmined: () => false,
    wantsTags: () => false,
    stop: async () => {},
  }
  const writer: Writer = {
    write: async (write) => {
      state.writes++
      if (state.answer !== null) return await state.answer(write)
      const [result] = await store.writeLanes([write])
      if (result === undefined) throw new Error('no answer')
      return result
    },
    drain: async () => {},
    abandon: () => {},
  }
  const runner = createLane(lease, {
    random: { id: anyId },
    store,
    writer,
    chain,
    signer,
    clock,
    telemetry,
    tracker,
    balances: createBalanceReader(chain),
    broadcaster: {
      send: async (broadcast) => {
        if (!broadcast.maySend()) return { type: 'withheld' }
        sent.push(broadcast)
        return { type: 'sent', outcomes: broadcast.attempts.map(() => state.outcome) }
      },
    },
    settings: {
      finality: { type: 'confirmations', count: 3 },
      prepareBatch: 50,
      prepareRetryMs: 1_000,
      balanceIntervalMs: 60_000,
      maxTxFeeWei: 10n ** 18n,
      sharePercent: 50,
    },
    policy: () => policy,
    isPaused: () => false,
    movingSince: () => 0,
    mayAct: () => state.held,
    onStuck: () => {},
    onFenced: () => {
      state.fencedTimes++
    },
  })
  onTestFinished(() => runner.stop())
  const submit = (over: Partial<Intent> = {}) => acceptOne(store, lane, over)
  const find = async (id: string): Promise<Transaction> => {
    const tx = await store.findTransaction(id)
    if (tx === null) throw new Error('not found')
    return tx
  }
  async function wake() {
    runner.post({ type: 'work' })
    await clock.advance(10)
  }
  return { clock, telemetry, store, chain, lane, lease, sent, watched, state, runner, submit, find, wake }
}

describe('order of steps', () => {
  test('bytes are stored before they are sent, and watched before they are sent [G4]', async () => {
    const { state, store, sent, submit, wake, watched, clock } = await setUp()
    let release = () => {}
    state.answer = async (write) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      const [result] = await store.writeLanes([write])
      return result ?? { type: 'fenced' }
    }
    await submit()
    await wake()
    expect(state.writes).toBe(1)
    expect(sent).toEqual([])
    state.answer = null
    release()
    await clock.settle()
    expect(sent).toHaveLength(1)
    expect([...watched.values()]).toEqual([1])
  })

  test('a signal that comes at any moment around the end of a cycle starts another', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { runner, submit, find, clock } = await setUp()
      runner.post({ type: 'work' })
      for (let turn = 0; turn < turns; turn++) await null
      const { id } = await submit()
      runner.post({ type: 'work' })
      await clock.settle()
      expect((await find(id)).state, `${turns} turns`).toBe('TRACKING')
    }
  })

  test('a transient failure of preparation holds the line with growing pauses, takes no nonce, and then all go in order', async () => {
    const { chain, submit, find, wake, clock, store } = await setUp()
    const [first, second] = [await submit(), await submit()]
    chain.setFault(({ name }) => (name === 'estimate' ? 'unavailable' : null))
    await wake()
    expect(await find(first.id)).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_node', prepareFailures: 1 })
    expect(await find(second.id)).toMatchObject({ state: 'QUEUED', prepareFailures: 0 })
    await clock.advance(600_000)
    expect((await find(first.id)) as { prepareFailures?: number }).toHaveProperty('prepareFailures', 15)
    expect((await store.loadLane(first.intent.lane)).cursor).toBeNull()
    chain.setFault(null)
    await clock.advance(60_000)
    expect(await find(first.id)).toMatchObject({ state: 'TRACKING', nonce: 0 })
    expect(await find(second.id)).toMatchObject({ state: 'TRACKING', nonce: 1 })
  })

  test('a certain failure ends that transaction; the next continues at once', async () => {
    const { submit, find, wake, runner, chain } = await setUp()
    const view = { head: chain.head(), safe: null, finalized: null, header: () => null }
    runner.post({ type: 'chain', view, forkFrom: null })
    const tooLittleGas = await submit({ gasLimit: 1n })
    const fine = await submit()
    await wake()
    expect(await find(tooLittleGas.id)).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: null })
    expect(await find(fine.id)).toMatchObject({ nonce: 0 })
  })

  test('a price too low for any block waits at the head of the queue without a nonce, until the base fee has fallen', async () => {
    const { submit, find, wake, chain, clock } = await setUp({ ...QUICK, onDeferral: 'hold' })
    chain.setBaseFee(10n)
    const offer = await submit({ fees: { type: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 1n } })
    const behind = await submit()
    await wake()
    expect(await find(offer.id)).toMatchObject({ state: 'QUEUED', error: { code: 'fee_below_base' } })
    expect(await find(behind.id)).toMatchObject({ state: 'QUEUED' })
    chain.setBaseFee(9n)
    await clock.advance(2_000)
    expect(await find(offer.id)).toMatchObject({ state: 'TRACKING', nonce: 0 })
    expect(await find(behind.id)).toMatchObject({ state: 'TRACKING', nonce: 1 })
  })

  test('a call that waits for an earlier one continues when that is mined, not when its pause ends', async () => {
    const { runner, submit, find, wake, clock, chain } = await setUp()
    const first = await submit()
    await wake()
    const dependent = await submit({ value: 5n })
    const { estimate } = chain
    let depends = true
    chain.estimate = async (calls, head) =>
      depends ? calls.map(() => ({ type: 'reverted', reason: 'allowance', data: null })) : estimate(calls, head)
    await wake()
    await clock.advance(20_000)
    expect(await find(dependent.id)).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_predecessor' })
    depends = false
    const tx = await find(first.id)
    const txHash = tx.attempts[0]?.hash ?? '0x'
    const place = { blockNumber: 1, blockHash: txHash, txIndex: 0, succeeded: true, gasUsed: 1n }
    const inclusion = { ...place, txHash, effectiveGasPrice: 1n, contractAddress: null }
    runner.post({ type: 'inclusions', inclusions: [{ txId: first.id, inclusion }] })
    await clock.advance(100)
    expect(await find(dependent.id)).toMatchObject({ state: 'TRACKING', nonce: 1 })
  })

  test('one mined predecessor is enough to try again, even if others are not mined and a try is under way', async () => {
    const { runner, submit, find, wake, clock, chain } = await setUp()
    const [first] = [await submit(), await submit()]
    await wake()
    const dependent = await submit({ value: 5n })
    const behind = await submit()
    const { estimate } = chain
    let finish = () => {}
    chain.estimate = (calls) =>
      new Promise((resolve) => {
        finish = () => resolve(calls.map(() => ({ type: 'reverted', reason: 'allowance', data: null })))
      })
    await wake()
    const inclusion = inclusionIn(1, { txHash: (await find(first.id)).attempts[0]?.hash ?? '0x' })
    runner.post({ type: 'inclusions', inclusions: [{ txId: first.id, inclusion }] })
    await clock.settle()
    chain.estimate = estimate
    finish()
    await clock.advance(100)
    expect(await find(dependent.id)).toMatchObject({ state: 'TRACKING', nonce: 2 })
    expect(await find(behind.id)).toMatchObject({ state: 'TRACKING', nonce: 3 })
  })

  test('a call that the node will not run is put off alone: those before it go, those behind it keep their place', async () => {
    const { submit, find, wake, clock, chain } = await setUp({ ...QUICK, onDeferral: 'hold' })
    const { estimate } = chain
    chain.estimate = async (calls, head) =>
      (await estimate(calls, head)).map((outcome, index) =>
        calls[index]?.data === '0x0bad' ? { type: 'unknown', message: 'header not found' } : outcome,
      )
    const before = await submit()
    const untried = await submit({ data: '0x0bad' })
    const behind = await submit()
    await wake()
    expect(await find(before.id)).toMatchObject({ state: 'TRACKING', nonce: 0 })
    expect(await find(untried.id)).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_node' })
    expect(await find(behind.id)).toMatchObject({ state: 'QUEUED', subState: 'accepted', prepareFailures: 0 })
    chain.estimate = estimate
    await clock.advance(1_000)
    expect([await find(untried.id), await find(behind.id)]).toMatchObject([{ nonce: 1 }, { nonce: 2 }])
  })
})

test('bytes that go out again are counted, the first time is not', async () => {
  const { submit, wake, clock, telemetry, sent } = await setUp()
  await submit()
  await wake()
  expect(sent).toHaveLength(1)
  expect(telemetry.valueOf('drover_resubmits_total', { result: 'sent' })).toBe(0)
  await clock.advance(QUICK.resubmitIntervalMs)
  expect(sent).toHaveLength(2)
  expect(telemetry.valueOf('drover_resubmits_total', { result: 'sent' })).toBe(1)
  expect(telemetry.valueOf('drover_transitions_total', { from: 'QUEUED', to: 'ALLOCATED' })).toBe(1)
})

describe('bytes that are withheld because a renewal of the lease is late', () => {
  test('go as soon as the lane may act again, without waiting for their next turn', async () => {
    const { submit, wake, clock, state, sent } = await setUp()
    state.held = false
    await submit()
    await wake()
    await clock.advance(1_000)
    expect(sent).toHaveLength(0)
    state.held = true
    await clock.advance(300)
    expect(sent).toHaveLength(1)
  })

  test('never go once the lane has stopped', async () => {
    const { submit, wake, clock, state, sent, runner, telemetry } = await setUp()
    await submit()
    await wake()
    state.held = false
    await clock.advance(QUICK.resubmitIntervalMs)
    await runner.stop()
    state.held = true
    await clock.advance(1_000)
    expect(sent).toHaveLength(1)
    expect(telemetry.valueOf('drover_resubmits_total', { result: 'withheld' })).toBe(1)
  })
})

describe('a lease that is gone', () => {
  test('stops the lane at its next write: nothing is stored or sent, and its keeper is notified once', async () => {
    const { store, lease, lane, submit, find, wake, sent, state, watched, clock } = await setUp()
    await wake()
    await store.releaseLeases([lease])
    await acquire(store, lane, 'node-b')
    const { id } = await submit()
    await wake()
    await wake()
    expect(await find(id)).toMatchObject({ state: 'QUEUED' })
    expect(sent).toEqual([])
    expect(state.fencedTimes).toBe(1)
    expect(watched.size).toBe(0)
    expect(clock.waiting()).toBe(0)
  })

  test('past the local deadline nothing is sent, although the store still took the claim [G5]', async () => {
    const { submit, wake, sent, state, find } = await setUp()
    state.held = false
    const { id } = await submit()
    await wake()
    expect(sent).toEqual([])
    expect(await find(id)).toMatchObject({ state: 'ALLOCATED' })
  })

  test('a lane that is stopped in the middle of a write watches nothing and sends nothing afterwards', async () => {
    const { submit, wake, state, sent, watched, runner, clock } = await setUp()
    let release = () => {}
    state.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ type: 'written', versions: [2] })
      })
    await submit()
    await wake()
    const stopping = runner.stop()
    release()
    await stopping
    await clock.settle()
    expect(sent).toEqual([])
    expect(watched.size).toBe(0)
  })

  test('a lane that is stopped in the middle of loading watches nothing afterwards', async () => {
    const { runner, watched, clock } = await setUp()
    runner.post({ type: 'work' })
    await null
    await runner.stop()
    await clock.settle()
    expect(watched.size).toBe(0)
  })
})

describe('trouble with the store', () => {
  test('a lane that cannot be loaded for an hour retries at a bounded rate, stops at once on request, and leaves no timer', async () => {
    const { store, wake, clock, runner } = await setUp()
    store.setFault((call) => (call === 'loadLane' ? 'unavailable' : null))
    await wake()
    await clock.advance(3_600_000)
    expect(store.calls.get('loadLane')).toBeLessThan(1_850)
    await runner.stop()
    expect(clock.waiting()).toBe(0)
  })

  test('a preparation that arrives while the lane cannot be loaded is not lost', async () => {
    const { store, chain, submit, find, runner, clock } = await setUp()
    const { id } = await submit()
    const { estimate } = chain
    let answer = () => {}
    chain.estimate = (calls, head) =>
      new Promise((resolve) => {
        answer = () => resolve(estimate(calls, head))
      })
    runner.post({ type: 'work' })
    await clock.settle()
    store.setFault((call) => (call === 'loadLane' ? 'unavailable' : null))
    runner.post({ type: 'amended', txIds: null })
    answer()
    await clock.advance(5_000)
    store.setFault(null)
    chain.estimate = estimate
    await clock.advance(5_000)
    expect(await find(id)).toMatchObject({ state: 'TRACKING' })
  })

  test.each(['refused', 'stale'] as const)('a write that stays %s is tried again at a bounded rate', async (type) => {
    const { submit, wake, state, sent, clock } = await setUp()
    state.answer = async () => ({ type, detail: 'again' })
    await submit()
    await wake()
    await clock.advance(600_000)
    expect(state.writes).toBeGreaterThan(5)
    expect(state.writes).toBeLessThan(650)
    expect(sent).toEqual([])
  })

  test('a request that stays stale does not spin, although each reload stores something else', async () => {
    const { submit, find, wake, state, runner, clock, store, lane } = await setUp()
    state.outcome = { type: 'nonce_gap', message: 'nonce too high' }
    const { id } = await submit()
    await wake()
    expect(await find(id)).toMatchObject({ state: 'ALLOCATED' })
    // Paused in the store; this node has not heard of it.
    await store.updateSigner(lane, { paused: true }, { type: 'signer.changed', cause: 'operator', detail: {} })
    const reservations = createReservations({ store, chains: new Map(), clock, random: { id: anyId } })
    const request = { lane, count: 2, ttlMs: 300_000, label: null, requestId: null, lockOwner: null }
    const answered = reservations.reserve(request)
    await clock.settle()
    let stale = 0
    state.answer = async (write) => {
      const [result = { type: 'fenced' }] = await store.writeLanes([write])
      if (result.type === 'stale' && ++stale > 500) throw new Error('it spins')
      return result
    }
    runner.post({ type: 'asked' })
    await clock.advance(10_000)
    expect((await answered).reservations.map(({ state }) => state)).toEqual(['REQUESTED', 'REQUESTED'])
    expect(stale).toBeGreaterThan(1)
    expect(stale).toBeLessThan(100)
  })

  test('a stored lane whose every write is refused does not spin either', async () => {
    const { submit, wake, state, runner, clock, store } = await setUp()
    state.held = false
    await submit()
    await wake()
    state.answer = async () => ({ type: 'refused', detail: 'check' })
    runner.post({ type: 'amended', txIds: null })
    await clock.advance(600_000)
    expect(state.writes).toBeLessThan(400)
    expect(store.calls.get('loadLane')).toBeLessThan(400)
    state.answer = null
    state.held = true
    await clock.advance(5_000)
    expect(state.writes).toBeGreaterThan(1)
  })

  test('a write that breaks in an unknown way costs a reload, not the process', async () => {
    const { submit, find, wake, state, telemetry, clock } = await setUp()
    let broken = 2
    const before = state.answer
    state.answer = async () => {
      broken--
      if (broken <= 0) state.answer = before
      throw new TypeError('cannot read properties of undefined')
    }
    const { id } = await submit()
    await wake()
    await clock.advance(10_000)
    expect(await find(id)).toMatchObject({ state: 'TRACKING', nonce: 0 })
    expect(telemetry.logs.filter(({ level }) => level === 'error')).toHaveLength(2)
  })
})

describe('silence', () => {
  test('an idle lane has no timer and asks nothing', async () => {
    const { wake, clock, store } = await setUp()
    await wake()
    const before = [...store.calls.values()].reduce((sum, count) => sum + count, 0)
    expect(clock.waiting()).toBe(0)
    await clock.advance(3_600_000)
    expect([...store.calls.values()].reduce((sum, count) => sum + count, 0)).toBe(before)
  })

  test('a transaction that waits for a block costs one write and one answer per interval', async () => {
    const { submit, wake, clock, state } = await setUp()
    await submit()
    await wake()
    const [writes, fired] = [state.writes, clock.fired()]
    await clock.advance(30_000 * 20)
    expect(state.writes - writes).toBeLessThanOrEqual(2 * 20)
    expect(clock.fired() - fired).toBeLessThanOrEqual(2 * 20)
  })

  test.each([
    { type: 'ambiguous', message: 'timeout' },
    { type: 'rate_limited', message: 'slow down' },
    { type: 'pool_full', message: 'txpool is full' },
  ] as const)('bytes that are answered $type again and again go out with growing pauses', async (outcome) => {
    const { submit, wake, clock, state, sent, find } = await setUp()
    state.outcome = outcome
    const { id } = await submit()
    await wake()
    await clock.advance(10 * 60_000)
    expect(sent.length).toBeGreaterThan(10)
    expect(sent.length).toBeLessThan(30)
    expect(new Set(sent.map(({ attempts }) => attempts[0]?.hash)).size).toBe(1)
    expect(await find(id)).toMatchObject({ nonce: 0, state: 'ALLOCATED' })
  })
})

test('a key store that is away: nothing takes a nonce, the lane says why, and goes on as soon as it is back', async () => {
  let isAway = true
  const { submit, wake, find, store, lane, runner, clock, sent, telemetry } = await setUp(QUICK, () => isAway)
  const [first, second] = [await submit(), await submit()]
  await wake()
  const waiting = { state: 'QUEUED', subState: 'waiting_for_key', error: { code: 'key_unavailable' } }
  expect(await find(first.id)).toMatchObject(waiting)
  expect(await find(second.id)).toMatchObject({ state: 'QUEUED', subState: 'accepted' })
  const problemsOf = async () => (await store.listLaneStatus({ lane }))[0]?.health.problems
  const detail = 'kms.example does not respond: timed out'
  expect(await problemsOf()).toMatchObject([{ code: 'key_unavailable', txId: first.id, detail }])
  const labels = { chainId: lane.chainId, signer: lane.signer, problem: 'key_unavailable' }
  expect(telemetry.valueOf('drover_lane_problem', labels)).toBe(1)
  expect(telemetry.logs.filter(({ level }) => level === 'error')).toEqual([])
  isAway = false
  // Long before its next try.
  runner.post({ type: 'keys.changed' })
  await clock.advance(10)
  expect([(await find(first.id)).state, sent.length > 0]).toEqual(['TRACKING', true])
  expect(await problemsOf()).toEqual([])
  expect(telemetry.valueOf('drover_lane_problem', labels)).toBe(0)
  const nonceOf = async (id: string) => ((await find(id)) as { nonce?: number }).nonce
  expect([await nonceOf(first.id), await nonceOf(second.id)]).toEqual([0, 1])
})

describe('answers while a pass over the queue is under way', () => {
  /** The first transaction is sent while the second pass, which finds the other one, has not returned. */
  async function sendDuringPass(outcome: SendOutcome) {
    const lane = await setUp()
    const { store, state, submit, runner, clock } = lane
    state.outcome = outcome
    const first = await submit()
    const read = store.readQueue
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let passes = 0
    vi.spyOn(store, 'readQueue').mockImplementation(async (...asked) => {
      if (++passes > 1) await held
      const found = await read(...asked)
      if (passes > 1) return found
      await submit()
      runner.post({ type: 'work' })
      return found
    })
    const written: string[][] = []
    state.answer = async (write) => {
      written.push(write.saves.map(({ tx }) => `${tx.id === first.id ? 'first' : 'second'} ${tx.state}`))
      const [result] = await store.writeLanes([write])
      return result ?? { type: 'fenced' }
    }
    runner.post({ type: 'work' })
    await clock.settle()
    return { ...lane, written, release }
  }

  test('are stored together with what the pass allocates', async () => {
    const { written, release, clock } = await sendDuringPass({ type: 'accepted' })
    expect(written).toEqual([['first ALLOCATED']])
    release()
    await clock.settle()
    expect(written[1]).toEqual(['first TRACKING', 'second ALLOCATED'])
  })

  test('do not wait long for it', async () => {
    const { written, clock } = await sendDuringPass({ type: 'already_known' })
    await clock.advance(100)
    expect(written).toEqual([['first ALLOCATED'], ['first TRACKING']])
  })

  test('are taken at once if a node did not take the bytes', async () => {
    const { written } = await sendDuringPass({ type: 'ambiguous', message: 'timed out' })
    expect(written).toHaveLength(2)
  })
})
