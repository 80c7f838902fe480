/** Keys against real processes: two nodes, one database, and the command line that makes and revokes keys in it. */
import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const [alice, bob] = [developmentAccount(0), developmentAccount(1)]
const EVERYTHING = 'read,send,operate,admin'

let running: TestService
let chain: TestChain
let database: TestDatabase
let first: DroverProcess
let second: DroverProcess
let admin: Key

interface Key {
  readonly id: string
  readonly token: string
  readonly headers: { readonly authorization: string }
}

beforeAll(async () => {
  running = await startService({
    signers: [alice, bob],
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast' },
  })
  ;({ chain, database, drover: first } = running)
  expect((await first.get('/v1/signers')).status).toBe(200)
  admin = await createKey('--name', 'root', '--scope', EVERYTHING)
  // With a key it may listen everywhere; before, it may not.
  second = await running.startPeer({ DROVER_HOST: '0.0.0.0' })
})

afterAll(async () => {
  await second?.end('SIGKILL')
  await running?.stop()
})

async function runKeyCommand(databaseUrl: string, ...args: readonly string[]) {
  const run = launchDrover(['key', ...args], { DROVER_DATABASE_URL: databaseUrl })
  return { code: await run.exited, output: run.output() }
}

async function createKey(...args: readonly string[]): Promise<Key> {
  const { code, output } = await runKeyCommand(database.url, 'create', '--json', ...args)
  expect([code, output]).toEqual([0, expect.stringContaining('drv_')])
  return toKey(JSON.parse(output))
}

function toKey({ id, token }: { readonly id: string; readonly token: string }): Key {
  return { id, token, headers: { authorization: `Bearer ${token}` } }
}

/** Over the API, which is faster than a process for each. */
async function makeKey(grant: object): Promise<Key> {
  const made = await first.post('/v1/api-keys', { name: 'test', scopes: ['read'], ...grant }, { ...admin.headers })
  expect(made.status).toBe(201)
  return toKey(made.body)
}

const get = (node: DroverProcess, path: string, key?: Key) => node.request('GET', path, undefined, { ...key?.headers })
const post = (node: DroverProcess, path: string, body: unknown, key?: Key) => node.post(path, body, { ...key?.headers })

describe('before the first key exists', () => {
  test('a service that other machines can reach does not start, and says what to do', async () => {
    const empty = await createTestDatabase()
    const run = launchDrover(['start'], {
      DROVER_DATABASE_URL: empty.url,
      DROVER_RPC_URL: chain.rpcUrl,
      DROVER_SIGNER_KEYS: alice.privateKey,
      DROVER_PORT: '0',
      DROVER_HOST: '0.0.0.0',
    })
    expect(await run.exited).toBe(1)
    expect(run.output()).toContain('drover key create')
    expect(run.output()).not.toContain('Something is broken')
    await empty.drop()
  })

  test('a service that only this machine can reach logs that', () => {
    expect(first.output()).toContain('no API keys: only this machine can call Drover')
    expect(second.output()).not.toContain('no API keys: only this machine')
  })
})

test('creating the first key closes a running open service', async () => {
  const closed = await eventually(
    () => get(first, '/v1/signers'),
    ({ status }) => status === 401,
  )
  expect(closed.headers.get('www-authenticate')).toBe('Bearer realm="drover"')
  for (const node of [first, second]) {
    for (const path of ['/v1/signers', '/v1/api-keys', '/v1/events/stream', '/metrics'])
      expect([path, (await get(node, path)).status]).toEqual([path, 401])
    expect((await node.post('/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status).toBe(401)
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/'])
      expect([path, (await get(node, path)).status]).toEqual([path, 200])
    expect((await get(node, '/metrics', admin)).status).toBe(200)
  }
})

test('with a key the service answers under any host name, without one under none', async () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(second.url)
      httpRequest({ host: '127.0.0.1', port, path: '/v1/chains', headers: { host: 'drover.example', ...headers } })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
  expect(await ask({})).toBe(401)
  expect(await ask({ ...admin.headers })).toBe(200)
})

test('a key with scope read cannot send; a sending key is named in the history of its transactions', async () => {
  const [reader, sender] = [
    await createKey('--name', 'reader', '--scope', 'read'),
    await createKey('--name', 'sender', '--scope', 'send,read', '--expires', '1h', '--rate', '1000'),
  ]
  const intent = { from: alice.address, to: bob.address, value: '1' }
  expect(await post(second, '/v1/transactions', intent, reader)).toMatchObject({
    status: 403,
    body: { code: 'forbidden', scope: 'send' },
  })
  expect((await get(second, '/v1/transactions', reader)).body.items).toEqual([])
  const sent = await post(second, '/v1/transactions', intent, sender)
  expect(sent.status).toBe(202)
  const path = `/v1/transactions/${sent.body.id}`
  await eventually(
    async () => {
      await chain.mine(1)
      return (await get(first, path, reader)).body
    },
    ({ state }) => state === 'CONFIRMED',
  )
  const { items } = (await get(first, `${path}/history`, reader)).body
  expect(items[0]).toMatchObject({ type: 'accepted', detail: { by: `sender (${sender.id})` } })
  expect(await post(first, `${path}/cancel`, { reason: 'x' }, sender)).toMatchObject({ status: 403 })
  const used = await eventually(
    async () => (await get(first, '/v1/api-keys', admin)).body.items.find(({ id }: Key) => id === sender.id),
    ({ lastUsedAt }) => lastUsedAt !== null,
  )
  expect(used).toMatchObject({ name: 'sender', createdBy: 'command line', rate: { perSecond: 1_000, burst: 1_000 } })
})

test('a key for one signer cannot touch another, on any node', async () => {
  const theirs = await post(first, '/v1/transactions', { from: alice.address, to: bob.address }, admin)
  const key = await createKey('--name', 'bob', '--scope', EVERYTHING, '--signer', bob.address)
  const own = await post(second, '/v1/transactions', { from: bob.address, to: alice.address }, key)
  expect(own.status).toBe(202)
  for (const node of [first, second]) {
    const foreign = { from: alice.address, to: bob.address }
    expect(await post(node, '/v1/transactions', foreign, key)).toMatchObject({ status: 403 })
    for (const part of ['', '/history', '/attempts', '/confirmations', '/explain'])
      expect([part, (await get(node, `/v1/transactions/${theirs.body.id}${part}`, key)).status]).toEqual([part, 404])
    for (const [path, body] of [
      [`/v1/transactions/${theirs.body.id}/cancel`, { reason: 'x' }],
      [`/v1/signers/${alice.address}/pause`, { reason: 'x' }],
      [`/v1/signers/${alice.address}/nonces`, { ttlMs: 60_000 }],
    ] as const)
      expect([path, (await post(node, path, body, key)).status]).toEqual([path, 404])
    const listed = (await get(node, '/v1/transactions', key)).body.items
    expect(listed.map(({ id }: Key) => id)).toEqual([own.body.id])
    const signers = (await get(node, '/v1/signers', key)).body.items
    expect(signers.map(({ address }: { address: string }) => address)).toEqual([bob.address])
    const events = (await get(node, '/v1/events?limit=200', key)).body.items
    expect(events.length).toBeGreaterThan(0)
    expect(JSON.stringify(events)).not.toContain(theirs.body.id)
  }
})

test('once a revocation is answered, a busy second node refuses the key on its next request', async () => {
  for (let round = 0; round < 25; round++) {
    const key = await makeKey({ name: `round ${round}` })
    expect((await get(second, '/v1/chains', key)).status).toBe(200)
    const state = { isOver: false }
    // Reads of this key are on their way all the time, so that there is one that began before it was revoked.
    const load = Array.from({ length: 4 }, async () => {
      while (!state.isOver) await get(second, '/v1/chains', key)
    })
    expect((await first.request('DELETE', `/v1/api-keys/${key.id}`, undefined, { ...admin.headers })).status).toBe(200)
    const after = await Promise.all([get(second, '/v1/chains', key), get(second, '/metrics', key)])
    state.isOver = true
    await Promise.all(load)
    expect([round, ...after.map(({ status }) => status)]).toEqual([round, 401, 401])
    expect(after[0]?.body.detail).toBe(`API key ${key.id} was revoked.`)
  }
})

test('revoking a key ends its event stream, and no later event reaches it', async () => {
  const key = await makeKey({ name: 'follower' })
  const response = await fetch(`${second.url}/v1/events/stream?after=latest`, { headers: { ...key.headers } })
  expect(response.status).toBe(200)
  const text = response.text()
  const before = await post(first, '/v1/transactions', { from: bob.address, to: alice.address }, admin)
  await first.request('DELETE', `/v1/api-keys/${key.id}`, undefined, { ...admin.headers })
  const after = await post(first, '/v1/transactions', { from: bob.address, to: alice.address }, admin)
  expect([before.status, after.status]).toEqual([202, 202])
  expect(await text).not.toContain(after.body.id)
})

test('the audit log says who did what', async () => {
  const { body } = await get(second, '/v1/audit?limit=200', admin)
  const entries: readonly Record<string, unknown>[] = body.items
  expect(entries).toContainEqual(expect.objectContaining({ actor: 'command line', operation: 'createApiKey' }))
  expect(entries).toContainEqual(expect.objectContaining({ actor: 'root', operation: 'revokeApiKey', result: 'done' }))
  expect(entries).toContainEqual(
    expect.objectContaining({ actor: 'reader', operation: 'createTransaction', result: 'forbidden' }),
  )
})

describe('drover key', () => {
  test('every command of the guide works as written', async () => {
    const guide = await readFile(new URL('../../docs/access.md', import.meta.url), 'utf8')
    const commands = guide.split('\n').filter((line) => line.startsWith('drover key '))
    expect(commands.length).toBeGreaterThan(3)
    for (const command of commands) {
      const { code, output } = await runKeyCommand(database.url, ...command.split(' ').slice(2))
      expect([command, code]).toEqual([command, 0])
      expect(output.includes('drv_')).toBe(command.includes(' create '))
    }
  })

  test('lists for people and for programs, never with a secret', async () => {
    const [text, json] = [
      await runKeyCommand(database.url, 'list'),
      await runKeyCommand(database.url, 'list', '--json'),
    ]
    expect([text.code, json.code]).toEqual([0, 0])
    expect(text.output).toMatch(/^ID +NAME +SCOPES +STATE/)
    expect(JSON.parse(json.output).items.at(-1)).toMatchObject({ name: 'root', revokedAt: null })
    expect(text.output + json.output).not.toContain('drv_')
  })

  test.each([
    [['create', '--name', 'x'], "required option '--scope <scopes>'"],
    [['create', '--name', 'x', '--scope', 'write'], 'must be one of read, send, operate, admin'],
    [['create', '--name', 'x', '--scope', 'read', '--burst', '5'], '--burst needs --rate'],
    [['create', '--name', 'x', '--scope', 'read', '--signer', '0x1'], 'must be 0x followed by 40 hex digits'],
    [['create', '--name', 'x', '--scope', 'read', '--expires', 'soon'], 'must be a duration'],
  ])('%j is refused, and creates no key', async (args, words) => {
    const { code, output } = await runKeyCommand(database.url, ...args)
    expect([code, output]).toEqual([2, expect.stringContaining(words)])
    expect(output).not.toContain('drv_')
  })

  test('revokes even the last admin key, warns about it, and creates another', async () => {
    const { body } = await get(first, '/v1/api-keys', admin)
    const others = body.items.filter(
      ({ id, scopes, revokedAt }: { id: string; scopes: string[]; revokedAt: string | null }) =>
        id !== admin.id && revokedAt === null && scopes.includes('admin'),
    )
    for (const { id } of others) await first.request('DELETE', `/v1/api-keys/${id}`, undefined, { ...admin.headers })
    const path = `/v1/api-keys/${admin.id}`
    expect((await first.request('DELETE', path, undefined, { ...admin.headers })).status).toBe(409)
    expect((await runKeyCommand(database.url, 'revoke', admin.id)).output).toContain(
      'No key with the scope admin is left',
    )
    for (const node of [first, second]) {
      expect((await get(node, '/v1/chains', admin)).status).toBe(401)
      expect((await get(node, '/v1/chains')).status).toBe(401)
    }
    const next = await createKey('--name', 'next', '--scope', 'admin,read')
    expect((await get(second, '/v1/chains', next)).status).toBe(200)
    expect((await runKeyCommand(database.url, 'revoke', 'f'.repeat(16))).code).toBe(1)
  })
})
