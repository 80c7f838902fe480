/** Tenants against real processes: who may start, who may call, and what one can take from another. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, launchDrover, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'

const [alice, bob] = [developmentAccount(0), developmentAccount(1)]

let chain: TestChain
let database: TestDatabase
let first: DroverProcess
let second: DroverProcess
let admin: Key

interface Key {
  readonly id: string
  readonly headers: { readonly authorization: string }
}

beforeAll(async () => {
  chain = await startTestChain()
  database = await createTestDatabase()
  const env = { DROVER_FINALITY: '1', DROVER_RPC_MAX_SOCKETS: '8', DROVER_MAX_QUEUED_PER_SIGNER: '20' }
  const options = { databaseUrl: database.url, rpcUrl: chain.rpcUrl, signerKeys: [alice.privateKey], env }
  admin = await createFirstKey()
  ;[first, second] = await Promise.all([startDrover(options), startDrover(options)])
})

afterAll(async () => {
  await Promise.all([first?.end('SIGKILL'), second?.end('SIGKILL')])
  await database?.drop()
  await chain?.stop()
})

async function createFirstKey(): Promise<Key> {
  const scopes = 'read,send,operate,admin'
  const run = launchDrover(['key', 'create', '--json', '--name', 'root', '--tenant', 'ops', '--scope', scopes], {
    DROVER_DATABASE_URL: database.url,
  })
  expect([await run.exited, run.output()]).toEqual([0, expect.stringContaining('"tenant":"ops"')])
  return toKey(JSON.parse(run.output()))
}

function toKey({ id, token }: { readonly id: string; readonly token: string }): Key {
  return { id, headers: { authorization: `Bearer ${token}` } }
}

async function makeKey(grant: object): Promise<Key> {
  const wanted = { scopes: ['read', 'send'], ...grant }
  const made = await first.post('/v1/api-keys', wanted, { ...admin.headers })
  expect(made.status).toBe(201)
  return toKey(made.body)
}

const send = (node: DroverProcess, key: Key, more: object = {}) =>
  node.post('/v1/transactions', { from: alice.address, to: bob.address, ...more }, { ...key.headers })

function openSocket(node: DroverProcess, headers: Record<string, string>): WebSocket {
  return new WebSocket(`${node.url.replace('http', 'ws')}/rpc`, { headers })
}

/** The status that an upgrade was refused with. */
async function refusalOf(socket: WebSocket): Promise<number | undefined> {
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  response.resume()
  return response.statusCode
}

describe('a service without keys', () => {
  let empty: TestDatabase
  const envOf = () => ({
    DROVER_DATABASE_URL: empty.url,
    DROVER_RPC_URL: chain.rpcUrl,
    DROVER_SIGNER_KEYS: bob.privateKey,
    DROVER_PORT: '0',
  })

  beforeAll(async () => {
    empty = await createTestDatabase()
  })
  afterAll(() => empty.drop())

  test('does not start unless told to, and names both ways out', async () => {
    const run = launchDrover(['start'], envOf())
    expect(await run.exited).toBe(1)
    expect(run.output()).toContain('drover key create')
    expect(run.output()).toContain('--open')
    expect(run.output()).not.toContain('Something is broken')
  })

  test('that is open lets no caller create the first key, and refuses proxied requests', async () => {
    const run = launchDrover(['start', '--open'], envOf())
    const { url } = JSON.parse(await run.lineWhere((line) => line.includes('Drover is ready')))
    const call = (path: string, init: RequestInit = {}) => fetch(url + path, init)
    const json = { 'content-type': 'application/json' }
    const wanted = { method: 'POST', headers: json, body: '{"name":"mine","scopes":["admin"]}' }
    const refused = await call('/v1/api-keys', wanted)
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { detail: expect.stringContaining('drover key create') },
    ])
    expect((await call('/v1/signers')).status).toBe(200)
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect([name, (await call('/v1/signers', { headers: { [name]: '1.2.3.4' } })).status]).toEqual([name, 421])
    const node = { url } as DroverProcess
    expect(await refusalOf(openSocket(node, { 'x-forwarded-for': '1.2.3.4' }))).toBe(421)
    run.child.kill('SIGKILL')
    await run.exited
  })
})

test('a retry with a new key of the same tenant is the same request on any node; other tenants do not see it [G12]', async () => {
  const [old, next] = [
    await makeKey({ name: 'shop 1', tenant: 'shop' }),
    await makeKey({ name: 'shop 2', tenant: 'shop' }),
  ]
  const other = await makeKey({ name: 'other' })
  const made = await send(first, old, { requestId: 'order-1', value: '1' })
  await first.request('DELETE', `/v1/api-keys/${old.id}`, undefined, { ...admin.headers })
  const again = await send(second, next, { requestId: 'order-1', value: '1' })
  expect([made.status, again.status, again.body.id]).toEqual([202, 200, made.body.id])
  const theirs = await send(second, other, { requestId: 'order-1', value: '2' })
  expect(theirs.status).toBe(202)
})

test('a WebSocket ends with its key, whichever node revoked it', async () => {
  const key = await makeKey({ name: 'socket' })
  const [gone, kept] = [openSocket(second, key.headers), openSocket(second, admin.headers)]
  await Promise.all([once(gone, 'open'), once(kept, 'open')])
  const closed = once(gone, 'close')
  await first.request('DELETE', `/v1/api-keys/${key.id}`, undefined, { ...admin.headers })
  const [code] = await closed
  expect([code, kept.readyState]).toEqual([1008, WebSocket.OPEN])
  kept.terminate()
  await once(kept, 'close')
})

test('one tenant gets half of the WebSockets, under however many keys [G12]', async () => {
  const keys = [await makeKey({ name: 'many 1', tenant: 'many' }), await makeKey({ name: 'many 2', tenant: 'many' })]
  const sockets = [0, 1, 0, 1].map((index) => openSocket(first, { ...keys[index]?.headers }))
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  expect(await refusalOf(openSocket(first, { ...keys[0]?.headers }))).toBe(429)
  const other = openSocket(first, admin.headers)
  await once(other, 'open')
  for (const socket of [...sockets, other]) socket.terminate()
})

test('one tenant fills half of the queue of a signer, and another still finds room [G12]', async () => {
  await first.post(`/v1/signers/${alice.address}/pause`, { reason: 'test' }, { ...admin.headers })
  const [greedy, modest] = [await makeKey({ name: 'greedy' }), await makeKey({ name: 'modest' })]
  const items = Array.from({ length: 12 }, () => ({ from: alice.address, to: bob.address }))
  const batch = await first.post('/v1/transactions/batch', { transactions: items }, { ...greedy.headers })
  const statuses: readonly number[] = batch.body.results.map(({ status }: { status: number }) => status)
  expect(statuses.filter((status) => status === 202)).toHaveLength(10)
  const refused = await send(first, greedy)
  expect(refused).toMatchObject({ status: 429, body: { code: 'tenant_limit', limit: 10 } })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect((await send(first, modest)).status).toBe(202)
})

describe('timers at a popular contract', () => {
  const POPULAR = `0x${'a0'.repeat(20)}`
  const watch = {
    type: 'watch',
    contract: POPULAR,
    event: 'Transfer(address indexed from, address indexed to, uint256 value)',
  }
  const interval = { type: 'interval', blocks: 1_000 }
  const create = (node: DroverProcess, key: Key, body: object) =>
    node.post('/v1/timers', { from: alice.address, to: bob.address, gasLimit: '50000', ...body }, { ...key.headers })
  /** Half of them to each node, all at once. */
  const createMany = (key: Key, count: number, body: object) =>
    Promise.all(Array.from({ length: count }, (_, n) => create(n % 2 === 0 ? first : second, key, body)))
  const idsOf = (answers: Awaited<ReturnType<typeof createMany>>): readonly string[] =>
    answers.flatMap(({ status, body }) => (status === 201 ? [body.id] : []))

  beforeAll(async () => {
    // A quarter of these is 3, and of half of those 2.
    const params = { maxWatchersPerPrefix: 12, maxTimersPerTarget: 16 }
    const changed = await first.request('PATCH', '/v1/timers/params', params, { ...admin.headers })
    expect(changed).toMatchObject({ status: 200, body: { params } })
    await chain.mine(changed.body.fromHeight - (await chain.blockNumber()))
    // Commands are answered at the last block that the node has seen.
    for (const node of [first, second]) {
      const readHead = async () => {
        const { body } = await node.request('GET', '/v1/chains', undefined, { ...admin.headers })
        return body.items[0].head.number as number
      }
      await eventually(readHead, (head) => head >= changed.body.fromHeight)
    }
  })

  test('one tenant watches with a quarter of the places, however many it asks for at once, and another finds room [G12]', async () => {
    const [greedy, modest] = [await makeKey({ name: 'watcher 1' }), await makeKey({ name: 'watcher 2' })]
    const targets = Array.from({ length: 12 }, (_, n) => `0x${(0xb000 + n).toString(16).padStart(40, '0')}`)
    const answers = (await Promise.all(targets.map((to) => createMany(greedy, 1, { to, schedule: watch })))).flat()
    const made = idsOf(answers)
    expect(made).toHaveLength(3)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: {
        ...{ code: 'timer_limit', field: 'schedule', bound: 'maxWatchersPerPrefix', limit: 3 },
        detail: expect.stringMatching(/share of 12 places .* Cancel one of them, .* raise timerShare\./),
      },
    })
    expect(idsOf(await createMany(modest, 2, { schedule: watch }))).toHaveLength(2)
    await first.request('DELETE', `/v1/timers/${made[0]}`, undefined, { ...greedy.headers })
    expect(idsOf(await createMany(greedy, 4, { to: targets[0], schedule: watch }))).toHaveLength(1)
  })

  test('one tenant calls a contract with a quarter of the places; a paused timer gives its place up [G12]', async () => {
    const [greedy, modest] = [await makeKey({ name: 'caller 1' }), await makeKey({ name: 'caller 2' })]
    const body = { to: POPULAR, schedule: interval }
    const answers = await createMany(greedy, 12, body)
    const [paused = '', ...rest] = idsOf(answers)
    expect(rest).toHaveLength(1)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { code: 'timer_limit', field: 'to', bound: 'maxTimersPerTarget', limit: 2 },
    })
    expect(idsOf(await createMany(modest, 2, body))).toHaveLength(2)
    const act = (action: string) =>
      first.request('POST', `/v1/timers/${paused}/${action}`, undefined, { ...greedy.headers })
    expect((await act('pause')).status).toBe(200)
    expect(idsOf(await createMany(greedy, 2, body))).toHaveLength(1)
    expect(await act('resume')).toMatchObject({ status: 409, body: { code: 'timer_limit', field: 'to' } })
  })

  test('a timer keeps its place when its schedule changes, and takes one for another key only if there is room', async () => {
    const key = await makeKey({ name: 'mover' })
    const other = { type: 'watch', contract: `0x${'a1'.repeat(20)}` }
    const full = idsOf(await createMany(key, 3, { schedule: other }))
    expect(full).toHaveLength(2)
    const more = await create(first, key, { to: POPULAR, schedule: other })
    expect(more.status).toBe(201)
    const patch = (id: string, schedule: object) =>
      first.request('PATCH', `/v1/timers/${id}`, { schedule }, { ...key.headers })
    expect((await patch(more.body.id, other)).status).toBe(200)
    const moved = await create(second, key, { to: `0x${'b1'.repeat(20)}`, schedule: interval })
    expect(await patch(moved.body.id, other)).toMatchObject({ status: 409, body: { field: 'schedule' } })
    expect((await patch(more.body.id, interval)).status).toBe(200)
    expect((await patch(moved.body.id, other)).status).toBe(200)
  })
})

test('calls of a JSON-RPC batch count against the rate like single ones', async () => {
  const key = await makeKey({ name: 'slow', rate: { perSecond: 1, burst: 50 } })
  const call = (count: number) =>
    first.post(
      '/rpc',
      Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_blockNumber' })),
      { ...key.headers },
    )
  expect((await call(40)).body[0]).toHaveProperty('result')
  // Ten are left, and a busy machine may have got some more by now.
  expect((await call(30)).body[0]).toMatchObject({ error: { code: -32005 } })
  const singles = await Promise.all(Array.from({ length: 60 }, () => call(1)))
  expect(singles.map(({ status }) => status)).toContain(429)
})

test('40 requests at once with 7 MB of unknown fields get short answers and use bounded memory', async () => {
  const key = await makeKey({ name: 'flood' })
  const fields = Array.from({ length: 500_000 }, (_, index) => `"k${index}":${index}`).join(',')
  const body = Buffer.from(`{"transactions":[{${fields}}]}`)
  expect(body.length).toBeGreaterThan(7_000_000)
  const headers = { ...key.headers, 'content-type': 'application/json' }
  const post = async () => {
    const reply = await fetch(`${second.url}/v1/transactions/batch`, { method: 'POST', headers, body })
    return { status: reply.status, length: (await reply.text()).length }
  }
  const answers = await Promise.allSettled(Array.from({ length: 40 }, post))
  for (const answer of answers) {
    // A connection may be ended before all of a refused body was sent.
    if (answer.status === 'rejected') continue
    // 408: a slow machine did not read all of it within the time for a request to arrive.
    // 413: too many fields.
    expect([408, 413, 429, 503]).toContain(answer.value.status)
    expect(answer.value.length).toBeLessThan(10_000)
  }
  expect((await second.request('GET', '/v1/signers', undefined, { ...admin.headers })).status).toBe(200)
  const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${second.pid}/status`, 'utf8'))?.[1]
  expect(Number(peak) / 1024).toBeLessThan(1_200)
})

test('whoever offers another protocol behind other requests loses the connection, and the node goes on', async () => {
  const { hostname, port } = new URL(first.url)
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  for (let times = 0; times < 3; times++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(get('/openapi.json') + get('/healthz', offer) + get('/healthz'))
    await once(socket.resume(), 'close')
  }
  expect((await fetch(new URL('/healthz', first.url))).status).toBe(200)
})
