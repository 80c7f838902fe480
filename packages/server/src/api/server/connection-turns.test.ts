import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createConnectionTurns } from './connection-turns.ts'

const BURST = 16
const MAX_WAITING = 2_000

function setUp(hasOthers?: (line: string) => boolean) {
  const clock = createManualClock()
  const turns = createConnectionTurns({ clock, maxWaiting: MAX_WAITING, ...(hasOthers && { hasOthers }) })
  const [begun, refused] = [[] as string[], [] as string[]]
  const open = (address: string, times = 1): (() => void)[] =>
    Array.from({ length: times }, () =>
      turns.enter(address, { start: () => void begun.push(address), refuse: () => void refused.push(address) }),
    )
  return { clock, turns, begun, refused, open }
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

test('beside other tenants a caller begins fewer, whether it opens many at once or one after the other', async () => {
  const { clock, begun, open } = setUp((line) => line !== 'calm')
  open('flood', BURST + 1_000)
  begun.length = 0
  await clock.advance(100)
  expect(begun.length).toBe(20)
  for (let times = 0; times < 100; times++) {
    open('steady')
    await clock.advance(1)
  }
  const steady = begun.filter((address) => address === 'steady').length
  expect(steady).toBeGreaterThan(BURST + 15)
  expect(steady).toBeLessThanOrEqual(BURST + 20)
  open('calm', BURST)
  await clock.advance(BURST)
  expect(begun.filter((address) => address === 'calm').length).toBe(BURST)
})

test('if too many wait, whoever has most of them waiting is refused more; others begin at once', async () => {
  const { clock, begun, refused, open } = setUp()
  open('flood', BURST + MAX_WAITING)
  expect(begun.length).toBe(BURST)
  open('flood', 3)
  open('other')
  expect([begun.length, begun.at(-1), refused]).toEqual([BURST + 1, 'other', ['flood', 'flood', 'flood']])
  await clock.advance(1)
  expect(begun.length).toBe(BURST + 2)
  open('flood', 1)
  expect(refused.length).toBe(3)
})

test('if too many wait that cannot be refused, the next begin at once', () => {
  const turns = createConnectionTurns({ clock: createManualClock(), maxWaiting: 10 })
  let begun = 0
  const start = (): void => {
    begun += 1
  }
  for (let times = 0; times < BURST + 10 + 5; times++) turns.enter('a', { start })
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
  const { clock, begun, open } = setUp()
  open('a', BURST + 200)
  clock.freeze(10_000)
  await clock.advance(1)
  // Two looks.
  expect(begun.length).toBe(BURST + 4)
})

test('after the stop nobody waits', () => {
  const { turns, begun, open } = setUp()
  open('a', BURST)
  turns.close()
  open('a', 50)
  expect(begun.length).toBe(BURST + 50)
})
