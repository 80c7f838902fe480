/** Every key source in one service: each sends, some go away midway, the master key and a signer are rotated under load. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCli } from '../setup/cli-terminal.ts'
import { readAll } from '../setup/cluster.ts'
import { launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { anyKey, type KeyServices, startKeyServices } from '../setup/key-services.ts'
import { startService, type TestService } from '../setup/service.ts'

const EACH = 50
const RICH = 10n ** 21n
const TARGET = '0x00000000000000000000000000000000000000aa'
const imported = anyKey()

let keys: KeyServices
let service: TestService
/** By key source, with the one in the database. */
let addresses: Record<string, string>
/** Texts, and where each was seen. */
const seen = new Map<string, string>()
const accepted: string[] = []

const settings = () => ({
  DROVER_DATABASE_URL: service.database.url,
  DROVER_RPC_URL: service.chain.rpcUrl,
  DROVER_URL: service.drover.url,
  ...keys.env,
})

async function cli(args: readonly string[], env: Record<string, string> = {}) {
  const result = await startCli(args, { env: { ...settings(), ...env } }).ended
  seen.set(`drover ${args.join(' ')} (${seen.size})`, `${result.stdout}${result.stderr}`)
  return result
}

async function sendMany(from: string, count: number): Promise<readonly string[]> {
  const items = Array.from({ length: count }, () => ({ from, to: TARGET, value: '1' }))
  const { status, body } = await service.drover.post('/v1/transactions/batch', { transactions: items })
  expect(status, JSON.stringify(body)).toBe(200)
  const ids = (body.results as { transaction: { id: string } }[]).map(({ transaction }) => transaction.id)
  accepted.push(...ids)
  return ids
}

const laneOf = async (address: string) => (await service.drover.get(`/v1/signers/${address}`)).body.lanes?.[0]

/** Until everything of these signers is final. */
async function settle(): Promise<void> {
  await eventually(
    async () => (await service.drover.get('/v1/transactions?state=QUEUED,ALLOCATED,TRACKING,STUCK&limit=5')).body.items,
    (open: readonly unknown[]) => open.length === 0,
  )
}

beforeAll(async () => {
  keys = await startKeyServices()
  service = await startService({
    signers: [],
    chain: { blockTimeSeconds: 1 },
    env: {
      ...keys.env,
      DROVER_FINALITY: '1',
      DROVER_BLOCK_TIME: '1s',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_LEASE_DURATION: '3s',
      DROVER_LEASE_RENEW_INTERVAL: '500ms',
      DROVER_LOG_LEVEL: 'debug',
    },
  })
  await writeFile(join(keys.folder, 'import'), `${imported}\n`, { mode: 0o600 })
  const result = await cli(['signer', 'import', '--file', join(keys.folder, 'import'), '--json'])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  addresses = { ...keys.addresses, database: privateKeyToAddress(imported) }
  expect(JSON.parse(result.stdout)).toEqual({ address: addresses.database, isNew: true })
  for (const address of Object.values(addresses)) await service.chain.setBalance(address, RICH)
}, 300_000)

afterAll(async () => {
  await service?.stop()
  await keys?.stop()
})

test('a key that was imported while the service runs becomes a signer by itself; all keys say where they are', async () => {
  const lanes = await eventually(
    async () => (await service.drover.get('/v1/signers')).body.items as { address: string; key: { source: string } }[],
    (found) => found.length === Object.keys(addresses).length,
  )
  const bySource = Object.fromEntries(lanes.map(({ address, key }) => [key.source, address]))
  expect(bySource).toEqual(addresses)
  const verified = await cli(['signer', 'verify', '--json'])
  expect(verified.code, verified.stdout).toBe(0)
  const { items } = JSON.parse(verified.stdout) as { items: { address: string; verified: boolean }[] }
  expect(items.filter(({ verified: isRight }) => isRight)).toHaveLength(8)
})

test(`each key source sends ${EACH}; the key stores that die midway lose and double nothing`, async () => {
  const { remote, aws_kms: aws, google_kms: google } = keys.services
  for (const service of [remote, aws]) service.setAway(true)
  await Promise.all(Object.values(addresses).map((address) => sendMany(address, EACH)))
  for (const source of ['remote', 'aws_kms'] as const) {
    const lane = await eventually(
      () => laneOf(addresses[source] ?? ''),
      (found) => found.problems.length > 0,
    )
    expect(lane.problems).toMatchObject([{ code: 'key_unavailable', level: 'bad' }])
    expect(lane.key).toMatchObject({ source, canSign: false, problem: expect.stringContaining('does not respond') })
    const [first] = (await service.drover.get(`/v1/transactions?from=${lane.address}&order=asc&limit=1`)).body.items
    expect(first).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_key' })
    const explanation = (await service.drover.get(`/v1/transactions/${first.id}/explain`)).body
    expect(explanation).toMatchObject({
      cause: 'waiting_for_key',
      summary: expect.stringContaining('does not respond'),
    })
  }
  const readiness = (await service.drover.get('/readyz')).body
  expect(readiness.ready).toBe(true)
  expect(readiness.problems.map(({ part }: { part: string }) => part)).toEqual(
    expect.arrayContaining(['key store remote', 'key store aws_kms']),
  )
  const { body: metrics } = await service.drover.get('/metrics')
  expect(metrics).toMatch(/drover_key_store_up\{.*source="aws_kms".*\} 0/)
  expect(metrics).toMatch(/drover_key_store_up\{.*source="keystore".*\} 1/)
  for (const each of [remote, aws]) each.setAway(false)
  // Another one, once it has begun.
  await eventually(
    () => laneOf(addresses.google_kms ?? ''),
    (lane) => lane.nextNonce > 0,
  )
  google.setAway(true)
  await eventually(
    () => laneOf(addresses.aws_kms ?? ''),
    (lane) => lane.nextNonce > 0,
  )
  google.setAway(false)
  await settle()
  await expectExactlyOnce(service.chain, await readAll(service.drover), { accepted })
  const lanes = (await service.drover.get('/v1/signers')).body.items
  for (const lane of lanes)
    expect(lane).toMatchObject({ nextNonce: EACH, problems: [], lastSignedAt: expect.any(String) })
})

test('the master key is rotated under load: nothing is lost, old ciphertext is gone', async () => {
  const client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  const readRows = async () =>
    (
      await client.query<{ sealed: string; key_id: string }>(
        `select encode(sealed, 'hex') as sealed, key_id from signer_key`,
      )
    ).rows
  const before = await readRows()
  await sendMany(addresses.database ?? '', EACH)
  const [current, next] = [join(keys.folder, 'master'), join(keys.folder, 'master-next')]
  await writeFile(next, randomBytes(32).toString('base64'), { mode: 0o600 })
  const rotated = await cli(['signer', 'rotate-master', '--json'], {
    DROVER_MASTER_KEY: `file:${next},file:${current}`,
  })
  expect(rotated.code, rotated.stderr).toBe(0)
  expect(JSON.parse(rotated.stdout)).toMatchObject({ changed: 1 })
  await sendMany(addresses.database ?? '', EACH)
  // The node has the old one: it signs, and says that it would not start again.
  await eventually(
    async () => (await service.drover.get('/readyz')).body.problems as { part: string }[],
    (problems) => problems.some(({ part }) => part === 'key store database'),
  )
  await rename(next, current)
  await eventually(
    async () => (await service.drover.get('/readyz')).body.problems as { part: string }[],
    (problems) => !problems.some(({ part }) => part === 'key store database'),
  )
  const after = await readRows()
  expect(after.map(({ key_id }) => key_id)).not.toEqual(before.map(({ key_id }) => key_id))
  await client.query('checkpoint')
  const file = await client.query<{ bytes: Buffer }>(
    `select pg_read_binary_file(pg_relation_filepath('signer_key')) as bytes`,
  )
  for (const { sealed } of before) expect(file.rows[0]?.bytes.includes(Buffer.from(sealed, 'hex'))).toBe(false)
  await client.end()
  await settle()
  await expectExactlyOnce(service.chain, await readAll(service.drover), { accepted })
})

test('a signer is rotated under load: every node has the new one without a restart, the old one leaves when idle', async () => {
  const old = addresses.database ?? ''
  const peer = await service.startPeer()
  const { status, body } = await service.drover.post('/v1/signers', { chainId: 31_337, createKey: true, label: 'next' })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body).toMatchObject({ label: 'next', key: { source: 'database', canSign: true } })
  const fresh: string = body.address
  await eventually(
    async () => (await peer.get(`/v1/signers/${fresh}`)).body.lanes?.[0].key?.source,
    (source) => source === 'database',
  )
  await service.chain.setBalance(fresh, RICH)
  await sendMany(old, EACH)
  const refused = await cli(['signer', 'remove', old, '--reason', 'rotated'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('open transactions')
  await sendMany(fresh, EACH)
  await settle()
  const removed = await cli(['signer', 'remove', old, '--reason', 'rotated', '--json'])
  expect(removed.code, removed.stderr).toBe(0)
  expect(JSON.parse(removed.stdout)).toEqual({ address: old, chainIds: [31_337] })
  await eventually(
    async () => (await service.drover.post('/v1/transactions', { from: old, to: TARGET })).body.code,
    (code) => code === 'unknown_signer',
  )
  for (const node of [service.drover, peer]) expect((await node.get(`/v1/signers/${old}`)).status).toBe(404)
  expect((await service.drover.get(`/v1/transactions/${accepted[0]}/explain`)).status).toBe(200)
  expect(await peer.end()).toBe(0)
  seen.set('log of the peer', peer.output())
  await expectExactlyOnce(service.chain, await readAll(service.drover), { accepted })
})

test('no secret is in any output: log, metrics, events, API, database, process list, command line', async () => {
  for (const path of [
    '/readyz',
    '/metrics',
    '/v1/events?after=0&limit=1000',
    '/v1/signers',
    '/v1/nodes',
    '/v1/audit',
  ]) {
    const { body } = await service.drover.get(path)
    seen.set(path, typeof body === 'string' ? body : JSON.stringify(body))
  }
  seen.set('drover config', (await cli(['config'])).stdout)
  // A process of its own: it finds the credentials of the key management services in its environment.
  const doctor = launchDrover(['doctor', '--json'], settings())
  await doctor.exited
  seen.set('drover doctor', doctor.output())
  const { findings } = JSON.parse(doctor.output()) as { findings: { check: string; detail: string }[] }
  const checks = findings.filter(({ check }) => check.startsWith('keys: '))
  expect(checks.map(({ check }) => check).sort()).toEqual(
    Object.keys(addresses)
      .map((source) => `keys: ${source}`)
      .sort(),
  )
  for (const { detail } of checks) expect(detail).toContain('can sign')
  seen.set('process list', execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }))
  seen.set('arguments', await readFile(`/proc/${service.drover.pid}/cmdline`, 'utf8'))
  seen.set('log', service.drover.output())
  const client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  const tables = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from "${name}" t`)
    seen.set(`table ${name}`, rows.map(({ row }) => row).join('\n'))
  }
  await client.end()
  expect(seen.get('log')).toContain('key store problem')
  expect(seen.get('table audit_entry')).toContain('rotateMasterKey')
  const secrets = [...keys.secrets, imported.slice(2), (await readFile(join(keys.folder, 'master'), 'utf8')).trim()]
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(16)
    for (const [place, text] of seen) expect(text.toLowerCase().includes(secret.toLowerCase()), place).toBe(false)
  }
})
