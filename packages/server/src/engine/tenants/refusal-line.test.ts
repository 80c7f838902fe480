import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRefusalLine, MAX_REFUSAL_MS } from './refusal-line.ts'

const LOOK_MS = 10
const { signal: STAYS } = new AbortController()

function create() {
  const clock = createManualClock()
  const line = createRefusalLine(clock)
  /** When each was sent. */
  const sent: number[] = []
  const refuse = (delayMs = 0, gone = STAYS) => {
    const since = clock.monotonic()
    void line.wait(gone, delayMs).then(() => sent.push(clock.monotonic() - since))
  }
  const work = async (ms: number): Promise<number> => {
    const before = sent.length
    for (let passed = 0; passed < ms; passed += LOOK_MS) {
      await clock.advance(LOOK_MS)
      line.send()
    }
    await clock.settle()
    return sent.length - before
  }
  return { clock, line, sent, refuse, work }
}

test('a few are sent at once, the rest one by one', async () => {
  const { line, refuse, work } = create()
  let skipped = 0
  while (line.skip()) skipped += 1
  expect(skipped).toBe(11)
  for (let times = 0; times < 100; times++) refuse()
  expect(line.skip()).toBe(false)
  expect(await work(1_000)).toBe(50)
  expect(await work(1_000)).toBe(50)
  expect(line.size()).toBe(0)
})

test('thousands are sent in time, and never many at one moment', async () => {
  const { sent, refuse, work } = create()
  for (let times = 0; times < 4_500; times++) refuse(1_000)
  expect(await work(1_000 - LOOK_MS)).toBe(0)
  while (sent.length < 4_500) expect(await work(LOOK_MS)).toBeLessThanOrEqual(5)
  expect(Math.max(...sent)).toBeLessThanOrEqual(MAX_REFUSAL_MS + LOOK_MS)
})

test('those that come without end are sent in time, and never many at one moment', async () => {
  const { sent, refuse, work } = create()
  for (let looks = 0; looks < 6_000; looks++) {
    for (let times = 0; times < 2; times++) refuse()
    expect(await work(LOOK_MS)).toBeLessThanOrEqual(4)
  }
  expect(Math.max(...sent)).toBeLessThanOrEqual(MAX_REFUSAL_MS + LOOK_MS)
})

test('a caller that has gone takes no place: those after it are sent as if it had never been there', async () => {
  const { line, refuse, work } = create()
  const gone = new AbortController()
  for (let times = 0; times < 700; times++) refuse(0, gone.signal)
  gone.abort()
  expect(line.size()).toBe(0)
  refuse()
  expect(await work(20)).toBe(701)
})

test('a thread that was busy does not catch up with all of them at once', async () => {
  const { clock, refuse, work } = create()
  for (let times = 0; times < 100; times++) refuse()
  await work(100)
  await clock.advance(1_000)
  expect(await work(LOOK_MS)).toBe(1)
})
