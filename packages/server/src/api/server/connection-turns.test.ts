import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createConnectionTurns } from './connection-turns.ts'

const BURST = 16
const MAX_WAITING = 2_000

function setUp() {
  const clock = createManualClock()
  const turns = createConnectionTurns(clock, MAX_WAITING)
  const begun: string[] = []
  const open = (address: string, times = 1): (() => void)[] =>
    Array.from({ length: times }, () => turns.enter(address, () => begun.push(address)))
  return { clock, turns, begun, open }
}

test('a few begin at once, the others one per millisecond', async () => {
  const { clock, begun, open } = setUp()
  open('a', BURST + 5)
  expect(begun.length).toBe(BURST)
  await clock.advance(1)
  expect(begun.length).toBe(BURST + 1)
  await clock.advance(10)
  expect(begun.length).toBe(BURST + 5)
  // After a pause there is room again.
  await clock.advance(1_000)
  open('a', BURST)
  expect(begun.length).toBe(BURST + 5 + BURST)
})

test('lines take turns', async () => {
  const { clock, begun, open } = setUp()
  open('flood', BURST + 1_000)
  begun.length = 0
  open('other', 2)
  await clock.advance(4)
  expect(begun.filter((address) => address === 'other').length).toBe(2)
  expect(begun.length).toBe(4)
})

test('if too many wait, the next begin at once, and the line moves on', async () => {
  const { clock, begun, open } = setUp()
  open('a', BURST + MAX_WAITING)
  expect(begun.length).toBe(BURST)
  open('b')
  expect(begun.length).toBe(BURST + 1)
  await clock.advance(1)
  expect(begun.length).toBe(BURST + 2)
})

test('one that has gone takes no turn', async () => {
  const { clock, begun, open } = setUp()
  const gone = open('a', BURST + 100)
  for (const leave of gone) leave()
  open('b')
  await clock.advance(1)
  expect(begun.slice(BURST)).toEqual(['b'])
})

test('all begin when the server stops', () => {
  const { turns, begun, open } = setUp()
  open('a', BURST + 50)
  open('b', 50)
  turns.close()
  expect(begun.length).toBe(BURST + 100)
})

test('a thread that is late starts a few, not all that it has missed', async () => {
  const { clock, begun, open } = setUp()
  open('a', BURST + 200)
  clock.freeze(10_000)
  await clock.advance(1)
  expect(begun.length).toBeLessThanOrEqual(2 * BURST + 1)
})

test('after the stop nobody waits', () => {
  const { turns, begun, open } = setUp()
  open('a', BURST)
  turns.close()
  open('a', 50)
  expect(begun.length).toBe(BURST + 50)
})
