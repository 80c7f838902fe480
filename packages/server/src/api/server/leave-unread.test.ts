import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { leaveUnread } from './leave-unread.ts'

const MEBIBYTE = 1024 * 1024
let server: Server

afterEach(() => new Promise((resolve) => server.close(resolve)))

/** A server that refuses whatever it gets, before it reads the body. */
async function start() {
  const clock = createManualClock()
  const sockets: Socket[] = []
  server = createServer((request, response) => {
    sockets.push(request.socket)
    leaveUnread(request, response, clock)
    response.statusCode = 429
    response.end('not now')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { clock, sockets, port: (server.address() as AddressInfo).port }
}

/** Sends all of it as fast as it can, and reads what comes meanwhile. */
function send(port: number, headers: string, body: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const ended = new Promise<string>((resolve) => {
    socket.on('error', () => resolve(text))
    socket.on('end', () => resolve(text))
  })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n${body}`)
  return { socket, ended, closed }
}

test.each([
  ['announced', `content-length: ${32 * MEBIBYTE}`, 'x'.repeat(32 * MEBIBYTE)],
  [
    'of unknown length',
    'transfer-encoding: chunked',
    `${(32 * MEBIBYTE).toString(16)}\r\n${'x'.repeat(32 * MEBIBYTE)}`,
  ],
])('a large body, %s, is not read, the client gets the response, and the connection ends', async (_, headers, body) => {
  const { clock, sockets, port } = await start()
  const { ended, closed } = send(port, headers, body)
  expect(await ended).toMatch(/^HTTP\/1\.1 429 [\s\S]*connection: close[\s\S]*not now/i)
  expect(sockets[0]?.bytesRead).toBeLessThan(4 * MEBIBYTE)
  expect(sockets[0]?.destroyed).toBe(false)
  await clock.advance(1_000)
  await closed
})

test('a client that hangs up first leaves nothing behind', async () => {
  const { sockets, port } = await start()
  const { socket, ended } = send(port, `content-length: ${2 * MEBIBYTE}`, 'x')
  await ended
  socket.resetAndDestroy()
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test('a small body is read, and the connection used again', async () => {
  const { sockets, port } = await start()
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const request = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n'
  socket.write(request)
  await expect.poll(() => text).toMatch(/not now/)
  socket.write(`12345${request}12345`)
  await expect.poll(() => text).toMatch(/not now[\s\S]+not now/)
  expect(new Set(sockets).size).toBe(1)
  socket.destroy()
})
