import { expect, test } from 'vitest'
import type { RetentionStore } from '../../ports/retention-store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createRetention, GRACE_MS } from './retention.ts'

const DAY = 86_400_000

function create(over: Partial<RetentionStore> = {}) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const calls: string[] = []
  const state = { old: 450, retired: 0 }
  const store: RetentionStore = {
    retireTransactions: async ({ after, limit }) => {
      calls.push(`retire from ${after}`)
      const count = Math.min(limit, state.old)
      state.old -= count
      state.retired += count
      return { count, next: count < limit ? null : after + count }
    },
    deleteRetired: async (_, limit) => {
      calls.push('delete')
      const count = Math.min(limit, state.retired)
      state.retired -= count
      return count
    },
    forgetRequests: async () => {
      calls.push('forget')
      return 0
    },
    ...over,
  }
  const settings = { transactionsMs: 30 * DAY, requestIdsMs: 365 * DAY }
  return { clock, telemetry, calls, state, retention: createRetention({ store, clock, telemetry, settings }) }
}

test('what is old is retired in batches, and deleted only after the grace time', async () => {
  const { clock, telemetry, calls, state, retention } = create()
  retention.start()
  await clock.advance(GRACE_MS / 2)
  expect(calls).toEqual(['delete', 'retire from 0', 'retire from 200', 'retire from 400'])
  expect(state).toEqual({ old: 0, retired: 450 })
  await clock.advance(GRACE_MS)
  expect(state).toEqual({ old: 0, retired: 0 })
  expect(telemetry.valueOf('drover_retention_total', { kind: 'transactions' })).toBe(450)
  expect(calls.at(-1)).toBe('forget')
  await retention.stop()
})

test('a node that does not get its turn does nothing, and asks again with the next pass', async () => {
  const { clock, calls, retention } = create({ deleteRetired: async () => null, retireTransactions: async () => null })
  retention.start()
  await clock.advance(GRACE_MS * 2)
  expect(calls).toEqual(['forget'])
  await clock.advance(10 * GRACE_MS)
  expect(calls).toEqual(['forget', 'forget'])
  await retention.stop()
})

test('a failure is logged, and the next pass tries again', async () => {
  const { clock, telemetry, calls, retention } = create({
    deleteRetired: () => Promise.reject(new Error('broken')),
  })
  retention.start()
  await clock.advance(11 * 60_000)
  expect(calls).toEqual([])
  expect(telemetry.logs.map(({ message }) => message)).toEqual([
    'could not delete old transactions; trying again later',
    'could not delete old transactions; trying again later',
  ])
  await retention.stop()
})

test('a stop does not wait for a pause to end', async () => {
  const { clock, state, retention } = create()
  retention.start()
  await clock.advance(GRACE_MS / 2)
  await retention.stop()
  expect(state.retired).toBe(450)
})
