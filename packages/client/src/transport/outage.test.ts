import { expect, test } from 'vitest'
import { DroverError } from './drover-error.ts'
import { createOutage } from './outage.ts'

function down(retryAfterMs?: number): DroverError {
  return new DroverError({ code: 'unexpected_answer', detail: 'Down.', status: 503, transient: true, retryAfterMs })
}

test('pauses grow, and are never shorter than Retry-After', () => {
  const outage = createOutage(Number.POSITIVE_INFINITY)
  expect([down(), down(), down(60_000)].map((error) => outage.bear(error).delayMs)).toEqual([500, 1_000, 60_000])
})

test('a Retry-After of years is retried earlier, but not at once', () => {
  const outage = createOutage(Number.POSITIVE_INFINITY)
  expect(outage.bear(down(99_999_999_000)).delayMs).toBe(5 * 60_000)
})

test('no pause is longer than the longest allowed outage', () => {
  const { delayMs } = createOutage(20_000).bear(down(3_600_000))
  expect(delayMs).toBeGreaterThan(15_000)
  expect(delayMs).toBeLessThanOrEqual(20_000)
})
