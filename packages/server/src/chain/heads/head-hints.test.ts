import { expect, test } from 'vitest'
import type { Clock } from '../../ports/clock.ts'
import { createManualClock as createMovedClock } from '../../testing/engine/manual-clock.ts'
import { createHeadHints } from './head-hints.ts'
import { createFixedPace } from './poll-pace.ts'

/** Runs due timers only when told to. */
function createManualClock() {
  const due: { readonly delayMs: number; readonly run: () => void }[] = []
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    schedule(delayMs, run) {
      const entry = { delayMs, run }
      due.push(entry)
      return () => void due.splice(due.indexOf(entry) >>> 0, 1)
    },
  }
  /** Runs the next timer and lets the poll behind it finish. */
  async function tick(): Promise<number | null> {
    const entry = due.shift()
    entry?.run()
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    return entry?.delayMs ?? null
  }
  return { clock, tick, pending: () => due.length }
}

function open(readHeight: () => Promise<number>) {
  const { clock, tick, pending } = createManualClock()
  const telemetry = { count() {}, gauge() {}, observe() {}, log() {} }
  const hints = createHeadHints({ chainId: 1, pace: createFixedPace(500), sockets: [], readHeight, clock, telemetry })
  return { hints, tick, pending }
}

test('a poll reports only a changed height, up or down', async () => {
  const heights = [7, 7, 8, 8, 6]
  const { hints, tick } = open(async () => heights.shift() ?? 6)
  let told = 0
  hints.listen(() => told++)
  const seen: number[] = []
  for (let round = 0; round < 5; round++) {
    await tick()
    seen.push(told)
  }
  expect(seen).toEqual([1, 1, 2, 2, 3])
})

test('nothing is polled unless somebody listens', async () => {
  let polls = 0
  const { hints, tick, pending } = open(async () => polls++)
  expect(pending()).toBe(0)
  const stopFirst = hints.listen(() => {})
  const stopSecond = hints.listen(() => {})
  expect(await tick()).toBe(0)
  expect(await tick()).toBe(500)
  stopFirst()
  await tick()
  expect(polls).toBe(3)
  stopSecond()
  expect(pending()).toBe(0)
  hints.listen(() => {})
  await tick()
  expect(polls).toBe(4)
  hints.close()
  expect(pending()).toBe(0)
})

test('a failed poll is reported once, polling continues, and the first answer after it is reported', async () => {
  const down = () => Promise.reject(new Error('down'))
  const answers = [async () => 7, down, down, async () => 7]
  const { hints, tick } = open(() => answers.shift()?.() ?? Promise.resolve(7))
  let told = 0
  hints.listen(() => told++)
  await tick()
  await tick()
  expect(told).toBe(2)
  await tick()
  expect(told).toBe(2)
  await tick()
  expect(told).toBe(3)
})

test('a poll that gets no answer is worth one hint, long before it times out', async () => {
  let fail = (): void => {}
  const silent = () =>
    new Promise<number>((_, reject) => {
      fail = () => reject(new Error('timed out'))
    })
  const answers = [async () => 7, silent, silent]
  const { hints, tick, pending } = open(() => answers.shift()?.() ?? Promise.resolve(7))
  let told = 0
  hints.listen(() => told++)
  await tick()
  await tick()
  expect(told).toBe(1)
  expect(await tick()).toBe(1_000)
  expect([told, pending()]).toEqual([2, 0])
  fail()
  // The first failure is worth another one; after it the node is known to be in trouble.
  await tick()
  expect(told).toBe(3)
  await tick()
  expect(told).toBe(3)
  hints.close()
})

test('a node that is always slow is worth no hint with every poll, and one as soon as it hangs', async () => {
  const clock = createMovedClock()
  const telemetry = { count() {}, gauge() {}, observe() {}, log() {} }
  let tookMs = 100
  const readHeight = () => new Promise<number>((resolve) => void clock.schedule(tookMs, () => resolve(7)))
  const hints = createHeadHints({ chainId: 1, pace: createFixedPace(500), sockets: [], readHeight, clock, telemetry })
  let told = 0
  hints.listen(() => told++)
  await clock.advance(3_000)
  expect(told).toBe(1)
  // Slower than usual: that is news.
  tookMs = 1_500
  await clock.advance(2_500)
  expect(told).toBe(2)
  await clock.advance(60_000)
  expect(told).toBe(2)
  // Now and then it is quicker, and still as slow as before.
  for (let round = 0; round < 10; round++) {
    tookMs = round % 2 === 0 ? 800 : 1_500
    await clock.advance(2_000)
  }
  expect(told).toBe(2)
  tookMs = 3_600_000
  await clock.advance(5_000)
  expect(told).toBe(3)
  hints.close()
})

test('a slow answer after the last listener has gone tells nobody', async () => {
  const { hints, tick } = open(() => new Promise<number>(() => {}))
  let told = 0
  hints.listen(() => told++)
  await tick()
  hints.close()
  await tick()
  expect(told).toBe(0)
})

test('one function may listen twice', async () => {
  const { hints, tick } = open(async () => 1)
  let told = 0
  const listener = () => void told++
  hints.listen(listener)
  hints.listen(listener)
  await tick()
  expect(told).toBe(2)
})
