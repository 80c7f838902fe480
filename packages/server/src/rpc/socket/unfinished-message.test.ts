import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createBodyPool } from '../../api/server/body-pool.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { countUnfinished } from './unfinished-message.ts'

const PART = Buffer.alloc(64 * 1024)

function setUp() {
  const pool = createBodyPool({ maxBytes: 8 * PART.length })
  const clock = createManualClock()
  const open = (tenant: string) => {
    const done: string[] = []
    const socket = Object.assign(new EventEmitter(), {
      close: (code: number) => done.push(`closed ${code}`),
      pause: () => done.push('paused'),
      terminate: () => done.push('terminated'),
    })
    const stream = new PassThrough()
    const enter = (bytes: number) => pool.enter(tenant, bytes)
    countUnfinished({ stream, socket: socket as unknown as WebSocket, clock, enter })
    return { socket, done, receive: (chunk: Buffer) => void stream.emit('data', chunk) }
  }
  return { pool, clock, open }
}

test('a message that has not arrived whole counts until it has, or its connection ends', () => {
  const { pool, open } = setUp()
  const { socket, receive } = open('a')
  for (let part = 0; part < 3; part++) receive(PART)
  expect(pool.used()).toBe(3 * PART.length)
  socket.emit('message')
  expect(pool.used()).toBe(0)
  receive(PART)
  socket.emit('close')
  expect(pool.used()).toBe(0)
})

test('above its share, a tenant is disconnected with a reason, and nothing more is read', async () => {
  const { pool, clock, open } = setUp()
  const connections = [open('a'), open('a'), open('a'), open('a'), open('a')]
  for (const { receive } of connections) receive(PART)
  expect(connections.map(({ done }) => done)).toEqual([[], [], [], [], ['closed 1013', 'paused']])
  await clock.advance(1_000)
  expect(connections[4]?.done).toContain('terminated')
  open('b').receive(PART)
  expect(pool.used()).toBe(5 * PART.length)
})

test('messages of ordinary size are not counted one by one', () => {
  const { pool, open } = setUp()
  const { socket, receive } = open('a')
  for (let message = 0; message < 100; message++) {
    receive(Buffer.alloc(10_000))
    expect(pool.used()).toBe(0)
    socket.emit('message')
  }
})
