import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pauseBeforeRetry } from './webhook-retry.ts'

const POLICY = { firstPauseMs: 2_000, longestPauseMs: 3_600_000, giveUpAfterMs: 259_200_000 }
const FAILED = { attempts: 1, sinceFirstMs: 0, retryAfterMs: null, chance: 0 }

test('doubles, up to the longest pause', () => {
  const pauses = [1, 2, 3, 11, 12, 13, 1_000].map((attempts) => pauseBeforeRetry({ ...FAILED, attempts }, POLICY))
  expect(pauses).toEqual([1_000, 2_000, 4_000, 1_024_000, 1_800_000, 1_800_000, 1_800_000])
})

test('waits as long as the receiver asks for, but not past the end', () => {
  expect(pauseBeforeRetry({ ...FAILED, retryAfterMs: 60_000 }, POLICY)).toBe(60_000)
  expect(pauseBeforeRetry({ ...FAILED, retryAfterMs: 10 ** 12 }, POLICY)).toBe(POLICY.giveUpAfterMs)
})

test('one last attempt at the end, and then none', () => {
  const late = { ...FAILED, attempts: 50, sinceFirstMs: POLICY.giveUpAfterMs - 1_000 }
  expect(pauseBeforeRetry(late, POLICY)).toBe(1_000)
  expect(pauseBeforeRetry({ ...late, sinceFirstMs: POLICY.giveUpAfterMs }, POLICY)).toBe(null)
})

test('whatever fails, it ends, and no pause is longer than allowed', () => {
  const anyChance = fc.double({ min: 0, max: 0.999, noNaN: true })
  fc.assert(
    fc.property(fc.array(anyChance, { minLength: 1 }), (chances) => {
      let sinceFirstMs = 0
      for (let attempts = 1; ; attempts++) {
        const chance = chances[attempts % chances.length] ?? 0
        const pauseMs = pauseBeforeRetry({ attempts, sinceFirstMs, retryAfterMs: null, chance }, POLICY)
        if (pauseMs === null) break
        expect(pauseMs).toBeGreaterThan(0)
        expect(pauseMs).toBeLessThanOrEqual(POLICY.longestPauseMs)
        sinceFirstMs += pauseMs
      }
      expect(sinceFirstMs).toBe(POLICY.giveUpAfterMs)
    }),
    { numRuns: 20 },
  )
})
