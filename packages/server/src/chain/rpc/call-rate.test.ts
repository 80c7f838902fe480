import { expect, test } from 'vitest'
import { createCallRate } from './call-rate.ts'

function open() {
  let now = 0
  const rate = createCallRate({ monotonic: () => now })
  return {
    rate,
    pass: (ms: number) => {
      now += ms
    },
  }
}

/** A node with a limit for each second of the clock, under constant demand. What it answered and refused each second. */
function load(limit: (asked: number, second: number) => boolean, seconds: number, batch = 5) {
  const { rate, pass } = open()
  const perSecond: { answered: number; refused: number }[] = []
  for (let second = 0; second < seconds; second++) {
    const seen = { answered: 0, refused: 0 }
    for (let tick = 0; tick < 100; tick++) {
      const calls = rate.take(batch, 1)
      if (calls > 0 && limit(seen.answered + calls, second)) {
        seen.answered += calls
        rate.noteAnswered(calls)
      } else if (calls > 0) {
        seen.refused += calls
        rate.noteRefused(calls)
      }
      pass(10)
    }
    perSecond.push(seen)
  }
  return { rate, perSecond }
}

test('nothing is limited before the first refusal', () => {
  const { rate } = open()
  expect(rate.take(10_000, 1)).toBe(10_000)
  expect([rate.perSecond(), rate.waitMs(500)]).toEqual([null, 0])
})

test('a limit of 20 calls a second is found within a second, and used without many refusals', () => {
  const { rate, perSecond } = load((asked) => asked <= 20, 30)
  const later = perSecond.slice(1)
  const sum = (name: 'answered' | 'refused') => later.reduce((total, seen) => total + seen[name], 0)
  expect(sum('answered') / later.length).toBeGreaterThan(15)
  expect(sum('refused')).toBeLessThan(sum('answered') * 0.2)
  expect(rate.perSecond()).toBeLessThan(30)
})

test('a limit that falls is followed, and one that rises too', () => {
  const { perSecond } = load((asked, second) => asked <= (second < 20 ? 40 : second < 40 ? 8 : 40), 80)
  const average = (from: number, to: number) =>
    perSecond.slice(from, to).reduce((total, { answered }) => total + answered, 0) / (to - from)
  expect(average(5, 20)).toBeGreaterThan(28)
  expect(average(33, 40)).toBeGreaterThan(4)
  expect(average(70, 80)).toBeGreaterThan(20)
})

test('refusals at random, whatever the rate, do not drive it to nothing', () => {
  let seed = 7
  const { perSecond } = load(() => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31 > 0.3
  }, 120)
  const late = perSecond.slice(60)
  expect(late.reduce((total, { answered }) => total + answered, 0) / late.length).toBeGreaterThan(10)
})

test('refusals that come together count once, and are forgotten after a while', () => {
  const { rate, pass } = open()
  for (let time = 0; time < 10; time++) rate.noteRefused(100)
  expect(rate.perSecond()).toBe(50)
  expect(rate.take(1, 1)).toBe(0)
  expect(rate.waitMs(10)).toBeCloseTo(200)
  pass(300)
  expect(rate.take(100, 1)).toBe(10)
  pass(5 * 60_000)
  expect(rate.take(1_000, 1)).toBe(1_000)
  expect(rate.perSecond()).toBeNull()
})
