import { expect, test } from 'vitest'
import { createCostScale } from './cost-scale.ts'

/** One look after the other: what was estimated, and what the thread worked, per 10 ms. */
function work(estimatedMs: number, workedMs: number, looks: number) {
  let busyMs = 1_000
  const scale = createCostScale(() => busyMs)
  for (let look = 0; look < looks; look++) {
    scale.real(estimatedMs)
    busyMs += workedMs
    scale.adjust(10)
  }
  return scale
}

test('an estimate counts in full until more is known, and where nobody can tell how long the thread has worked', () => {
  expect(createCostScale(() => 5_000).real(10)).toBe(10)
  const blind = createCostScale()
  blind.real(1_000)
  blind.adjust(10)
  expect(blind.real(10)).toBe(10)
})

test('requests that cost less than their estimate count less', () => {
  expect(work(20, 5, 300).real(10)).toBeCloseTo(2.5)
  // Not nothing: while they wait for others, the thread seems to do nothing.
  expect(work(20, 0, 300).real(10)).toBe(1)
})

test('requests that cost more count what was estimated: the thread has other work too', () => {
  expect(work(1, 8, 300).real(10)).toBe(10)
})

test('what was cheap a while ago says nothing about what is done now', () => {
  let busyMs = 0
  const scale = createCostScale(() => busyMs)
  for (let look = 0; look < 800; look++) {
    scale.real(10)
    busyMs += look < 400 ? 1 : 10
    scale.adjust(10)
  }
  expect(scale.real(10)).toBeGreaterThan(9.5)
})
