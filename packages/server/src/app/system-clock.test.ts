import { expect, test } from 'vitest'
import { createSystemClock } from './system-clock.ts'

const NOW = 1_700_000_000_000
const machine = { now: () => NOW, monotonic: () => 5_000 }

test.each([0, 500, 1_000])(
  'a slow answer, read %i ms after the question, does not move a clock that it fits',
  (readAfter) => {
    const clock = createSystemClock(machine)
    clock.adjust(NOW - 1_000 + readAfter, 4_000, 5_000)
    expect(clock.now()).toBe(NOW)
  },
)

test.each([
  { away: 3_600_000, shown: 3_600_000 },
  { away: -3_600_000, shown: -3_600_000 + 10 },
])('a database whose time is $away ms away is followed', ({ away, shown }) => {
  const clock = createSystemClock(machine)
  // Answered within 10 ms: no more than these are in doubt.
  clock.adjust(NOW + away, 4_990, 5_000)
  expect(clock.now()).toBe(NOW + shown)
})
