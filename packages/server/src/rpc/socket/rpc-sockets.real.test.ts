import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createSystemClock } from '../../app/system-clock.ts'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import { createUnreadBytes } from '../../engine/tenants/unread-bytes.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createRpcSockets, type RpcSockets } from './rpc-sockets.ts'

let server: Server
let sockets: RpcSockets
let port: number
let identified: Promise<void> = Promise.resolve()
let answered: Promise<void> = Promise.resolve()

beforeEach(async () => {
  identified = Promise.resolve()
  answered = Promise.resolve()
  server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const body = await text(request)
    response.end(JSON.stringify({ method, url, upgrade: headers.upgrade ?? null, note: headers['x-note'], body }))
  })
  const nothing = { heads: { listen: () => () => {} }, pending: { listen: () => () => {} } }
  sockets = createRpcSockets({
    endpoint: {
      answer: async (message) => {
        await answered
        return message
      },
      refuse: () => null,
      resolveChain: () => 1,
      sourcesOf: () => ({
        ...nothing,
        forwarder: { forward: async () => null, forwardEach: async () => [] },
        clock: createSystemClock(),
        enter: () => () => {},
      }),
    },
    door: {
      isOpen: () => true,
      identify: async () => {
        await identified
        return LOCAL_CALLER
      },
      isAllowed: async () => true,
      readmit: async () => true,
    },
    clock: createSystemClock(),
    telemetry: createRecordingTelemetry(),
    maxSockets: 2,
    heartbeatMs: 50,
    store: { listen: () => () => {} },
    bodies: { enter: () => () => {} },
    unread: createUnreadBytes({ maxBytes: 64 * 1024 * 1024 }),
    work: { begin: async () => () => {}, untilRefusal: async () => true, spend: () => {}, spendWhenDue: () => null },
  })
  sockets.attach(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterEach(() => {
  sockets.close()
  server.close()
})

function open(): Socket {
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true })
}

test('a request that offers h2c is served as if it did not, with its body, and the next one on its connection too', async () => {
  const begun = once(server, 'request')
  const socket = open()
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'
  socket.write(
    `POST /v1/a?b=c HTTP/1.1\r\nHost: localhost\r\n${offer}X-Note: \xe9\r\nContent-Length: 8\r\n\r\nhalf`,
    'latin1',
  )
  // Its head was read; of its body only the half.
  await begun
  socket.write(`;all`)
  const [first] = await once(socket, 'data')
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(String(first)).toContain('{"method":"POST","url":"/v1/a?b=c","upgrade":null,"note":"é","body":"half;all"}')
  socket.write(`GET /v1/next HTTP/1.1\r\nHost: localhost\r\n${offer.replace('Upgrade,', 'close, Upgrade,')}\r\n`)
  expect(await text(socket)).toContain('"url":"/v1/next"')
  socket.end()
})

test('whoever is refused and does not hang up keeps no connection, and does not keep the server from closing', async () => {
  const socket = open()
  socket.write('GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  socket.destroy()
})

test('those who come together while keys are looked up are no more than there may be', async () => {
  let go = (): void => {}
  identified = new Promise((resolve) => {
    go = resolve
  })
  const clients = Array.from({ length: 10 }, () => new WebSocket(`ws://127.0.0.1:${port}/rpc`))
  const [opened, refused]: [WebSocket[], string[]] = [[], []]
  for (const client of clients) {
    client.on('open', () => opened.push(client))
    client.on('error', ({ message }) => refused.push(message))
  }
  await vi.waitFor(() => expect(refused).toHaveLength(8))
  go()
  await vi.waitFor(() => expect(opened).toHaveLength(2))
  expect(refused.every((message) => message.includes('503'))).toBe(true)
  for (const client of clients) client.terminate()
})

test('a connection that is read slowly because much is in progress is not closed as dead', async () => {
  let go = (): void => {}
  answered = new Promise((resolve) => {
    go = resolve
  })
  const client = new WebSocket(`ws://127.0.0.1:${port}/rpc`)
  await once(client, 'open')
  const answers: string[] = []
  client.on('message', (data) => answers.push(String(data)))
  for (let count = 0; count < 150; count++) client.send(String(count))
  for (let beats = 0; beats < 4; beats++) await once(client, 'ping')
  go()
  await vi.waitFor(() => expect(answers).toHaveLength(150))
  client.terminate()
})
