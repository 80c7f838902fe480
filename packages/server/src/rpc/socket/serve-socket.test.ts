import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { type SocketPorts, serveSocket } from './serve-socket.ts'

class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  isPaused = false
  readonly sent: string[] = []
  readonly closed: unknown[] = []
  send(text: string): void {
    this.sent.push(text)
  }
  close(...why: unknown[]): void {
    this.closed.push(why)
  }
  pause(): void {}
  resume(): void {}
}

function serve(ports: Partial<SocketPorts>) {
  const socket = new FakeSocket()
  const [answered, refused]: [string[], string[]] = [[], []]
  const clock = createManualClock()
  const { listen } = { listen: () => () => {} }
  serveSocket(socket as unknown as WebSocket, 1, LOCAL_CALLER, {
    endpoint: {
      answer: async (message) => {
        answered.push(message)
        return 'answered'
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
      begin: (_tenant, { gone }) =>
        new Promise((resolve) => gone.addEventListener('abort', () => resolve(null), { once: true })),
    },
  })
  for (let count = 0; count < 20; count++) await take(String(count))
  expect(held).toBe(20)
  socket.emit('close')
  await clock.settle()
  expect([held, answered]).toEqual([0, []])
})
