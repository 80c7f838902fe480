/** Planted secrets, and everything that can go wrong around them: whatever the service prints, answers and stores, none of them is in it. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestChain } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import { type DroverProcess, launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { rpcError } from '../setup/rpc-reactions.ts'
import { startService } from '../setup/service.ts'

const token = () => randomBytes(20).toString('base64url')
const key = `0x${randomBytes(32).toString('hex')}` as const
const sender = privateKeyToAddress(key)
const planted = { path: token(), query: token(), user: token(), password: token(), hook: token(), hookSecret: token() }

/** API keys, once there are some. */
const tokens = new Map<string, string>()

/** Texts, and where each was seen. */
const seen = new Map<string, string>()
let chain: TestChain
let database: TestDatabase
let proxy: RpcProxy
let drover: DroverProcess
let stop: () => Promise<void>

beforeAll(async () => {
  const started = await startService({
    signers: [{ privateKey: key }],
    rpcUrl: async (node) => {
      proxy = await startRpcProxy(node.rpcUrl)
      await node.setBalance(sender, 10n ** 20n)
      return withSecrets(proxy.url)
    },
    env: {
      DROVER_LOG_LEVEL: 'debug',
      DROVER_FINALITY: '1',
      DROVER_STUCK_AFTER: '1s',
      DROVER_RESUBMIT_INTERVAL: '1s',
      DROVER_STUCK_REVIEW_INTERVAL: '1s',
      DROVER_STUCK_HOOK: `http://127.0.0.1:9/${planted.hook}`,
      DROVER_STUCK_HOOK_SECRET: planted.hookSecret,
    },
  })
  ;({ chain, database, drover, stop } = started)
})

afterAll(async () => {
  await stop?.()
  await proxy?.stop()
})

function withSecrets(address: string): string {
  const url = new URL(`/v3/${planted.path}?apikey=${planted.query}`, address)
  url.username = planted.user
  url.password = planted.password
  return url.href
}

/** A node, or the gateway before it, that repeats in its error whatever it was called with. */
function echoing(words: string) {
  return rpcError(-32000, `${words}: ${withSecrets(proxy.url)} (key ${planted.path}, ${planted.query})`, {
    reason: withSecrets(proxy.url),
  })
}

/** With the words by which the place shows that it was there to be looked at. */
async function look(path: string, ...words: readonly string[]): Promise<void> {
  const answer = await drover.get(path)
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  for (const word of words) expect(text, path).toContain(word)
  seen.set(`${path} (${answer.status})`, text + JSON.stringify([...answer.headers]))
}

async function lookAround(id: string): Promise<void> {
  const own = ['', '/explain', '/history', '/attempts', '/confirmations'].map((part) => `/v1/transactions/${id}${part}`)
  const others = [
    '/readyz',
    '/metrics',
    '/v1/events?after=0',
    '/v1/signers',
    '/v1/chains',
    '/v1/nodes',
    '/openapi.json',
  ]
  for (const path of [...own, ...others]) await look(path)
}

async function post(body: unknown) {
  const answer = await drover.post('/v1/transactions', body)
  seen.set(`POST ${JSON.stringify(body)}`, JSON.stringify(answer.body))
  return answer
}

const read = async (id: string) => (await drover.get(`/v1/transactions/${id}`)).body

/** Nobody can connect, and whoever is connected is thrown out. */
async function setDatabaseOpen(isOpen: boolean): Promise<void> {
  const url = new URL(database.url)
  const name = url.pathname.slice(1)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`alter database "${name}" with allow_connections ${isOpen}`)
  if (!isOpen) await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await client.end()
}

function expectHidden(): void {
  const databasePassword = decodeURIComponent(new URL(database.url).password)
  const keySecrets: Record<string, string> = {}
  for (const [name, text] of tokens) keySecrets[name] = text.slice('drv_0123456789abcdef_'.length)
  const secrets = { ...planted, databasePassword, key: key.slice(2), ...keySecrets }
  const basic = Buffer.from(`${planted.user}:${planted.password}`).toString('base64')
  for (const [name, secret] of Object.entries({ ...secrets, basic })) {
    expect(secret.length, name).toBeGreaterThan(8)
    for (const [place, text] of seen) {
      expect(text.toLowerCase().includes(secret.toLowerCase()), `${name} in ${place}`).toBe(false)
    }
  }
}

test('an RPC node that echoes its URL, refuses, and goes down', async () => {
  const stopRefusing = proxy.on('eth_sendRawTransaction', echoing('transaction underpriced'))
  const { body } = await post({ from: sender, to: sender, value: '1' })
  await eventually(
    () => read(body.id),
    (tx) => tx.error !== null,
  )
  await look(`/v1/transactions/${body.id}/history`, 'underpriced')
  await eventually(
    () => read(body.id),
    (tx) => tx.state === 'STUCK',
  )
  await eventually(
    async () => drover.output(),
    (output) => output.includes('could not review a stuck transaction'),
  )
  await lookAround(body.id)
  const stopReverting = proxy.on('eth_estimateGas', echoing('execution reverted'))
  expect((await post({ from: sender, to: sender, value: '2' })).status).toBe(422)
  stopReverting()
  proxy.setDown(true)
  await post({ from: sender, to: sender, value: '3' })
  await eventually(
    async () => drover.output(),
    (output) => output.includes('could not follow the chain'),
  )
  await lookAround(body.id)
  proxy.setDown(false)
  stopRefusing()
  await eventually(
    async () => {
      await chain.mine(1)
      return await read(body.id)
    },
    (tx) => tx.state === 'CONFIRMED',
  )
  await lookAround(body.id)
  expectHidden()
})

test('a database that closes every connection', async () => {
  await setDatabaseOpen(false)
  await look('/readyz', 'database')
  await look('/v1/transactions', 'database_unavailable')
  await look('/metrics', 'outcome="unavailable"')
  await setDatabaseOpen(true)
  await eventually(
    async () => (await drover.get('/readyz')).status,
    (status) => status === 200,
  )
  expectHidden()
})

test('requests that contain the key itself, and garbage', async () => {
  await post({ from: sender, privateKey: 'x', to: sender })
  await post('{')
  await look('/v1/transactions/nonsense', 'invalid_request')
  expectHidden()
})

test('failed starts, and the printed configuration', async () => {
  const env = {
    DROVER_DATABASE_URL: database.url,
    DROVER_RPC_URL: withSecrets(proxy.url),
    DROVER_SIGNER_KEYS: key,
    DROVER_OPEN: 'true',
  }
  const wrong = new URL(database.url)
  wrong.password = planted.password
  const nowhere = new URL(database.url)
  nowhere.port = '9'
  const runs: readonly [readonly string[], Record<string, string>, string][] = [
    [['config'], {}, 'signerKeys'],
    [['start'], { DROVER_DATABASE_URL: `${wrong.href}_missing` }, 'does not exist|authentication'],
    [['start'], { DROVER_CHAIN_ID: 'x', DROVER_SIGNER_KEYS: `${key}00` }, 'DROVER_SIGNER_KEYS'],
  ]
  for (const [args, change, words] of runs) {
    const run = launchDrover(args, { ...env, DROVER_LOG_LEVEL: 'debug', DROVER_PORT: '0', ...change })
    await run.exited
    expect(run.output()).toMatch(new RegExp(words))
    seen.set(`${args.join(' ')} with ${Object.keys(change).join()}`, run.output())
  }
  expectHidden()
})

test.each([
  ['the database', 'ECONNREFUSED'],
  ['the RPC node', 'no RPC node responds'],
])('a start that waits for %s', async (part, words) => {
  const nowhere = new URL(database.url)
  nowhere.port = '9'
  nowhere.password = planted.password
  const run = launchDrover(['start'], {
    DROVER_SIGNER_KEYS: key,
    DROVER_LOG_LEVEL: 'debug',
    DROVER_PORT: '0',
    DROVER_DATABASE_URL: part === 'the database' ? nowhere.href : database.url,
    DROVER_RPC_URL: withSecrets(part === 'the database' ? proxy.url : 'http://127.0.0.1:9'),
  })
  const { url } = JSON.parse(await run.lineWhere((line) => line.includes('cannot start yet'))) as { url: string }
  const answers = await Promise.all(['/readyz', '/v1/signers'].map(async (path) => (await fetch(url + path)).text()))
  run.child.kill('SIGTERM')
  expect(await run.exited).toBe(0)
  expect(answers.join()).toContain(words)
  seen.set(`a start without ${part}`, run.output() + answers.join())
  expectHidden()
})

test('an uncaught error in a hook that knows the environment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drover-hook-'))
  const hook = join(folder, 'hook.mjs')
  await writeFile(
    hook,
    `setTimeout(() => { throw new Error(JSON.stringify(process.env)) }, 1_000)
     export default async () => ({ action: 'wait' })`,
  )
  const run = launchDrover(['start'], {
    DROVER_DATABASE_URL: database.url,
    DROVER_RPC_URL: withSecrets(proxy.url),
    DROVER_SIGNER_KEYS: key,
    DROVER_OPEN: 'true',
    DROVER_PORT: '0',
    DROVER_STUCK_HOOK: hook,
  })
  expect(await run.exited).toBe(1)
  await rm(folder, { recursive: true })
  expect(run.output()).toContain('internal error; Drover stops')
  seen.set('a bug', run.output())
  expectHidden()
})

test('API keys: valid, wrong, revoked, and in the wrong place', async () => {
  const call = async (method: string, path: string, token: string | null, body?: unknown) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const answer = await drover.request(method, path, body, headers)
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    const isCreation = method === 'POST' && answer.status === 201
    // The one answer that tells a key.
    if (!isCreation) seen.set(`${method} ${path.split('?', 1)[0]} (${answer.status}, ${seen.size})`, text)
    return answer
  }
  const make = async (name: string, token: string, scopes: readonly string[]) => {
    const made = await call('POST', '/v1/api-keys', token, { name, scopes })
    expect(made.status).toBe(201)
    tokens.set(name, made.body.token)
    return { id: String(made.body.id), token: String(made.body.token) }
  }
  const scopes = ['read', 'send', 'operate', 'admin']
  const admin = await createFirstKey(database.url, { name: 'admin', scopes })
  tokens.set('admin', admin.token)
  const reader = await make('reader', admin.token, ['read'])
  const wrong = `${reader.token.slice(0, -6)}${reader.token.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`
  tokens.set('wrong', wrong)
  expect((await call('GET', '/v1/signers', reader.token)).status).toBe(200)
  expect((await call('GET', '/v1/signers', wrong)).status).toBe(401)
  expect((await call('GET', '/v1/signers', `${wrong}0`)).status).toBe(401)
  expect((await call('POST', '/v1/transactions', reader.token, { from: sender })).status).toBe(403)
  expect((await call('GET', `/v1/signers?key=${admin.token}`, reader.token)).status).toBe(400)
  expect((await call('POST', '/v1/transactions', admin.token, { from: sender, token: reader.token })).status).toBe(400)
  expect((await call('POST', '/v1/transactions', admin.token, { from: sender, to: sender })).status).toBe(202)
  expect((await call('DELETE', `/v1/api-keys/${reader.id}`, admin.token)).status).toBe(200)
  expect((await call('GET', '/v1/signers', reader.token)).status).toBe(401)
  for (const path of ['/v1/api-keys', '/v1/audit', '/v1/events?after=0', '/metrics', '/openapi.json', '/'])
    expect((await call('GET', path, admin.token)).status).toBe(200)
  const listed = launchDrover(['key', 'list', '--json'], { DROVER_DATABASE_URL: database.url })
  expect(await listed.exited).toBe(0)
  seen.set('drover key list', listed.output())
  expect(listed.output()).toContain(reader.id)
  await setDatabaseOpen(false)
  await call('GET', '/v1/signers', admin.token)
  expect((await call('GET', '/metrics', admin.token)).status).toBe(200)
  await setDatabaseOpen(true)
  expectHidden()
})

test('everything that was printed and stored', async () => {
  expect(await drover.end()).toBe(0)
  expect(drover.output()).toContain('"level":"debug"')
  seen.set('output', drover.output())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const tables = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from "${name}" t`)
    seen.set(`table ${name}`, rows.map(({ row }) => row).join('\n'))
  }
  await client.end()
  expect(seen.get('table tx_event')).toContain('underpriced')
  expect(seen.get('table api_key')).toContain('reader')
  expect(seen.get('table audit_entry')).toContain('revokeApiKey')
  expectHidden()
})
