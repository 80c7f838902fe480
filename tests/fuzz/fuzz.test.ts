/**
 * Ten thousand requests that no route can take, to a real service: every one is answered with what is wrong with it,
 * nothing breaks, nothing is told that is nobody's business, and nothing is left behind.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { startService } from '../setup/service.ts'
import { type Chance, createChance } from './chance.ts'
import { type HostileRequest, listTargets, makeHostileRequest } from './hostile-request.ts'
import { RAW_REQUESTS } from './raw-requests.ts'
import { makeHostileRpc } from './rpc-requests.ts'
import { createHostileClient, type HostileAnswer, type HostileClient } from './send-hostile.ts'

const SEED = Number(process.env.DROVER_FUZZ_SEED ?? 4_747)
const ROUNDS = 10_000
const AT_ONCE = 24
const MEBIBYTE = 1024 * 1024

const key = `0x${'5e'.repeat(32)}` as const
const sender = privateKeyToAddress(key)
const rpcPassword = randomBytes(20).toString('base64url')

/** Words of the code and of what it stands on: whoever calls has no business with them. */
const INSIDES =
  /node_modules|packages\/server|\.ts:\d+|\bat \w+ \(|FST_ERR|ZodError|SyntaxError|TypeError|RangeError|syntax error at|relation "|pg_catalog|postgres(?:ql)?:\/\//i

let database: TestDatabase
let drover: DroverProcess
let stop: () => Promise<void>
let client: HostileClient

beforeAll(async () => {
  const started = await startService({
    signers: [{ privateKey: key }],
    rpcUrl: async (chain) => {
      await chain.setBalance(sender, 10n ** 18n)
      const rpcUrl = new URL(chain.rpcUrl)
      rpcUrl.username = 'node'
      rpcUrl.password = rpcPassword
      return rpcUrl.href
    },
  })
  ;({ database, drover, stop } = started)
  client = createHostileClient(drover.url)
})

afterAll(async () => {
  client?.close()
  await stop?.()
})

/** Would be accepted, were it not for the money: looked up, simulated and refused. */
function makeUnpayable(chance: Chance): HostileRequest {
  const requestId = `r-${chance.hex(8)}`
  const metadata = { "'; drop table managed_tx; --": '<script>' }
  const item = { from: sender, to: `0x${chance.hex(40)}`, value: (10n ** 60n).toString(), requestId, metadata }
  const isBatch = chance.percent(30)
  return {
    method: 'POST',
    path: isBatch ? '/v1/transactions/batch' : '/v1/transactions',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(isBatch ? { transactions: Array.from({ length: 5 }, () => item) } : item)),
  }
}

function findFault(request: HostileRequest, { status, text, headers }: HostileAnswer): string | null {
  const size = (request.body?.length ?? 0) + (request.headers['x-large']?.length ?? 0)
  // Whoever sends too much may be cut off before the answer is read.
  if (status === null) return size > 14_000 ? null : `no answer: ${text}`
  if (status >= 500) return `answered ${status}`
  const isRpc = request.path.startsWith('/rpc')
  if (request.method !== 'GET' && status < 400 && !isRpc && !isRefusedBatch(request, text)) return `answered ${status}`
  const inside = INSIDES.exec(text + JSON.stringify(headers))
  if (inside !== null) return `tells of its insides: ${inside[0]}`
  if (headers['x-injected'] !== undefined) return 'a header was injected'
  const type = String(headers['content-type'] ?? '')
  if (status >= 400 && text !== '' && !isRpc && !type.startsWith('application/problem+json'))
    return `${status} as ${type}`
  return null
}

function isRefusedBatch({ path }: HostileRequest, text: string): boolean {
  if (!path.startsWith('/v1/transactions/batch')) return false
  const { results } = JSON.parse(text) as { readonly results: readonly { readonly status: number }[] }
  return results.every(({ status }) => status >= 400 && status < 500)
}

/** Of every table, its rows; what goes on by itself while nobody calls is only counted. */
async function readTables(): Promise<Readonly<Record<string, string>>> {
  const ownLife = new Set(['node', 'signer_lease', 'timer_lease', 'signer_health', 'chain_block'])
  const connection = new pg.Client({ connectionString: database.url })
  await connection.connect()
  // Asking for the queue of the timers stores the question for the node that runs them, for ten minutes.
  const questions = ['timer_command', 'timer_chain', 'timer_block']
  const { rows } = await connection.query(
    "select tablename from pg_tables where schemaname = 'public' and tablename <> all($1) order by 1",
    [questions],
  )
  const tables: Record<string, string> = {}
  for (const { tablename } of rows) {
    const digest = ownLife.has(tablename) ? "''" : "md5(coalesce(string_agg(t::text, ',' order by t::text), ''))"
    const counted = await connection.query(`select count(*) as count, ${digest} as digest from "${tablename}" t`)
    tables[tablename] = `${counted.rows[0].count} rows ${counted.rows[0].digest}`
  }
  await connection.end()
  return tables
}

async function readGauge(name: string): Promise<number> {
  const { body } = await drover.get('/metrics')
  const value = new RegExp(`^${name} ([\\d.e+]+)$`, 'm').exec(body)?.[1]
  if (value === undefined) throw new Error(`there is no ${name}`)
  return Number(value)
}

function shorten({ method, path, headers, body }: HostileRequest): string {
  return `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 200)} ${body?.toString().slice(0, 400)}`
}

/** How often each status was answered. */
const statuses = new Map<number | null, number>()

async function run(rounds: number, make: () => HostileRequest): Promise<readonly string[]> {
  const faults: string[] = []
  let left = rounds
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const request = make()
      const answer = await client.send(request)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const fault = findFault(request, answer)
      if (fault !== null) faults.push(`${fault}: ${shorten(request)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return faults
}

test(`${ROUNDS} hostile requests, seed ${SEED}`, { timeout: 600_000 }, async () => {
  const { body: document } = await drover.get('/openapi.json')
  const targets = [
    ...listTargets(document),
    ...['/', '/v1', '/v2/transactions', '/assets/x.js', '/favicon.ico'].map((path) => ({
      method: 'GET',
      path,
      queryNames: [],
      bodySchema: null,
    })),
  ]
  expect(targets.length).toBeGreaterThan(40)
  const chance = createChance(SEED)
  const make = (): HostileRequest => {
    if (chance.percent(2)) return makeUnpayable(chance)
    return chance.percent(10)
      ? makeHostileRpc(chance)
      : makeHostileRequest(chance, targets, document.components.schemas)
  }
  const before = await readTables()
  // Warm first: what is made once for all is not growth.
  const warm = await run(ROUNDS / 5, make)
  const [memory, handles] = [await readGauge('process_resident_memory_bytes'), await readGauge('process_open_fds')]
  const faults = [...warm, ...(await run(ROUNDS, make))]
  expect(faults.slice(0, 20)).toEqual([])
  // Each kind of refusal was met, and what may be read was read: the requests got where they should.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 405, 413, 415, 421, 422, 431]))
  expect(await readTables()).toEqual(before)
  expect((await drover.get('/readyz')).status).toBe(200)
  expect(await readGauge('process_open_fds')).toBeLessThan(handles + 30)
  expect(await readGauge('process_resident_memory_bytes')).toBeLessThan(memory + 200 * MEBIBYTE)
})

test('malformed HTTP gets an answer or a closed connection', async () => {
  const before = await readTables()
  const faults: string[] = []
  // Together, since most of them end with a silence.
  const answers = await Promise.all(RAW_REQUESTS.map((bytes) => client.sendRaw(bytes)))
  for (const [index, answer] of answers.entries()) {
    const bytes = RAW_REQUESTS[index] ?? ''
    const fault = /HTTP\/1\.\d 5\d\d/.exec(answer) ?? INSIDES.exec(answer) ?? /^x-injected/im.exec(answer)
    if (fault !== null) faults.push(`${fault[0]}: ${JSON.stringify(bytes.slice(0, 200))}`)
  }
  expect(faults).toEqual([])
  const countOks = (text: string) => text.match(/HTTP\/1\.1 200/g)?.length ?? 0
  expect(countOks(await client.sendRaw(RAW_REQUESTS[4] ?? '', (text) => countOks(text) === 50))).toBe(50)
  expect(await readTables()).toEqual(before)
  expect((await drover.get('/readyz')).status).toBe(200)
})

test('the log contains no bug and no secret', () => {
  const output = drover.output()
  const errors = output.split('\n').filter((line) => /"level":"(?:error|fatal)"|unhandled|uncaught/i.test(line))
  expect(errors.slice(0, 5)).toEqual([])
  const databasePassword = decodeURIComponent(new URL(database.url).password)
  for (const secret of [key.slice(2), rpcPassword, databasePassword]) {
    expect(secret.length).toBeGreaterThan(8)
    expect(output.includes(secret)).toBe(false)
  }
})
