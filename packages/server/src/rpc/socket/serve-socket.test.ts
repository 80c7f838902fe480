import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { createUnreadBytes } from '../../engine/tenants/unread-bytes.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { type SocketPorts, serveSocket } from './serve-socket.ts'

class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  isPaused = false
  readonly sent: string[] = []
  readonly closed: unknown[] = []
  /** Called when the client has read what was sent. */
  readonly reads: (() => void)[] = []
  isTerminated = false
  send(text: string, onRead: () => void): void {
    this.sent.push(text)
    this.reads.push(onRead)
  }
  close(...why: unknown[]): void {
    this.closed.push(why)
  }
  ping(): void {}
  terminate(): void {
    this.isTerminated = true
  }
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
  }
}

function serve(ports: Partial<SocketPorts>, answer = 'answered') {
  const socket = new FakeSocket()
  const [answered, refused]: [string[], string[]] = [[], []]
  const clock = createManualClock()
  const { listen } = { listen: () => () => {} }
  serveSocket(socket as unknown as WebSocket, 1, LOCAL_CALLER, {
    endpoint: {
      answer: async (message) => {
        answered.push(message)
        return answer
      },
      refuse: (message) => {
        refused.push(message)
        return 'refused'
      },
      resolveChain: () => 1,
      sourcesOf: () => ({
        heads: { listen },
        pending: { listen },
        clock,
        forwarder: { forward: async () => null, forwardEach: async () => [] },
      }),
    },
    door: { isAllowed: async () => true, readmit: async () => true },
    clock,
    telemetry: createRecordingTelemetry(),
    heartbeatMs: 30_000,
    bodies: { enter: () => () => {} },
    unread: createUnreadBytes({ maxBytes: 64 * 1024 * 1024 }),
    work: { begin: async () => () => {} },
    ...ports,
  })
  const take = async (message: string): Promise<void> => {
    socket.emit('message', Buffer.from(message))
    await clock.settle()
  }
  return { socket, take, answered, refused, clock }
}

test('what is refused for a limit is answered under its id, unless finding the id would be work of its own', async () => {
  const full = new AppError('tenant_limit', 'Your tenant has too many.')
  const { socket, take, refused } = serve({
    bodies: {
      enter: () => {
        throw full
      },
    },
  })
  await take('small')
  expect([socket.sent, socket.closed]).toEqual([['refused'], []])
  await take('x'.repeat(300 * 1024))
  expect(refused).toEqual(['small'])
  expect(socket.closed).toEqual([[1013, full.message]])
})

test('what waits in line when its connection closes is not worked on, and holds no bytes', async () => {
  let held = 0
  const { socket, take, answered, clock } = serve({
    bodies: {
      enter: () => {
        held++
        return () => held--
      },
    },
    work: {
      begin: (_tenant, { gone }) => new Promise((resolve) => gone.addEventListener('abort', () => resolve(null))),
    },
  })
  for (let count = 0; count < 20; count++) await take(String(count))
  expect(held).toBe(20)
  socket.emit('close')
  await clock.settle()
  expect([held, answered]).toEqual([0, []])
})

test('a client that does not read its answers is not read either, until it has', async () => {
  const { socket, take } = serve({}, 'x'.repeat(600 * 1024))
  await take('one')
  expect(socket.isPaused).toBe(false)
  await take('two')
  expect(socket.isPaused).toBe(true)
  socket.reads[0]?.()
  expect(socket.isPaused).toBe(false)
})

test('a client that reads nothing is disconnected, though nothing is read from it', async () => {
  const { socket, take, clock } = serve({}, 'x'.repeat(2 * 1024 * 1024))
  await take('one')
  expect(socket.isPaused).toBe(true)
  await clock.advance(30_000)
  expect(socket.isTerminated).toBe(false)
  await clock.advance(30_000)
  expect(socket.isTerminated).toBe(true)
})

test('clients that leave too much unread together are disconnected, those with the most first', async () => {
  const unread = createUnreadBytes({ maxBytes: 1_000 })
  const [idle, first, second] = ['x'.repeat(100), 'x'.repeat(500), 'x'.repeat(450)].map((text) =>
    serve({ unread }, text),
  )
  await idle?.take('a question')
  await first?.take('a question')
  await second?.take('a question')
  expect([idle, first, second].map((one) => one?.socket.isTerminated)).toEqual([false, true, false])
})
