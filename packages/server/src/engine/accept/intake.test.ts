import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Transaction } from '../../core/transaction/transaction.ts'
import { type InsertOutcome, type NewTransaction, StoreUnavailable } from '../../ports/store.ts'
import { toQueued } from '../../store/rules/queued-transaction.ts'
import { timerClock as clock } from '../../testing/engine/timer-clock.ts'
import { anyIntent } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createIntake, type IntakeLimits } from './intake.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function newTransaction(id: string, requestId: string | null = null): NewTransaction {
  const lane = { chainId: 1, signer: `0x${'11'.repeat(20)}` as const }
  return { id, intent: anyIntent(lane, { requestId, requestDigest: `0x${'00'.repeat(32)}` }) }
}

/** Each call waits until the test answers it, so that what is on its way at one time can be seen. */
function createHeldStore() {
  const calls: { batch: readonly NewTransaction[]; accept(): void; fail(error: Error): void }[] = []
  return {
    calls,
    insertTransactions: (batch: readonly NewTransaction[]) =>
      new Promise<readonly InsertOutcome[]>((resolve, reject) => {
        const accept = () => resolve(batch.map((item) => ({ type: 'inserted', transaction: toQueued(item, 0) })))
        calls.push({ batch, accept, fail: reject })
      }),
  }
}

function createHeldIntake(limits: Partial<IntakeLimits> = {}) {
  const store = createHeldStore()
  const telemetry = createRecordingTelemetry()
  return { store, telemetry, intake: createIntake({ store, clock, telemetry, limits }) }
}

const ids = (batch: readonly NewTransaction[] | undefined) => batch?.map(({ id }) => id)

describe('collecting', () => {
  test('what comes within the linger is stored by one call, in order', async () => {
    const { store, intake, telemetry } = createHeldIntake({ lingerMs: 3 })
    const first = intake.submit(newTransaction('a'))
    await vi.advanceTimersByTimeAsync(2)
    const second = intake.submit(newTransaction('b'))
    expect(store.calls).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(store.calls.map((call) => ids(call.batch))).toEqual([['a', 'b']])
    store.calls[0]?.accept()
    expect(await first).toMatchObject({ type: 'inserted', transaction: { id: 'a' } })
    expect(await second).toMatchObject({ type: 'inserted', transaction: { id: 'b' } })
    expect(telemetry.observationsOf('drover_flush_size', { queue: 'intake' })).toEqual([2])
  })
})

describe('a store that does not answer', () => {
  test('the same items are sent again, after a pause that grows [G7]', async () => {
    const { store, intake } = createHeldIntake()
    const submitted = intake.submit(newTransaction('a'))
    await vi.advanceTimersByTimeAsync(3)
    store.calls[0]?.fail(new StoreUnavailable('failing over'))
    await vi.advanceTimersByTimeAsync(49)
    expect(store.calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(store.calls).toHaveLength(2)
    store.calls[1]?.fail(new StoreUnavailable('failing over'))
    await vi.advanceTimersByTimeAsync(99)
    expect(store.calls).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    store.calls[2]?.accept()
    expect(await submitted).toMatchObject({ type: 'inserted', transaction: { id: 'a' } })
  })

  test('an item that finds its own row after an unknown commit was inserted, even if it has moved on', async () => {
    const item = newTransaction('a')
    const moved: Transaction = { ...toQueued(item, 0), state: 'EXPIRED', nonce: null, finalAt: 1, subState: 'expired' }
    const insertTransactions = vi
      .fn<(batch: readonly NewTransaction[]) => Promise<readonly InsertOutcome[]>>()
      .mockRejectedValueOnce(new StoreUnavailable('the answer was lost'))
      .mockResolvedValueOnce([{ type: 'existing', transaction: moved }])
    const intake = createIntake({ store: { insertTransactions }, clock, telemetry: createRecordingTelemetry() })
    const submitted = intake.submit(item)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await submitted).toEqual({ type: 'inserted', transaction: moved })
  })

  test('an earlier request of the same caller stays `existing`', async () => {
    const earlier = toQueued(newTransaction('earlier', 'key'), 0)
    const insertTransactions = async (): Promise<readonly InsertOutcome[]> => [
      { type: 'existing', transaction: earlier },
    ]
    const intake = createIntake({ store: { insertTransactions }, clock, telemetry: createRecordingTelemetry() })
    const submitted = intake.submit(newTransaction('later', 'key'))
    await vi.advanceTimersByTimeAsync(3)
    expect(await submitted).toEqual({ type: 'existing', transaction: earlier })
  })

  test('each item times out at its own deadline with an unknown outcome, and is not sent again [G7]', async () => {
    const insertTransactions = vi.fn(async (_batch: readonly NewTransaction[]) => {
      throw new StoreUnavailable('down')
    })
    const telemetry = createRecordingTelemetry()
    const limits = { deadlineMs: 10_000, maxBatch: 2 }
    const intake = createIntake({ store: { insertTransactions }, clock, telemetry, limits })
    const settled: string[] = []
    const give = (id: string) => intake.submit(newTransaction(id, 'key')).catch(() => void settled.push(id))
    const first = intake.submit(newTransaction('a', 'key')).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(2)
    void give('b')
    await vi.advanceTimersByTimeAsync(9_998)
    expect(await first).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('same request id'),
    })
    expect(settled).toEqual([])
    await vi.advanceTimersByTimeAsync(2)
    expect(settled).toEqual(['b'])
    const calls = insertTransactions.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(insertTransactions.mock.calls.length).toBe(calls)
    expect(telemetry.logs.length).toBe(calls)
  })

  test('a bug is not retried', async () => {
    const insertTransactions = vi.fn(async () => [])
    const intake = createIntake({ store: { insertTransactions }, clock, telemetry: createRecordingTelemetry() })
    const failure = intake.submit(newTransaction('a')).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failure).toMatchObject({ message: 'the store answered 0 of 1 inserts' })
    expect(insertTransactions).toHaveBeenCalledTimes(1)
  })
})

test('a single request waits behind no long group', async () => {
  const { store, intake } = createHeldIntake({ maxBatch: 500, maxFlushes: 2 })
  const group = (name: string) => Array.from({ length: 200 }, (_, index) => newTransaction(`${name} ${index}`))
  for (const name of ['a', 'b', 'c']) void intake.submitTogether(group(name))
  await vi.advanceTimersByTimeAsync(10)
  void intake.submit(newTransaction('single'))
  await vi.advanceTimersByTimeAsync(10)
  expect(store.calls.map(({ batch }) => batch.length)).toEqual([200, 200, 1])
})
