import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from './deadline.ts'
import { delay } from './delay.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const reason = () => 'time is up'

test('a long-lived signal collects no listeners', async () => {
  const { signal } = new AbortController()
  startDeadline({ signal, timeoutMs: 1_000, reason }).close()
  await Promise.all([delay(1_000, signal), vi.runAllTimersAsync()])
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('a timeout is not the same error as an abort by the caller', () => {
  const controller = new AbortController()
  const late = startDeadline({ signal: controller.signal, timeoutMs: 1_000, reason })
  vi.advanceTimersByTime(1_000)
  expect([late.signal.reason, late.expired]).toEqual(['time is up', true])
  const given = startDeadline({ signal: controller.signal, timeoutMs: 1_000, reason })
  controller.abort('enough')
  vi.advanceTimersByTime(1_000)
  expect([given.signal.reason, given.expired]).toEqual(['enough', false])
})

test('with an aborted signal it ends at once', async () => {
  const signal = AbortSignal.abort('enough')
  expect(startDeadline({ signal, reason }).signal.reason).toBe('enough')
  await expect(delay(1_000, signal)).rejects.toBe('enough')
})
