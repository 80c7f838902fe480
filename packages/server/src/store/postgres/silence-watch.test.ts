import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../ports/store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { ASK_MS, createSilenceWatch } from './silence-watch.ts'

class Answer extends Error {}
/** Said by the server: it is starting up, or shutting down. */
class Outage extends Answer {}

/** A database that answers at once, until it is frozen; thawed, it answers what it was asked meanwhile. */
function setUp() {
  const clock = createManualClock()
  const said: string[] = []
  const held: (() => void)[] = []
  let isFrozen = false
  let isStarting = false
  let asked = 0
  const answer = <T>(value: T): Promise<T> =>
    isFrozen ? new Promise((resolve) => void held.push(() => resolve(value))) : Promise.resolve(value)
  const within = <T>(ms: number, result: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = clock.schedule(ms, () => reject(new Error('timed out')))
      void result.then(resolve).finally(cancel)
    })
  const watch = createSilenceWatch({
    clock,
    ask: () => {
      asked++
      return isStarting ? Promise.reject(new Outage('starting up')) : within(ASK_MS, answer(null))
    },
    isAnswer: (error) => error instanceof Answer,
    isOutage: (error) => !(error instanceof Answer) || error instanceof Outage,
    onSilence: ({ message }) => void said.push(message),
    onAnswer: () => void said.push('answers'),
  })
  onTestFinished(() => watch.close())
  /** How a statement ended; null: it has not. */
  function send(isRead: boolean, statement: () => Promise<unknown> = () => answer('row')) {
    const result = { end: null as unknown }
    watch.run(statement, isRead).then(
      (value) => {
        result.end = value
      },
      (error: unknown) => {
        result.end = error
      },
    )
    return result
  }
  return {
    clock,
    watch,
    said,
    send,
    asked: () => asked,
    freeze: () => {
      isFrozen = true
    },
    /** It forgets what it was asked, and refuses everything while it starts. */
    restart: () => {
      isFrozen = false
      isStarting = true
      held.length = 0
    },
    start: () => {
      isStarting = false
    },
    thaw: () => {
      isFrozen = false
      for (const release of held.splice(0)) release()
    },
  }
}

const SILENCE = 'the database cannot be reached: no answer for 5 s'

test('a database that stops answering: reads are given up, now and later, and what changes something is not', async () => {
  const { clock, send, freeze, thaw, said } = setUp()
  const before = send(true)
  await clock.advance(10_000)
  expect(before.end).toBe('row')
  freeze()
  const [read, write] = [send(true), send(false)]
  await clock.advance(4_900)
  const late = send(true)
  expect([read.end, said]).toEqual([null, []])
  await clock.advance(100)
  expect(read.end).toBeInstanceOf(StoreUnavailable)
  expect([late.end, write.end, said]).toEqual([null, null, [SILENCE]])
  await clock.advance(900)
  expect(late.end).toBeInstanceOf(StoreUnavailable)
  const after = send(true)
  await clock.advance(1_000)
  expect(after.end).toBeInstanceOf(StoreUnavailable)
  await clock.advance(60_000)
  expect([write.end, said]).toEqual([null, [SILENCE]])
  const last = send(true)
  await clock.advance(500)
  thaw()
  await clock.settle()
  expect([last.end, write.end, said]).toEqual(['row', 'row', [SILENCE, 'answers']])
})

test('the end of a silence is noticed without any statement, and the first read after it may be slow', async () => {
  const { clock, send, freeze, thaw, said } = setUp()
  freeze()
  send(true)
  await clock.advance(60_000)
  thaw()
  await clock.advance(500)
  expect(said).toEqual([SILENCE, 'answers'])
  const slow = send(true, () => new Promise((resolve) => void clock.schedule(4_000, () => resolve('slow row'))))
  await clock.advance(4_000)
  expect(slow.end).toBe('slow row')
})

test('a read after the silence works, even before its end was noticed', async () => {
  const { clock, send, freeze, said } = setUp()
  freeze()
  send(true)
  await clock.advance(6_000)
  const read = send(true, async () => 'row')
  await clock.settle()
  expect([read.end, said]).toEqual(['row', [SILENCE, 'answers']])
})

test('a statement that takes long is no silence while the server answers something else', async () => {
  const { clock, send, said, asked } = setUp()
  const slow = send(true, () => new Promise((resolve) => void clock.schedule(60_000, () => resolve('slow row'))))
  await clock.advance(59_000)
  expect([slow.end, said]).toEqual([null, []])
  expect(asked()).toBeGreaterThan(0)
  const others = asked()
  for (let count = 0; count < 50; count++) {
    send(true)
    await clock.advance(20)
  }
  // Nobody is asked while other statements are answered.
  expect(asked()).toBeLessThanOrEqual(others + 1)
  expect([slow.end, said]).toEqual(['slow row', []])
})

test('a server that refuses has answered', async () => {
  const { clock, send, said, freeze } = setUp()
  const refusals = () => send(true, () => Promise.reject(new Answer('out of connections')))
  freeze()
  send(true)
  for (let count = 0; count < 60; count++) {
    refusals()
    await clock.advance(1_000)
  }
  expect(said).toEqual([])
})

test('a server that is starting up has not come back, whoever asks; when it has, that is said once', async () => {
  const { clock, send, said, freeze, restart, start, asked } = setUp()
  freeze()
  send(true)
  await clock.advance(6_000)
  expect(said).toEqual([SILENCE])
  restart()
  for (let count = 0; count < 20; count++) {
    const read = send(true, () => Promise.reject(new Outage('starting up')))
    await clock.advance(500)
    expect(read.end).toBeInstanceOf(Outage)
  }
  expect(said).toEqual([SILENCE])
  const before = asked()
  start()
  await clock.advance(1_000)
  expect([said, asked()]).toEqual([[SILENCE, 'answers'], before + 1])
})

test('a server that is starting up is not silent', async () => {
  const { clock, send, said, freeze, restart } = setUp()
  freeze()
  send(true)
  restart()
  await clock.advance(60_000)
  expect(said).toEqual([])
})

test.each([
  ['begins', 2_100],
  ['is nearly over', 4_900],
])('a process that was frozen as its question %s first reads what arrived meanwhile', async (_, ms) => {
  const { clock, send, freeze, thaw, said } = setUp()
  freeze()
  const read = send(true)
  await clock.advance(ms)
  clock.freeze(60_000)
  // The first timers of the process run before it reads from its connections.
  await clock.advance(0)
  thaw()
  await clock.settle()
  expect([read.end, said]).toEqual(['row', []])
})

test('a silence that goes on after the process was frozen is said, by a question of its own', async () => {
  const { clock, send, freeze, said } = setUp()
  freeze()
  send(true)
  await clock.advance(2_100)
  clock.freeze(60_000)
  await clock.advance(2_900)
  expect(said).toEqual([])
  await clock.advance(2_100)
  expect(said).toEqual([SILENCE])
})

test('nothing is asked while nothing waits, and nothing at all after it was closed', async () => {
  const { clock, send, watch, asked, freeze } = setUp()
  send(true)
  await clock.advance(60_000)
  expect([asked(), clock.waiting()]).toEqual([0, 0])
  freeze()
  send(true)
  await clock.advance(6_000)
  watch.close()
  const before = asked()
  await clock.advance(60_000)
  expect([asked(), clock.waiting()]).toEqual([before, 0])
})
