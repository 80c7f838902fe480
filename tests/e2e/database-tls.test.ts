/**
 * PostgreSQL with TLS: every connection of a node is encrypted and checked, and what is wrong with a certificate is named.
 * The server of this file is its own, because TLS is a setting of the whole server.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../packages/dev/src/postgres/embedded-postgres.ts'
import { chooseAccount, giveTo } from '../../packages/dev/src/postgres/postgres-account.ts'
import { TEST_CERTIFICATES } from '../../packages/server/src/testing/signer/test-certificates.ts'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'

const SENDER = developmentAccount(0)

let folder: string
let postgres: EmbeddedPostgres
let chain: TestChain

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-tls-'))
  await chmod(folder, 0o711)
  ;[postgres, chain] = await Promise.all([
    startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fast: true }),
    startTestChain({ blockTimeSeconds: 1 }),
  ])
  await writeFile(join(folder, 'ca.pem'), TEST_CERTIFICATES.ca)
  const account = await chooseAccount(join(folder, 'postgres'))
  const files = { ssl_cert_file: join(folder, 'server.pem'), ssl_key_file: join(folder, 'server.key') }
  for (const [path, text] of [
    [files.ssl_cert_file, TEST_CERTIFICATES.serverCert],
    [files.ssl_key_file, TEST_CERTIFICATES.serverKey],
  ] as const) {
    await writeFile(path, text, { mode: 0o600 })
    await giveTo(account, path)
  }
  for (const [setting, value] of Object.entries({ ...files, ssl: 'on' }))
    await query(`alter system set ${setting} = '${value}'`)
  await query('select pg_reload_conf()')
  await eventually(
    () => query('show ssl'),
    ([row]) => row?.ssl === 'on',
  )
})

afterAll(async () => {
  await chain?.stop()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: postgres.databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** As docs/production.md has it. */
function urlWith(host: string, options: Readonly<Record<string, string>>): string {
  const url = new URL(postgres.databaseUrl)
  url.hostname = host
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value)
  return url.href
}
const trusting = (host: string) => urlWith(host, { sslmode: 'verify-full', sslrootcert: join(folder, 'ca.pem') })

async function examine(databaseUrl: string) {
  const env = { DROVER_DATABASE_URL: databaseUrl, DROVER_RPC_URL: chain.rpcUrl, DROVER_SIGNER_KEYS: SENDER.privateKey }
  const { stdout } = await startCli(['doctor', '--json'], { env }).ended
  const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; fix: string | null }[] }
  return findings.find(({ check }) => check === 'database')
}

test('with verify-full, a node works and has no connection that is not encrypted', async () => {
  const drover = await startDrover({
    databaseUrl: trusting('localhost'),
    rpcUrl: chain.rpcUrl,
    signerKeys: [SENDER.privateKey],
    env: { DROVER_FINALITY: '1' },
  })
  const body = { from: SENDER.address, to: SENDER.address, value: '1' }
  const sent = await drover.post('/v1/transactions?wait=confirmed&timeoutMs=60000', body)
  expect(sent.body).toMatchObject({ state: 'CONFIRMED' })
  const connections = await query(`
    select ssl from pg_stat_ssl join pg_stat_activity using (pid)
     where datname = current_database() and pid <> pg_backend_pid()`)
  // Statements, and the one that only listens.
  expect(connections.length).toBeGreaterThan(1)
  expect(connections.map(({ ssl }) => ssl)).toEqual(connections.map(() => true))
  await drover.end()
  expect(await examine(trusting('localhost'))).toMatchObject({ status: 'ok' })
})

test('a certificate of an unknown authority, or of another host, is refused with what to do', async () => {
  expect(await examine(urlWith('localhost', { sslmode: 'verify-full' }))).toMatchObject({
    status: 'failed',
    fix: expect.stringContaining('add &sslrootcert='),
  })
  // Leads to this machine too, but the certificate is not for it.
  expect(await examine(trusting('0.0.0.0'))).toMatchObject({
    status: 'failed',
    fix: expect.stringContaining('use the host name that the certificate is for'),
  })
})
