/**
 * Floods against a real service with small limits: more than the queue holds, clients that never read, bodies that are
 * too large or never end. See docs/limits.md.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { developmentAccount } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import type { DroverProcess, HttpAnswer } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { startService, type TestService } from '../setup/service.ts'

const { address: from } = developmentAccount(0)
const MAX_QUEUED = 50
const MEBIBYTE = 1024 * 1024
/** The smallest that can be set. */
const BODY_MEBIBYTES = 8
/** Returns a mebibyte of zeros: PUSH3 0x100000 PUSH1 0 RETURN. */
const LARGE = { at: `0x${'5a'.repeat(20)}`, code: '0x621000006000f3' }
const LARGE_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: LARGE.at }, 'latest'] })

let running: TestService
let drover: DroverProcess
const sockets = new Set<Socket>()

beforeAll(async () => {
  running = await startService({
    chain: { blockTimeSeconds: 1 },
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_MAX_QUEUED_PER_SIGNER: String(MAX_QUEUED),
      DROVER_MAX_BODY_MEMORY: String(BODY_MEBIBYTES),
      DROVER_EVENT_STALL_TIMEOUT: '1s',
    },
  })
  drover = running.drover
  await running.chain.rpc('anvil_setCode', [LARGE.at, LARGE.code])
})

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})

afterAll(() => running?.stop())

/** A connection by hand. It reads only if the test does. */
async function open(bytes: string | Buffer): Promise<Socket> {
  const { hostname, port } = new URL(drover.url)
  const socket = connect(Number(port), hostname)
  sockets.add(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
}

function requestOf(line: string, headers: readonly string[], body = ''): string {
  const { host } = new URL(drover.url)
  return [`${line} HTTP/1.1`, `host: ${host}`, ...headers, '', body].join('\r\n')
}

const post = (body: string) =>
  requestOf('POST /rpc', ['content-type: application/json', `content-length: ${body.length}`], body)

const UPGRADE = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
]

/** The start of a WebSocket message of this many bytes, masked with zeros. */
function frameOf(payload: string, length = payload.length): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x81
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, Buffer.from(payload)])
}

/** Only a write shows a client that does not read that it was disconnected. */
const isDisconnected = (socket: Socket, bytes = '\r\n') =>
  eventually(
    async () => {
      if (socket.writable) socket.write(bytes)
      return socket.destroyed
    },
    (destroyed) => destroyed,
    { everyMs: 5 },
  )

/** `once` would fail with the error that comes before. */
const untilClosed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

async function countEnded(kind: string): Promise<number> {
  const metrics = (await drover.get('/metrics')).body as string
  return Number(new RegExp(`drover_unread_answers_total\\{kind="${kind}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0)
}

test('more than the queue holds is refused with 429 and Retry-After, and all that was accepted is mined once [G3]', async () => {
  await drover.post(`/v1/signers/${from}/pause`, { reason: 'test' })
  const send = () => drover.post('/v1/transactions', { from, to: from, value: '1', simulate: false })
  const answers: HttpAnswer[] = []
  // A few at a time: what is being stored while the queue is counted may exceed the limit.
  for (let round = 0; round < 15; round++) answers.push(...(await Promise.all(Array.from({ length: 10 }, send))))
  const refused = answers.filter(({ status }) => status !== 202)
  for (const { status, headers, body } of refused)
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'queue_full', '1'])
  expect(answers.slice(-10).map(({ status }) => status)).toEqual(Array(10).fill(429))
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(MAX_QUEUED)
  await drover.post(`/v1/signers/${from}/resume`, { reason: 'test' })
  const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body.id as string)
  const stored = await eventually(
    () => readAll(drover),
    (all) => all.every(({ state }) => state === 'CONFIRMED'),
  )
  await expectExactlyOnce(running.chain, stored, { accepted })
})

test('WebSockets that read nothing are ended when they leave too much unread; one that reads goes on', async () => {
  const reader = new WebSocket(`${drover.url.replace('http', 'ws')}/rpc`)
  await once(reader, 'open')
  const before = await countEnded('websocket')
  for (let count = 0; count < 4; count++) {
    const socket = await open(requestOf('GET /rpc', UPGRADE))
    for (let call = 0; call < 10; call++) socket.write(frameOf(LARGE_CALL))
  }
  await eventually(
    () => countEnded('websocket'),
    (count) => count > before,
  )
  reader.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId' }))
  const [answer] = await once(reader, 'message')
  expect(JSON.parse(String(answer))).toMatchObject({ id: 7, result: expect.stringMatching(/^0x/) })
  reader.terminate()
})

test('a client that does not read its answer is disconnected', async () => {
  // One after the other on the same connection, far more than fits into the buffers on the way.
  const socket = await open(post(LARGE_CALL).repeat(12))
  await isDisconnected(socket)
})

test('a body that is too large is refused before it has arrived', async () => {
  const json = 'content-type: application/json'
  const announced = await open(requestOf('POST /v1/transactions', [json, `content-length: ${1024 * MEBIBYTE}`]))
  expect(await text(announced)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"payload_too_large"/)
  const endless = await open(requestOf('POST /v1/transactions', [json, 'transfer-encoding: chunked']))
  const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`
  // The answer may get lost: the connection ends while the rest is still being sent.
  await isDisconnected(endless, chunk)
  const metrics = (await drover.get('/metrics')).body as string
  expect(metrics).toMatch(/drover_http_requests_total\{method="POST",route="\/v1\/transactions",status="413"\} 2/)
})

test('unfinished WebSocket messages count as requests: what is too much is ended, and others are still served', async () => {
  const unfinished = 'x'.repeat(4 * MEBIBYTE - 1)
  const opened = await Promise.all(Array.from({ length: 3 }, () => open(requestOf('GET /rpc', UPGRADE))))
  for (const socket of opened) {
    socket.resume()
    socket.write(frameOf(unfinished, 4 * MEBIBYTE))
  }
  await Promise.race(opened.map(untilClosed))
  expect((await drover.get('/v1/transactions?limit=1')).status).toBe(200)
  expect((await drover.post('/rpc', LARGE_CALL)).status).toBe(200)
})
