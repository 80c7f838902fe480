import { expect, test } from 'vitest'
import { createBusyShare } from './busy-share.ts'

/** Looks every 10 ms, on time. */
function keepUp(share: ReturnType<typeof createBusyShare>, ms: number, from = 0): void {
  for (let passed = 0; passed < ms; passed += 10) share.adjust({ tookMs: 10, lateMs: 0, at: from + passed })
}

test('it grows fast where it was never too much, and up to a limit', () => {
  const share = createBusyShare()
  keepUp(share, 5_000)
  expect(share.isWhole()).toBe(true)
  keepUp(share, 120_000)
  expect(share.now()).toBe(4)
})

test('after it was too much it is cut, and grows slowly on the way back there', () => {
  const share = createBusyShare()
  keepUp(share, 10_000)
  const tooMuch = share.now()
  share.adjust({ tookMs: 60, lateMs: 50, at: 10_000 })
  expect(share.now()).toBeLessThan(tooMuch / 2)
  keepUp(share, 10_000, 10_100)
  expect(share.now()).toBeGreaterThan(tooMuch * 0.5)
  expect(share.now()).toBeLessThan(tooMuch * 0.7)
})

test('one long delay cuts once, and a share never vanishes', () => {
  const share = createBusyShare()
  const before = share.now()
  share.adjust({ tookMs: 20, lateMs: 10, at: 0 })
  share.adjust({ tookMs: 20, lateMs: 10, at: 50 })
  expect(share.now()).toBeCloseTo(before * 0.7)
  for (let at = 1_000; at < 5_000; at += 100) share.adjust({ tookMs: 100, lateMs: 90, at })
  expect(share.now()).toBe(0.1)
})

test('when a tenant is alone again, nothing is remembered', () => {
  const share = createBusyShare()
  keepUp(share, 3_000)
  share.adjust({ tookMs: 60, lateMs: 50, at: 3_000 })
  share.reset()
  keepUp(share, 5_000)
  expect(share.isWhole()).toBe(true)
})
