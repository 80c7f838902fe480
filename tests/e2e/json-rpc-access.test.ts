/** Keys at the JSON-RPC endpoint: what each may do, over HTTP and over a WebSocket, and what a revoked one may not. */
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { createFirstKey } from '../setup/first-key.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

interface Key {
  readonly id: string
  readonly token: string
}

let service: JsonRpcService
let admin: Key
let reader: Key
let sender: Key

beforeAll(async () => {
  service = await startJsonRpcService()
  admin = await createFirstKey(service.databaseUrl, { name: 'admin', scopes: ['admin', 'read', 'send'] })
  reader = await createKey({ name: 'reader', scopes: ['read'] }, admin)
  sender = await createKey({ name: 'sender', scopes: ['read', 'send'], signers: [service.fast.address] }, admin)
})

afterAll(() => service.close())

function bearer(key: Key): Record<string, string> {
  return { authorization: `Bearer ${key.token}` }
}

async function createKey(body: object, by: Key): Promise<Key> {
  const answer = await service.drover.post('/v1/api-keys', body, bearer(by))
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

async function call(key: Key, method: string, ...params: readonly unknown[]) {
  return service.call({ jsonrpc: '2.0', id: 1, method, params }, bearer(key))
}

function transfer(from: string): object {
  return { from, to: service.stranger.address, value: '0x1' }
}

test('nothing is answered without a key', async () => {
  const answer = await service.drover.post('/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  const socket = new WebSocket(service.socketUrl)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(401)
  expect(response.headers['www-authenticate']).toContain('Bearer')
  response.destroy()
})

test('a key with scope read can read, but not send', async () => {
  expect((await call(reader, 'eth_chainId')).result).toBe('0x7a69')
  expect((await call(reader, 'eth_blockNumber')).result).toMatch(/^0x/)
  expect((await call(reader, 'eth_sendTransaction', transfer(service.fast.address))).error).toMatchObject({
    code: 4100,
  })
  expect((await call(reader, 'eth_sendRawTransaction', '0x00')).error).toMatchObject({ code: 4100 })
})

test('a key limited to one signer sees only that signer and sends only from it', async () => {
  expect((await call(sender, 'eth_accounts')).result).toEqual([service.fast.address.toLowerCase()])
  const { result: hash } = await call(sender, 'eth_sendTransaction', transfer(service.fast.address))
  expect(hash).toMatch(/^0x/)
  const refused = await call(sender, 'eth_sendTransaction', transfer(service.stable.address))
  expect(refused.error).toMatchObject({ code: 4100, message: expect.stringContaining('may not use') })
  const audit = await service.drover.request('GET', '/v1/audit', undefined, bearer(admin))
  expect(audit.body.items).toContainEqual(
    expect.objectContaining({ operation: 'eth_sendTransaction', target: '/rpc/31337', result: 'forbidden' }),
  )
  const found = await service.drover.request('GET', `/v1/transactions?hash=${hash}`, undefined, bearer(admin))
  const history = await service.drover.request(
    'GET',
    `/v1/transactions/${found.body.items[0].id}/history`,
    undefined,
    bearer(admin),
  )
  expect(JSON.stringify(history.body.items[0])).toContain(sender.id)
})

test('a revoked key is refused at once, also on an open connection', async () => {
  const socket = new WebSocket(service.socketUrl, { headers: bearer(reader) })
  await once(socket, 'open')
  const ask = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  socket.send(ask)
  const [data] = await once(socket, 'message')
  expect(JSON.parse(String(data))).toMatchObject({ result: '0x7a69' })
  // It may end before the answer is here.
  const closed = once(socket, 'close')
  const revoked = await service.drover.request('DELETE', `/v1/api-keys/${reader.id}`, undefined, bearer(admin))
  expect(revoked.status).toBe(200)
  const [code] = await closed
  expect(code).toBe(1008)
  const answer = await service.drover.post('/rpc', JSON.parse(ask), bearer(reader))
  expect(answer.status).toBe(401)
})

test('a call that waits for its nonce ends with its key', async () => {
  const key = await createKey({ name: 'early', scopes: ['read', 'send'] }, admin)
  const count = Number((await call(admin, 'eth_getTransactionCount', service.fast.address, 'pending')).result)
  const early = { ...transfer(service.fast.address), nonce: `0x${(count + 1).toString(16)}` }
  const held = call(key, 'eth_sendTransaction', early)
  await service.drover.request('DELETE', `/v1/api-keys/${key.id}`, undefined, bearer(admin))
  expect((await call(admin, 'eth_sendTransaction', transfer(service.fast.address))).result).toMatch(/^0x/)
  expect((await held).error).toMatchObject({ code: 4100, message: 'Your API key was revoked or has expired.' })
})

test('an answer in place of a hash says of another tenant only that it reserved the nonce', async () => {
  const { drover, stable, databaseUrl, close } = await startJsonRpcService({ env: { DROVER_RPC_HOLD_TIMEOUT: '1s' } })
  try {
    const operator = await createFirstKey(databaseUrl, {
      name: 'operator',
      scopes: ['operate', 'read', 'send', 'admin'],
    })
    const make = async (name: string): Promise<Key> =>
      (await drover.post('/v1/api-keys', { name, scopes: ['read', 'send'] }, bearer(operator))).body
    const [ann, bob] = [await make('ann'), await make('bob-prod')]
    const reserved = await drover.post(`/v1/signers/${stable.address}/nonces`, { count: 1 }, bearer(bob))
    expect(reserved.status).toBe(201)
    const ask = async (key: Key) => {
      const params = [{ from: stable.address, to: stable.address, value: '0x1' }]
      return (await drover.post('/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params }, bearer(key)))
        .body
    }
    const [hers, theirs] = [await ask(ann), await ask(operator)]
    expect(hers.error).toMatchObject({ code: -32002, data: { cause: 'blocked_by_reservation' } })
    expect(JSON.stringify(hers)).not.toContain('bob-prod')
    expect(JSON.stringify(theirs)).toContain('bob-prod')
  } finally {
    await close()
  }
})

/** As if the notice were lost: nothing is notified. */
async function changeSilently(key: Key, change: string): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  await client.query(`update api_key set ${change} where key_id = $1`, [key.id])
  await client.end()
}

test.each([
  ['was revoked, and the notice of its revocation was lost', "revoked_at = clock_timestamp(), revoked_by = 'test'"],
  ['has expired', 'expires_at = clock_timestamp()'],
])('a subscription ends with the next block once its key %s', async (_, change) => {
  const key = await createKey({ name: 'subscriber', scopes: ['read'] }, admin)
  const socket = new WebSocket(service.socketUrl, { headers: bearer(key) })
  await once(socket, 'open')
  let heads = 0
  socket.on('message', () => heads++)
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  await once(socket, 'message')
  await once(socket, 'message')
  const closed = once(socket, 'close')
  await changeSilently(key, change)
  const before = heads
  const [code] = await closed
  expect(code).toBe(1008)
  // What was read of a key is trusted for half a second. The next heartbeat would be 30 blocks away.
  expect(heads - before).toBeLessThan(5)
})

test('rate limits apply to WebSockets too: per message, with the id of the call in the error', async () => {
  const slow = await createKey({ name: 'slow', scopes: ['read'], rate: { perSecond: 1, burst: 3 } }, admin)
  const socket = new WebSocket(service.socketUrl, { headers: bearer(slow) })
  await once(socket, 'open')
  const answers: { id: number; error?: { code: number } }[] = []
  const all = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      if (answers.push(JSON.parse(String(data))) === 20) resolve()
    })
  })
  for (let id = 1; id <= 20; id++) socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
  await all
  socket.terminate()
  const refused = answers.filter(({ error }) => error !== undefined)
  expect(refused.length).toBeGreaterThan(10)
  expect(refused.every(({ error }) => error?.code === -32005)).toBe(true)
  expect(new Set(answers.map(({ id }) => id)).size).toBe(20)
})

test('a shutdown closes connections and answers waiting calls', async () => {
  const socket = new WebSocket(service.socketUrl, { headers: bearer(sender) })
  await once(socket, 'open')
  const closed = once(socket, 'close')
  expect(await service.drover.end('SIGTERM')).toBe(0)
  expect((await closed)[0]).toBe(1001)
})
