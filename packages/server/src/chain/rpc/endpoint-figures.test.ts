import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createEndpointFigures } from './endpoint-figures.ts'
import type { Exchange } from './json-rpc.ts'

function answered(tookMs: number, ...types: string[]): Exchange {
  return { tookMs, replies: types.map((type) => ({ type })) } as unknown as Exchange
}

test('the quickest answer tells how far away a node is; what failed quickly does not count', () => {
  const clock = createManualClock()
  const figures = createEndpointFigures(clock)
  expect(figures.fastestMs()).toBeNull()
  figures.note(answered(2, 'lost'))
  expect(figures.fastestMs()).toBeNull()
  for (const tookMs of [180, 150, 900]) figures.note(answered(tookMs, 'result'))
  figures.note(answered(10, 'rate_limited', 'lost'))
  expect(figures.fastestMs()).toBe(150)
  figures.note(answered(140, 'error'))
  expect(figures.fastestMs()).toBe(140)
})

test('a node that is slow for most of an hour has not moved away; after more than an hour it has', () => {
  const clock = createManualClock()
  const figures = createEndpointFigures(clock)
  figures.note(answered(5, 'result'))
  for (let second = 0; second < 3_500; second++) {
    clock.freeze(1_000)
    figures.note(answered(500, 'result'))
    expect(figures.fastestMs()).toBe(5)
  }
  clock.freeze(500_000)
  expect(figures.fastestMs()).toBe(500)
  clock.freeze(4_000_000)
  expect(figures.fastestMs()).toBeNull()
})

test('the share of failed calls is that of the last minute', () => {
  const clock = createManualClock()
  const figures = createEndpointFigures(clock)
  expect(figures.errorRate()).toBeNull()
  figures.note(answered(5, 'lost'))
  clock.freeze(30_000)
  figures.note(answered(5, 'result'))
  expect(figures.errorRate()).toBe(0.5)
  clock.freeze(40_000)
  expect(figures.errorRate()).toBe(0)
  clock.freeze(60_000)
  expect(figures.errorRate()).toBeNull()
})
