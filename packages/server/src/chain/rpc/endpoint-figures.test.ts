import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createEndpointFigures } from './endpoint-figures.ts'
import type { Exchange } from './json-rpc.ts'

function answered(tookMs: number, ...types: string[]): Exchange {
  return { tookMs, replies: types.map((type) => ({ type })) } as unknown as Exchange
}

test('the quickest answer of the last minute tells how far away a node is; what failed quickly does not count', () => {
  const clock = createManualClock()
  const figures = createEndpointFigures(clock)
  expect(figures.fastestMs()).toBeNull()
  figures.note(answered(2, 'lost'))
  expect(figures.fastestMs()).toBeNull()
  for (const tookMs of [180, 150, 900]) figures.note(answered(tookMs, 'result'))
  figures.note(answered(10, 'rate_limited', 'lost'))
  expect(figures.fastestMs()).toBe(150)
  clock.freeze(30_000)
  figures.note(answered(170, 'error'))
  expect(figures.fastestMs()).toBe(150)
  clock.freeze(40_000)
  expect(figures.fastestMs()).toBe(170)
  clock.freeze(60_000)
  expect(figures.fastestMs()).toBeNull()
})
