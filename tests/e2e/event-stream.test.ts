/** The event stream of a real service: limits, clients that come back, are slow, or may not read any more, and a stop in order. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { readServerSentEvents, type SentEvent } from '../setup/server-sent-events.ts'
import { startService, type TestService } from '../setup/service.ts'

const { address: from } = developmentAccount(0)
const MAX_STREAMS = 3

let running: TestService
let database: TestDatabase
let drover: DroverProcess

beforeAll(async () => {
  running = await startService({
    chain: { blockTimeSeconds: 1 },
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_MAX_EVENT_STREAMS: String(MAX_STREAMS),
      DROVER_EVENT_HEARTBEAT: '300ms',
      DROVER_EVENT_STALL_TIMEOUT: '1s',
    },
  })
  ;({ database, drover } = running)
})

afterAll(() => running?.stop())

function open(query = '', headers: Record<string, string> = {}) {
  const controller = new AbortController()
  const response = fetch(`${drover.url}/v1/events/stream${query}`, { headers, signal: controller.signal })
  return { response, close: () => controller.abort() }
}

async function take(response: Response, count: number): Promise<SentEvent[]> {
  const taken: SentEvent[] = []
  for await (const event of readServerSentEvents(response)) {
    taken.push(event)
    if (taken.length === count) break
  }
  return taken
}

const send = async (headers: Record<string, string> = {}) =>
  (await drover.post('/v1/transactions', { from, to: from, value: '1', simulate: false }, headers)).body.id as string

const isQuiet = () =>
  eventually(
    async () => (await drover.get('/metrics')).body as string,
    (text) => /^drover_event_streams 0$/m.test(text),
  )

test('events arrive as they happen, after a cursor, with the same JSON as in a page', async () => {
  const id = await send()
  const live = await open('?after=0').response
  expect(Object.fromEntries(live.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const events = await take(live, 4)
  const { items } = (await drover.get('/v1/events?after=0&limit=4')).body
  expect(events.map(({ data }) => JSON.parse(data))).toEqual(items)
  expect(events.map(({ id: eventId, type }) => [eventId, type])).toEqual(
    items.map(({ eventId, type }: { eventId: number; type: string }) => [String(eventId), type]),
  )
  expect(items[0].transactionId).toBe(id)
  const resumed = await open('?after=0', { 'last-event-id': '2' }).response
  expect((await take(resumed, 1))[0]?.id).toBe('3')
  const filtered = await open('?after=0&types=finality.reached&completions=true').response
  expect((await take(filtered, 1))[0]?.type).toBe('finality.reached')
  await isQuiet()
})

test.each([
  ['?after=-1', {}, 'after'],
  ['?after=soon', {}, 'after'],
  ['?types=', {}, 'types'],
  ['?types=a;b', {}, 'types'],
  ['?from=me', {}, 'from'],
  ['?chainId=0', {}, 'chainId'],
  ['?limit=5', {}, 'limit'],
  ['', { 'last-event-id': 'x' }, 'last-event-id'],
])('%s %j is refused by name', async (query, headers, field) => {
  const response = await open(query, headers).response
  expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ field })])
})

test('streams beyond the limit are refused with Retry-After; HEAD does not count as one', async () => {
  const streams = Array.from({ length: MAX_STREAMS }, () => open())
  for (const { response } of streams) expect((await response).status).toBe(200)
  const refused = await open().response
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toMatchObject({ code: 'too_many_streams' })
  for (const { close } of streams) close()
  await isQuiet()
  const head = await fetch(`${drover.url}/v1/events/stream`, { method: 'HEAD' })
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET'])
})

/** Asks, and then reads nothing. */
async function openAndIgnore(): Promise<Socket> {
  const { hostname, port } = new URL(drover.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET /v1/events/stream?after=0 HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  return socket
}

test('a client that reads nothing is disconnected', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  // Far more than fits into the buffers on the way.
  await client.query(`
    with head as (update event_head set last_id = last_id + 20000 returning last_id)
    insert into tx_event (event_id, chain_id, signer, type, detail, at, last_at)
    select h.last_id - n, 1, decode(repeat('11', 20), 'hex'), 'filler', jsonb_build_object('pad', repeat('x', 1000)),
           clock_timestamp(), clock_timestamp()
      from head h, generate_series(0, 19999) n`)
  await client.end()
  const before = await stalled()
  const socket = await openAndIgnore()
  await eventually(stalled, (count) => count === before + 1)
  socket.destroy()
  await isQuiet()
})

async function stalled(): Promise<number> {
  const text = (await drover.get('/metrics')).body as string
  return Number(/drover_event_streams_total\{result="stalled"\} (\d+)/.exec(text)?.[1] ?? 0)
}

test('a shutdown ends streams cleanly without waiting for them; they resume at another node', async () => {
  const other = await running.startPeer()
  const live = await fetch(`${other.url}/v1/events/stream?after=latest`)
  const taking = take(live, Number.POSITIVE_INFINITY)
  await send()
  await eventually(
    async () => (await other.get('/metrics')).body as string,
    (text) => /^drover_event_streams 1$/m.test(text),
  )
  expect(await other.end('SIGTERM')).toBe(0)
  const seen = await taking
  const last = seen.at(-1)?.id ?? (await drover.get('/v1/events?after=20000&limit=1')).body.items[0].eventId - 1
  const resumed = await open('', { 'last-event-id': String(last) }).response
  const [next] = await take(resumed, 1)
  expect(Number(next?.id)).toBe(Number(last) + 1)
})

test('a key that is revoked loses its streams', async () => {
  const admin = await createFirstKey(database.url, { name: 'root', scopes: ['admin', 'read', 'send'] })
  const auth = (token: string) => ({ authorization: `Bearer ${token}` })
  const reader = (await drover.post('/v1/api-keys', { name: 'reader', scopes: ['read'] }, auth(admin.token))).body
  expect((await open('').response).status).toBe(401)
  const live = await open('?after=latest', auth(reader.token)).response
  expect(live.status).toBe(200)
  const taking = take(live, Number.POSITIVE_INFINITY)
  await drover.request('DELETE', `/v1/api-keys/${reader.id}`, undefined, auth(admin.token))
  // Ends by itself.
  await taking
  expect((await open('', auth(reader.token)).response).status).toBe(401)
})
