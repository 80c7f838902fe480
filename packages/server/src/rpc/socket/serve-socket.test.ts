import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { createUnreadBytes, type UnreadBytes } from '../../engine/tenants/unread-bytes.ts'
import { NO_TURNS } from '../../testing/api/create-test-api.ts'
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

type Message = Parameters<SocketPorts['endpoint']['answer']>

function serve(ports: Partial<SocketPorts>, answer = 'answered', onMessage?: (...message: Message) => Promise<void>) {
  const socket = new FakeSocket()
  const pending = new Set<(hash: unknown) => void>()
  const [answered, refused]: [string[], string[]] = [[], []]
  const clock = createManualClock()
  const { listen } = { listen: () => () => {} }
  serveSocket(socket as unknown as WebSocket, 1, LOCAL_CALLER, {
    endpoint: {
      answer: async (message, request) => {
        answered.push(message)
        await onMessage?.(message, request)
        return answer
      },
      refuse: (message) => {
        refused.push(message)
        return 'refused'
      },
      resolveChain: () => 1,
      sourcesOf: () => ({
        heads: { listen },
        pending: {
          listen: (listener) => {
            pending.add(listener)
            return () => pending.delete(listener)
          },
        },
        clock,
        forwarder: { forward: async () => null, forwardEach: async () => [] },
        enter: () => () => {},
      }),
    },
    door: { isAllowed: async () => true, readmit: async () => true },
    clock,
    telemetry: createRecordingTelemetry(),
    heartbeatMs: 30_000,
    bodies: { enter: () => () => {} },
    unread: createUnreadBytes({ maxBytes: 64 * 1024 * 1024 }),
    work: NO_TURNS,
    ...ports,
  })
  const take = async (message: string): Promise<void> => {
    socket.emit('message', Buffer.from(message))
    await clock.settle()
  }
  const tell = (...hashes: readonly string[]): void => {
    for (const hash of hashes) for (const listener of [...pending]) listener(hash)
  }
  return { socket, take, answered, refused, clock, tell }
}

/** With a subscription, and a door that answers as it is told. */
async function subscribe(isAllowed: () => Promise<boolean>) {
  let unreadBytes = () => 0
  const unread: UnreadBytes = {
    open: (tenant, end) => {
      const connection = createUnreadBytes({ maxBytes: 1_000_000 }).open(tenant, end)
      unreadBytes = connection.bytes
      return connection
    },
  }
  const door = { isAllowed, readmit: async () => true }
  const served = serve({ door, unread }, 'subscribed', async (_, { own }) => {
    await own?.get('eth_subscribe')?.(['newPendingTransactions'], LOCAL_CALLER)
  })
  await served.take('eth_subscribe')
  const pushed = () => served.socket.sent.slice(1).map((text) => JSON.parse(text).params.result)
  return { ...served, pushed, unreadBytes }
}

test('nothing is pushed to a key that is no longer allowed: its connection is closed first', async () => {
  let isAllowed = true
  const { socket, tell, clock, pushed } = await subscribe(async () => isAllowed)
  tell('0x01', '0x02')
  await clock.settle()
  expect(pushed()).toEqual(['0x01', '0x02'])
  isAllowed = false
  tell('0x03', '0x04')
  await clock.settle()
  tell('0x05')
  await clock.settle()
  expect(pushed()).toEqual(['0x01', '0x02'])
  expect(socket.closed).toEqual([[1008, 'the API key is no longer valid']])
})

test('what is pushed while a key is being read comes in order, after one more look', async () => {
  const looks: ((isAllowed: boolean) => void)[] = []
  const { tell, clock, pushed } = await subscribe(() => new Promise((resolve) => looks.push(resolve)))
  tell('0x01')
  tell('0x02')
  expect(looks).toHaveLength(1)
  looks[0]?.(true)
  await clock.settle()
  expect(pushed()).toEqual(['0x01'])
  looks[1]?.(true)
  await clock.settle()
  expect(pushed()).toEqual(['0x01', '0x02'])
})

test('while keys cannot be read, pushes are held back and count as unread; then they are sent', async () => {
  let isAway = true
  const { socket, tell, clock, pushed, unreadBytes } = await subscribe(async () => {
    if (isAway) throw new AppError('database_unavailable', 'away')
    return true
  })
  const before = unreadBytes()
  tell('0x01')
  await clock.settle()
  expect([pushed(), socket.closed]).toEqual([[], []])
  expect(unreadBytes()).toBeGreaterThan(before)
  isAway = false
  await clock.advance(500)
  expect(pushed()).toEqual(['0x01'])
  for (const read of socket.reads) read()
  expect(unreadBytes()).toBe(0)
})

test('pushes that are held back when the connection ends are forgotten', async () => {
  const { socket, tell, clock, pushed, unreadBytes } = await subscribe(() => new Promise(() => {}))
  tell('0x01')
  socket.emit('close')
  await clock.advance(10_000)
  expect([pushed(), unreadBytes()]).toEqual([[], 0])
})

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
      ...NO_TURNS,
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

test('a refusal is sent in its turn, and until then nothing more is worked on', async () => {
  const refuse = async (): Promise<never> => {
    throw new AppError('tenant_limit', 'Your tenant has too many.')
  }
  const releases: ((isSent: boolean) => void)[] = []
  const untilRefusal = () => new Promise<boolean>((resolve) => void releases.push(resolve))
  const { socket, take, clock } = serve({ work: { ...NO_TURNS, begin: refuse, untilRefusal } })
  for (let count = 0; count < 300; count++) await take(String(count))
  expect([socket.sent.length, releases.length, socket.isPaused]).toEqual([0, 1, true])
  for (const release of releases.splice(0)) release(true)
  await clock.settle()
  expect([socket.sent.length, releases.length, socket.isPaused]).toEqual([1, 100, true])
})

test('what arrives while enough is in progress waits, in order; a client that sends thousands at once is disconnected', async () => {
  const ends: (() => void)[] = []
  const { socket, take, answered, clock } = serve(
    {},
    'answered',
    () => new Promise((resolve) => void ends.push(resolve)),
  )
  for (let count = 0; count < 2_100; count++) await take(String(count))
  expect([answered.length, socket.isPaused, socket.closed]).toEqual([100, true, []])
  while (answered.length < 2_100) {
    for (const end of ends.splice(0)) end()
    await clock.settle()
  }
  expect(answered).toEqual(Array.from({ length: 2_100 }, (_, index) => String(index)))
  for (const end of ends.splice(0)) end()
  await clock.settle()
  expect(socket.isPaused).toBe(false)
  for (let count = 0; count < 2_101; count++) await take(String(count))
  expect(socket.closed).toMatchObject([[1013, expect.stringMatching(/too many/)]])
  await clock.advance(1_000)
  expect(socket.isTerminated).toBe(true)
})

test('a tenant that has used its share waits for what its subscriptions have to tell', async () => {
  let goOn = (): void => {}
  const due = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const spendWhenDue = (_tenant: unknown, ms: number) => (ms > 0 ? due : null)
  const { socket, take, tell, clock } = serve(
    { work: { ...NO_TURNS, spendWhenDue } },
    'subscribed',
    async (_, { own }) => void (await own?.get('eth_subscribe')?.(['newPendingTransactions'], LOCAL_CALLER)),
  )
  await take('eth_subscribe')
  tell('0x01', '0x02')
  await clock.settle()
  expect(socket.sent).toEqual(['subscribed'])
  goOn()
  await clock.settle()
  expect(socket.sent).toHaveLength(3)
})
