import { expect, test } from 'vitest'
import { createFixedPace, createPollPace } from './poll-pace.ts'

/** Reads heads at its own pace from a chain that makes a block every `blockMs`, for a minute. */
function follow(blockMs: number, longestMs = 3_000) {
  let now = 0
  const pace = createPollPace(longestMs, { monotonic: () => now })
  const delays: number[] = []
  while (now < 60_000) {
    pace.learn(100 + Math.floor(now / blockMs))
    delays.push(pace.delayMs())
    now += pace.delayMs()
  }
  return { pace, delays, wait: (ms: number) => (now += ms) }
}

test.each([
  { blockMs: 12_000, from: 2_000, to: 3_000 },
  { blockMs: 2_000, from: 400, to: 800 },
  { blockMs: 1_000, from: 250, to: 500 },
  { blockMs: 250, from: 250, to: 250 },
])('blocks of $blockMs ms: heads are read about four times as often', ({ blockMs, from, to }) => {
  const last = follow(blockMs).delays.slice(-10)
  expect(Math.min(...last)).toBeGreaterThanOrEqual(from)
  expect(Math.max(...last)).toBeLessThanOrEqual(to)
})

test('it polls often at first, and a silent chain less and less', () => {
  const { pace, delays, wait } = follow(1_000)
  expect(delays[0]).toBe(500)
  wait(6_000)
  expect(pace.delayMs()).toBeGreaterThanOrEqual(1_500)
  wait(600_000)
  expect(pace.delayMs()).toBe(3_000)
})

test('a head that goes back measures nothing', () => {
  let now = 0
  const pace = createPollPace(3_000, { monotonic: () => now })
  for (const height of [10, 11, 12]) {
    pace.learn(height)
    now += 1_000
  }
  const before = pace.delayMs()
  pace.learn(5)
  expect(pace.delayMs()).toBe(before)
})

test('a configured interval stays as it is', () => {
  const pace = createFixedPace(700)
  pace.learn(1)
  pace.learn(2)
  expect(pace.delayMs()).toBe(700)
})
