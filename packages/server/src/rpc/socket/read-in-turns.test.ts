import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { readInTurns } from './read-in-turns.ts'

/** Each packet takes 10 ms to read. */
function setUp() {
  const clock = createManualClock()
  const stream = new PassThrough()
  const pongs: string[] = []
  const socket = Object.assign(new EventEmitter(), {
    isPaused: false,
    pong: (text: Buffer) => void pongs.push(String(text)),
  })
  const [read, spent]: [string[], number[]] = [[], []]
  let due: Promise<void> | null = null
  let goOn = (): void => {}
  stream.on('data', (chunk: Buffer) => {
    read.push(String(chunk))
    clock.freeze(10)
  })
  stream.on('end', () => read.push('end'))
  readInTurns({
    stream,
    socket: socket as unknown as WebSocket,
    clock,
    spend: (ms) => void spent.push(ms),
    untilDue: () => due,
  })
  const hold = (): void => {
    due = new Promise((resolve) => {
      goOn = () => {
        due = null
        resolve()
      }
    })
  }
  return { clock, stream, socket, pongs, read, spent, hold, release: () => goOn() }
}

test('what reading takes is counted for the tenant', async () => {
  const { stream, read, spent, clock } = setUp()
  stream.emit('data', Buffer.from('one'))
  stream.emit('data', Buffer.from('two'))
  await clock.settle()
  expect([read, spent]).toEqual([
    ['one', 'two'],
    [10, 10],
  ])
})

test('while the tenant may not go on, nothing is read; then all of it, in order, to the end', async () => {
  const { stream, read, clock, hold, release } = setUp()
  hold()
  stream.emit('data', Buffer.from('one'))
  expect(stream.isPaused()).toBe(true)
  // The library lets it go on when it has done something.
  stream.resume()
  stream.emit('data', Buffer.from('two'))
  stream.emit('end')
  expect([read, stream.isPaused()]).toEqual([[], true])
  release()
  await clock.settle()
  expect([read, stream.isPaused()]).toEqual([['one', 'two', 'end'], false])
})

test('one that is paused for another reason is not read on', async () => {
  const { stream, socket, clock, hold, release } = setUp()
  hold()
  stream.emit('data', Buffer.from('one'))
  socket.isPaused = true
  release()
  await clock.settle()
  expect(stream.isPaused()).toBe(true)
})

test('what is held back when the connection closes is forgotten', async () => {
  const { stream, read, clock, hold, release } = setUp()
  hold()
  stream.emit('data', Buffer.from('one'))
  stream.destroy()
  await expect.poll(() => stream.closed).toBe(true)
  release()
  await clock.settle()
  expect(read).toEqual([])
})

test('a connection that closes while something is held back is not read on in the middle', async () => {
  const { stream, read, hold, clock } = setUp()
  hold()
  stream.emit('data', Buffer.from('one'))
  stream.write('two')
  await clock.settle()
  const left: number[] = []
  stream.once('close', () => left.push(stream.readableLength))
  stream.emit('close')
  await clock.settle()
  expect([read, left]).toEqual([[], [0]])
})

test('of the pings that came together, the last is answered', async () => {
  const { socket, pongs } = setUp()
  for (const text of ['one', 'two', 'three']) socket.emit('ping', Buffer.from(text))
  await expect.poll(() => pongs).toEqual(['three'])
  socket.emit('ping', Buffer.from('four'))
  await expect.poll(() => pongs).toEqual(['three', 'four'])
})
