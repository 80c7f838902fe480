import { expect, test } from 'vitest'
import type { RetentionStore } from '../../ports/retention-store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createRetention, GRACE_MS, type RetentionSettings } from './retention.ts'

const DAY = 86_400_000

function create(over: Partial<RetentionStore> = {}, kept: Partial<RetentionSettings> = {}) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const calls: string[] = []
  const state = { old: 450, retired: 0 }
  const left = { reservations: 250, events: 200 }
  const takeFrom = (kind: keyof typeof left, limit: number): number => {
    const count = Math.min(limit, left[kind])
    left[kind] -= count
    return count
  }
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
    deleteReservations: async (finalForMs, limit) => {
      calls.push(`delete reservations of ${finalForMs / DAY} days`)
      return takeFrom('reservations', limit)
    },
    deleteLaneEvents: async (olderThanMs, limit) => {
      calls.push(`delete events of ${olderThanMs / DAY} days`)
      return takeFrom('events', limit)
    },
    ...over,
  }
  const settings = {
    transactionsMs: 30 * DAY,
    requestIdsMs: 365 * DAY,
    reservationsMs: null,
    eventsMs: null,
    ...kept,
  }
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
    'could not delete what is old; trying again later',
    'could not delete what is old; trying again later',
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

test('reservations and events are deleted if they have an end, in batches, and transactions only if they have one too', async () => {
  const kept = { transactionsMs: null, reservationsMs: 7 * DAY, eventsMs: 14 * DAY }
  const { clock, telemetry, calls, retention } = create({}, kept)
  retention.start()
  await clock.advance(GRACE_MS)
  expect(calls).toEqual([
    'delete reservations of 7 days',
    'delete reservations of 7 days',
    'delete events of 14 days',
    'delete events of 14 days',
  ])
  const counted = ['reservations', 'events'].map((kind) => telemetry.valueOf('drover_retention_total', { kind }))
  expect(counted).toEqual([250, 200])
  await retention.stop()
})
