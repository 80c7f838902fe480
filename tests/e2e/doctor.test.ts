/** `drover doctor` on what is in order, and on what is not: each problem with its fix, no secret, and nothing changed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { startDrover } from '../setup/drover-process.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { rpcError } from '../setup/rpc-reactions.ts'

const signer = developmentAccount(0)

let chain: TestChain
let database: TestDatabase
let empty: TestDatabase
let proxy: RpcProxy

beforeAll(async () => {
  chain = await startTestChain({ blockTimeSeconds: 1 })
  database = await createTestDatabase()
  empty = await createTestDatabase(null)
  proxy = await startRpcProxy(chain.rpcUrl)
})

afterAll(async () => {
  await proxy?.stop()
  await empty?.drop()
  await database?.drop()
  await chain?.stop()
})

interface Finding {
  readonly check: string
  readonly status: string
  readonly detail: string
  readonly fix: string | null
}

async function examine(env: Record<string, string>, ...args: readonly string[]) {
  const given = {
    DROVER_DATABASE_URL: database.url,
    DROVER_RPC_URL: chain.rpcUrl,
    DROVER_SIGNER_KEYS: signer.privateKey,
    DROVER_OPEN: 'true',
    ...env,
  }
  const { code, stdout } = await startCli(['doctor', '--json', ...args], { env: given }).ended
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Finding[] }
  expect(ok).toBe(code === 0)
  for (const { status, fix } of findings) expect(fix === null).toBe(status === 'ok')
  const findAll = (start: string) => findings.filter(({ check }) => check.startsWith(start))
  return { code, stdout, findAll, find: (start: string) => findAll(start)[0] }
}

test('everything is in order while the service runs', async () => {
  const service = await startDrover({
    databaseUrl: database.url,
    rpcUrl: chain.rpcUrl,
    signerKeys: [signer.privateKey],
  })
  const { code, stdout, find } = await examine({ DROVER_URL: service.url })
  await service.end()
  expect(code, stdout).toBe(0)
  expect(find('database')?.detail).toMatch(/^PostgreSQL \d+\.\d+ at /)
  expect(find('service')).toMatchObject({ status: 'ok', detail: 'running and ready' })
  expect(find('balance')).toMatchObject({ status: 'ok' })
  expect(stdout).not.toContain(new URL(database.url).password)
  expect(stdout).not.toContain(signer.privateKey.slice(2))
})

test('a service that listens on every address is asked on this machine', async () => {
  const service = await startDrover({
    databaseUrl: database.url,
    rpcUrl: chain.rpcUrl,
    signerKeys: [signer.privateKey],
  })
  const { port } = new URL(service.url)
  const { find } = await examine({ DROVER_HOST: '0.0.0.0', DROVER_PORT: port })
  await service.end()
  expect(find('service')).toMatchObject({ check: `service http://127.0.0.1:${port}`, detail: 'running and ready' })
})

test('a balance that two nodes agree on is reported once', async () => {
  const { findAll } = await examine({ DROVER_RPC_URL: `${chain.rpcUrl},${proxy.url}` })
  expect(findAll('node ').length).toBeGreaterThan(2)
  expect(findAll('balance')).toHaveLength(1)
})

test('without a running service the port is checked', async () => {
  const { code, find } = await examine({ DROVER_PORT: '0', DROVER_KEEP_UNTIL_ARCHIVED: 'true' })
  expect(code).toBe(0)
  expect(find('service')).toMatchObject({ status: 'warning', fix: 'run `drover start`' })
  // Nothing is deleted before it is archived, and nobody archives.
  const detail = expect.stringContaining('audit, events, transactions: never archived')
  expect(find('archive')).toMatchObject({ status: 'warning', detail })
})

test('send endpoints are checked, and it says whose transactions go there', async () => {
  const other = developmentAccount(7).address
  const { code, find } = await examine({ DROVER_RPC_SEND_URL: `${signer.address}=${proxy.url},${other}=${proxy.url}` })
  expect(code).toBe(0)
  const { host } = new URL(proxy.url)
  expect(find(`send endpoint ${host}`)).toMatchObject({
    status: 'ok',
    detail: `gets the transactions of ${signer.address}, ${other}, which are sent nowhere else`,
  })
  const away = await examine({ DROVER_RPC_SEND_URL: 'http://127.0.0.1:1/a-very-secret-key' })
  expect(away.code).toBe(1)
  expect(away.find('send endpoint 127.0.0.1:1')).toMatchObject({ status: 'failed' })
  expect(away.stdout).not.toContain('a-very-secret-key')
})

test('all problems are reported at once', async () => {
  const poor = '0x1111111111111111111111111111111111111111111111111111111111111111'
  const nowhere = new URL(database.url)
  nowhere.port = '9'
  const { code, find } = await examine({
    DROVER_DATABASE_URL: nowhere.href,
    DROVER_RPC_URL: `${chain.rpcUrl},http://user:planted-secret@127.0.0.1:9/planted-path-key`,
    DROVER_SIGNER_KEYS: poor,
    DROVER_CHAIN_ID: '5',
    DROVER_MAX_IN_FLIHGT: '1',
  })
  expect(code).toBe(1)
  expect(find('configuration')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('DROVER_MAX_IN_FLIHGT'),
  })
  expect(find('database')).toMatchObject({ status: 'failed', detail: expect.stringContaining('ECONNREFUSED') })
  expect(find('node 127.0.0.1:9')).toMatchObject({ status: 'failed' })
  expect(find(`node ${new URL(chain.rpcUrl).host}`)?.detail).toBe('is on chain 31337, but 5 is configured')
  expect(find('balance')).toMatchObject({ status: 'warning', detail: 'no funds on chain 31337' })
})

test('an empty database, and a node that lacks a method', async () => {
  const restore = proxy.on('eth_sendRawTransaction', rpcError(-32601, 'the method does not exist'))
  const { code, find } = await examine({ DROVER_DATABASE_URL: empty.url, DROVER_RPC_URL: proxy.url })
  restore()
  expect(code).toBe(1)
  expect(find('schema')).toMatchObject({ status: 'warning', fix: expect.stringContaining('drover migrate') })
  expect(find(`node ${new URL(proxy.url).host}: methods`)).toMatchObject({
    status: 'failed',
    detail: 'lacks eth_sendRawTransaction',
  })
  const again = await examine({ DROVER_DATABASE_URL: empty.url })
  expect(again.find('schema')?.detail).toMatch(/^none;/)
})

test('the data folder of a running `drover dev` that is elsewhere can be named', async () => {
  const service = await startDrover({
    databaseUrl: database.url,
    rpcUrl: chain.rpcUrl,
    signerKeys: [signer.privateKey],
  })
  const folder = await mkdtemp(join(tmpdir(), 'drover-doctor-'))
  const record = { url: service.url, rpcUrl: chain.rpcUrl, databaseUrl: database.url, signerKeys: [signer.privateKey] }
  await writeFile(join(folder, 'dev.json'), JSON.stringify(record))
  const { code, stdout, stderr } = await startCli(['doctor', '--data-dir', folder], { env: {} }).ended
  await service.end()
  await rm(folder, { recursive: true })
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toContain(`✓ configuration: from the running \`drover dev\` (${folder})`)
  expect(stdout).toMatch(/^0 failed, (?:1 warning|(?:0|[2-9]) warnings), \d+ ok\.$/m)
})

test('people see marks and what to do', async () => {
  const env = { DROVER_DATABASE_URL: database.url, DROVER_RPC_URL: chain.rpcUrl, DROVER_SIGNER_KEYS: 'x' }
  const { code, stdout } = await startCli(['doctor'], { env }).ended
  expect(code).toBe(1)
  expect(stdout).toMatch(/^✗ configuration: .*DROVER_SIGNER_KEYS.*\n {4}fix: /m)
  expect(stdout).toMatch(/^✓ database: PostgreSQL/m)
})
