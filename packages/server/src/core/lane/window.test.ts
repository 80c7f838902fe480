import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitWindow, narrowWindow, openWindow, type Window, widenWindow, windowLimits } from './window.ts'

const AUTO = windowLimits('auto')
const ROUND_TRIP_MS = 50

/** Sends what the window allows to a node that keeps so many; one round trip for each step. */
function run(keeps: (step: number) => number, steps: number, limits = AUTO): readonly Window[] {
  const seen = [openWindow(limits, 0)]
  for (let step = 1; step <= steps; step++) {
    const window = seen.at(-1) ?? openWindow(limits, 0)
    const at = step * ROUND_TRIP_MS
    const kept = keeps(step)
    const loss = { kept, reason: 'dropped' } as const
    seen.push(kept >= window.size ? widenWindow(window, limits, window.size, at) : narrowWindow(window, loss, at))
  }
  return seen
}

describe('the window', () => {
  test('starts at 16 and doubles with every proof that all is kept, up to 4,096', () => {
    const sizes = run(() => 100_000, 10).map(({ size }) => size)
    expect(sizes).toEqual([16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 4_096, 4_096])
  })

  test('shrinks at once to what was kept, and does not try more before the pause is over', () => {
    const seen = run(() => 40, 30)
    expect(seen.slice(0, 4).map(({ size }) => size)).toEqual([16, 32, 64, 40])
    expect(seen[3]).toMatchObject({ ceiling: 40, reason: 'dropped', probeAt: 3 * ROUND_TRIP_MS + 2_000 })
    expect(new Set(seen.slice(3).map(({ size }) => size))).toEqual(new Set([40]))
  })

  test('tries a quarter more after the pause; each failure doubles the pause', () => {
    const seen = run(() => 40, 800)
    const tries = seen.flatMap(({ size }, step) => (size === 50 ? [step * ROUND_TRIP_MS] : []))
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    expect(tries.length).toBeGreaterThan(3)
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(4_000 * 2 ** index)
  })

  test('a ceiling that no longer holds is left behind', () => {
    const seen = run((step) => (step < 10 ? 20 : 100_000), 90)
    expect(seen[10]?.size).toBe(20)
    expect(seen.at(-1)).toMatchObject({ size: 4_096, reason: 'at_limit' })
  })

  test('a pool that was lost altogether halves it and leaves no ceiling', () => {
    const window = narrowWindow({ ...openWindow(AUTO, 0), size: 100 }, { kept: 0, reason: 'dropped' }, 5)
    expect(window).toMatchObject({ size: 50, ceiling: null, since: 5 })
    expect(widenWindow(window, AUTO, 50, 6).size).toBe(100)
  })

  test('if nobody knows how many were kept, it is halved', () => {
    const window = narrowWindow(openWindow(AUTO, 0), { kept: null, reason: 'pool_full' }, 5)
    expect(window).toMatchObject({ size: 8, ceiling: 8, reason: 'pool_full' })
  })

  test('a number is where it starts and the most it can be; it shrinks all the same', () => {
    const limits = windowLimits(200)
    const window = openWindow(limits, 0)
    expect(window).toMatchObject({ size: 200, reason: 'at_limit' })
    expect(widenWindow(window, limits, 200, 1)).toBe(window)
    expect(narrowWindow(window, { kept: 3, reason: 'pool_full' }, 1).size).toBe(3)
  })

  test('what is out must prove it: half of the window to double, more than the ceiling to raise that', () => {
    const window = openWindow(AUTO, 0)
    expect(widenWindow(window, AUTO, 7, 1)).toBe(window)
    expect(widenWindow(window, AUTO, 8, 1).size).toBe(32)
    const narrow = narrowWindow(window, { kept: 1, reason: 'nonce_gap' }, 0)
    const tried = widenWindow(narrow, AUTO, 1, narrow.probeAt)
    expect(tried).toMatchObject({ size: 2, ceiling: 1 })
    expect(widenWindow(tried, AUTO, 1, narrow.probeAt)).toBe(tried)
    expect(widenWindow(tried, AUTO, 2, narrow.probeAt)).toMatchObject({ size: 3, ceiling: 2 })
  })

  test('another limit applies at once, but not above a known ceiling', () => {
    const window = { ...openWindow(AUTO, 0), size: 64 }
    expect(fitWindow(window, windowLimits(10), 1).size).toBe(10)
    expect(fitWindow(window, windowLimits(500), 1).size).toBe(500)
    expect(fitWindow({ ...window, ceiling: 64 }, windowLimits(500), 1).size).toBe(64)
    expect(fitWindow(window, AUTO, 1)).toBe(window)
  })
})

describe('against a node with any limit', () => {
  test('a wide pipe is found within a dozen round trips', () => {
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 20_000 }), (limit) => {
        const seen = run(() => limit, 12)
        expect(Math.max(...seen.map(({ size }) => Math.min(size, limit)))).toBe(Math.min(limit, AUTO.most))
      }),
    )
  })

  test('more than is kept is sent seldom: in no more than one round trip of twenty, once the limit was met', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_095 }), (limit) => {
        const seen = run(() => limit, 1_000).slice(12)
        const tooMany = seen.filter(({ size }) => size > limit).length
        expect(tooMany).toBeLessThanOrEqual(seen.length / 20)
        expect(seen.at(-1)?.size).toBeGreaterThanOrEqual(Math.min(limit, 16))
      }),
    )
  })

  test('whatever the limits do from one round trip to the next, it stays from 1 to the most, and never above twice what was kept', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 6_000 }), { minLength: 1, maxLength: 300 }), (limits) => {
        const seen = run((step) => limits[step - 1] ?? 0, limits.length)
        for (const [step, { size }] of seen.entries()) {
          expect(size).toBeGreaterThanOrEqual(1)
          expect(size).toBeLessThanOrEqual(AUTO.most)
          const kept = limits[step - 1]
          if (kept !== undefined && kept > 0) expect(size).toBeLessThanOrEqual(2 * kept)
        }
      }),
    )
  })
})
