import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createConnectionTurns, type Line } from './connection-turns.ts'

const BURST = 16
const MAX_WAITING = 2_000

function setUp(shareOf?: (line: Line) => number) {
  const clock = createManualClock()
  const turns = createConnectionTurns({
    clock,
    maxWaiting: MAX_WAITING,
    maxBytes: 10_000,
    ...(shareOf && { shareOf }),
  })
  const [begun, refused] = [[] as string[], [] as string[]]
  const open = (name: string, times = 1, group: Line['group'] = 'tenant', bytes = 1): (() => void)[] =>
    Array.from({ length: times }, () =>
      turns.enter(
        { group, name },
        { bytes, start: () => void begun.push(name), refuse: () => void refused.push(name) },
      ),
    )
  const count = (name: string): number => begun.filter((each) => each === name).length
  /** The thread is busy: timers fire so much too late. */
  const beLate = async (times: number, ms: number): Promise<void> => {
    for (let left = times; left > 0; left--) {
      clock.freeze(ms)
      await clock.advance(1)
    }
  }
  return { clock, turns, begun, refused, open, count, beLate }
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
  const { clock, begun, open, count } = setUp()
  open('flood', BURST + 1_000)
  begun.length = 0
  open('other', 2)
  await clock.advance(4)
  expect([count('other'), begun.length]).toEqual([2, 4])
})

test('thousands of strangers have as many turns as one tenant, and health checks as many as they', async () => {
  const { clock, begun, open, count } = setUp()
  for (let index = 0; index < BURST + 1_000; index++) open(`stranger ${index}`, 1, 'network')
  begun.length = 0
  open('acme', 10)
  open('', 10, 'health')
  await clock.advance(30)
  expect([count('acme'), count(''), begun.length]).toEqual([10, 10, 30])
})

test('a caller begins no more than its share; the others get the rest of the turns', async () => {
  let share = 0.2
  const { clock, begun, open, count } = setUp(({ name }) => (name === 'flood' ? share : 1))
  open('flood', BURST + 1_500)
  begun.length = 0
  await clock.advance(500)
  expect(begun.length).toBe(100)
  open('calm', 100)
  await clock.advance(125)
  expect([count('calm'), begun.length]).toEqual([100, 225])
  share = 1
  await clock.advance(1)
  begun.length = 0
  await clock.advance(100)
  expect(begun.length).toBe(100)
})

test('if too many wait, strangers are refused, and whichever tenant has most of them; other tenants begin at once', async () => {
  const { clock, begun, refused, open } = setUp()
  open('flood', BURST + MAX_WAITING)
  expect(begun.length).toBe(BURST)
  open('flood', 2)
  open('stranger', 1, 'network')
  open('other')
  expect([begun.length, begun.at(-1), refused]).toEqual([BURST + 1, 'other', ['flood', 'flood', 'stranger']])
  await clock.advance(1)
  expect(begun.length).toBe(BURST + 2)
  open('flood')
  expect(refused.length).toBe(3)
})

test('what has been sent by those that wait is bounded too', async () => {
  const { clock, refused, open } = setUp()
  open('flood', BURST)
  open('flood', 1, 'tenant', 9_000)
  open('flood', 1, 'tenant', 2_000)
  expect(refused).toEqual(['flood'])
  await clock.advance(1)
  open('flood', 1, 'tenant', 2_000)
  expect(refused).toEqual(['flood'])
})

test('if too many wait that cannot be refused, the next begin at once', () => {
  const turns = createConnectionTurns({ clock: createManualClock(), maxWaiting: 10 })
  let begun = 0
  const start = (): void => {
    begun += 1
  }
  for (let times = 0; times < BURST + 10 + 5; times++) turns.enter({ group: 'tenant', name: 'a' }, { start })
  expect(begun).toBe(BURST + 5)
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
  const { begun, open, beLate } = setUp()
  open('a', BURST + 200)
  await beLate(1, 10_000)
  expect(begun.length).toBeLessThanOrEqual(BURST + 16)
})

test('after the stop nobody waits', () => {
  const { turns, begun, open } = setUp()
  open('a', BURST)
  turns.close()
  open('a', 50)
  expect(begun.length).toBe(BURST + 50)
})
