import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { leaveUnread } from './leave-unread.ts'
import { limitPipelining } from './limit-pipelining.ts'

const MEBIBYTE = 1024 * 1024
let server: Server

afterEach(() => new Promise((resolve) => server.close(resolve)))

/** A server that refuses whatever it gets, before it reads the body: at once, or when no more of it fits into memory. */
async function start(when: 'at once' | 'when full' = 'at once') {
  const clock = createManualClock()
  const sockets: Socket[] = []
  server = createServer(async (request, response) => {
    sockets.push(request.socket)
    if (when === 'when full' && request.headers['content-length'] !== '0')
      await expect.poll(() => request.readableLength).toBeGreaterThanOrEqual(request.readableHighWaterMark)
    leaveUnread(request, response, clock)
    response.statusCode = 429
    response.end('not now')
  })
  limitPipelining(server, () => {})
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

const announced = [`content-length: ${32 * MEBIBYTE}`, 'x'.repeat(32 * MEBIBYTE)] as const
const chunked = [
  'transfer-encoding: chunked',
  `${(32 * MEBIBYTE).toString(16)}\r\n${'x'.repeat(32 * MEBIBYTE)}`,
] as const

test.each([
  ['announced', 'at once', announced],
  ['announced', 'when full', announced],
  ['of unknown length', 'at once', chunked],
  ['of unknown length', 'when full', chunked],
] as const)(
  'a large body, %s, refused %s, is not read, the client gets the response, and the connection ends',
  async (...[_, when, [headers, body]]) => {
    const { clock, sockets, port } = await start(when)
    const { ended, closed } = send(port, headers, body)
    expect(await ended).toMatch(/^HTTP\/1\.1 429 [\s\S]*connection: close[\s\S]*not now/i)
    // While the server responds to others, it would read on.
    for (let others = 0; others < 50; others++) await send(port, 'content-length: 0\r\nconnection: close', '').ended
    expect(sockets[0]?.bytesRead).toBeLessThan(MEBIBYTE)
    expect(sockets[0]?.destroyed).toBe(false)
    await clock.advance(1_000)
    await closed
  },
)

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
