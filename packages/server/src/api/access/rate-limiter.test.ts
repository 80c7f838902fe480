import { expect, test } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

const RATE = { perSecond: 2, burst: 3 }
const TAKEN = { type: 'taken' }

test('a burst at once, then as the rate allows; no bucket fills beyond its burst, and each key has its own', () => {
  let now = 1_000
  const limiter = createRateLimiter({ clock: { monotonic: () => now } })
  for (let count = 0; count < 3; count++) expect(limiter.take('a', RATE)).toEqual(TAKEN)
  expect(limiter.take('a', RATE)).toEqual({ type: 'empty', retryAfterMs: 500 })
  expect(limiter.take('b', RATE)).toEqual(TAKEN)
  now += 400
  expect(limiter.take('a', RATE)).toEqual({ type: 'empty', retryAfterMs: 100 })
  now += 100
  expect(limiter.take('a', RATE)).toEqual(TAKEN)
  expect(limiter.take('a', RATE)).toMatchObject({ type: 'empty' })
  now += 60_000
  for (let count = 0; count < 3; count++) expect(limiter.take('a', RATE)).toEqual(TAKEN)
  expect(limiter.take('a', RATE)).toMatchObject({ type: 'empty' })
})

test('only full buckets are forgotten', () => {
  let now = 0
  const limiter = createRateLimiter({ clock: { monotonic: () => now } })
  const rate = { perSecond: 1, burst: 1 }
  for (let id = 0; id < 10_000; id++) limiter.take(`old ${id}`, rate)
  now += 500
  limiter.take('new', rate)
  now += 499
  limiter.take('another', rate)
  expect(limiter.take('old 0', rate)).toMatchObject({ type: 'empty' })
  now += 1
  limiter.take('one more', rate)
  expect(limiter.take('new', rate)).toMatchObject({ type: 'empty' })
  expect(limiter.take('old 0', rate)).toEqual(TAKEN)
})

test('several tokens are taken together or not at all', () => {
  let now = 0
  const limiter = createRateLimiter({ clock: { monotonic: () => now } })
  expect(limiter.take('a', RATE, 2)).toEqual(TAKEN)
  expect(limiter.take('a', RATE, 2)).toEqual({ type: 'empty', retryAfterMs: 500 })
  expect(limiter.take('a', RATE, 1)).toEqual(TAKEN)
  now += 1_000
  expect(limiter.take('a', RATE, 2)).toEqual(TAKEN)
})
