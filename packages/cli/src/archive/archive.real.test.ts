/** The archive on a real database: killed where it hurts, run again, and then everything is deleted that it holds, and nothing else. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../tests/setup/database.ts'
import { launchDrover } from '../../../../tests/setup/drover-process.ts'
import type { AccessStore } from '../../../server/src/ports/access-store.ts'
import type { Store } from '../../../server/src/ports/store.ts'
import { createPostgresAccessStore } from '../../../server/src/store/postgres/access/postgres-access-store.ts'
import { createPostgresStore } from '../../../server/src/store/postgres/postgres-store.ts'
import { createLockHolder, type LockHolder } from '../../../server/src/testing/store/lock-holder.ts'
import {
  accept,
  acquire,
  anyNew,
  anyNote,
  registerLane,
  toAllocated,
  toConfirmed,
  toSave,
  toWrite,
  write,
} from '../../../server/src/testing/store/samples.ts'
import { createSilentTelemetry } from '../../../server/src/testing/telemetry/recording-telemetry.ts'

const [FIRST, LINES] = [120, 50]
const NOTE = { keyId: null, actor: 'ann', nodeId: null, operation: 'o', target: '/v1/x', result: 'done' }

let database: TestDatabase
let store: Store
let keys: AccessStore
let locks: LockHolder
let client: Client
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  store = createPostgresStore(options)
  keys = createPostgresAccessStore(options)
  locks = await createLockHolder(database.url)
  client = new Client({ connectionString: database.url })
  await client.connect()
  folder = await mkdtemp(join(tmpdir(), 'drover-archive-'))
})

afterAll(async () => {
  await client?.end()
  await locks?.close()
  await Promise.all([store?.close(), keys?.close()])
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Accepted in one order and finished in the other. */
async function finishMany(count: number): Promise<readonly string[]> {
  const lane = await registerLane(store)
  const queued = await accept(
    store,
    Array.from({ length: count }, () => anyNew(lane)),
  )
  const lease = await acquire(store, lane)
  const allocated = await write(
    store,
    lease,
    queued.map((tx, nonce) => [tx, toAllocated(tx, nonce, lease)] as const),
  )
  const saves = allocated.toReversed().map((tx) => toSave(tx, toConfirmed(tx), 'inclusion.seen', 'finality.reached'))
  await store.writeLanes([toWrite(lease, saves)])
  return queued.map(({ id }) => id)
}

const launch = (...more: readonly string[]) =>
  launchDrover(['archive', '--to', folder, '--file-lines', `${LINES}`, '--json', ...more], {
    DROVER_DATABASE_URL: database.url,
  })

async function run(...more: readonly string[]): Promise<{ files: { kind: string; lines: number }[] }> {
  const launched = launch(...more)
  expect(await launched.exited, launched.output()).toBe(0)
  return JSON.parse(launched.output())
}

/** Starts it, waits until it waits for this lock, and kills it with its connections, as a lost machine would. */
async function killWhileWaitingFor(lock: string): Promise<void> {
  await locks.hold([[lock]], async () => {
    const launched = launch()
    await Promise.race([
      locks.untilWaiting(1),
      launched.exited.then(() => Promise.reject(new Error(launched.output()))),
    ])
    launched.child.kill('SIGKILL')
    await launched.exited
    await client.query(
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and application_name = 'drover archive'`,
    )
  })
}

interface Line {
  readonly kind: string
  readonly transaction: { readonly id: string; readonly state: string; readonly receipt: { readonly status: string } }
  readonly attempts: readonly { readonly raw: string }[]
  readonly history: readonly { readonly type: string }[]
  readonly event: { readonly eventId: number }
  readonly entry: { readonly id: number; readonly hash: string }
}

async function readLines(kind: string): Promise<readonly Line[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(kind) && name.endsWith('.ndjson'))
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Line)
}

async function markOf(kind: string): Promise<number> {
  return Number((await client.query('select up_to from archive_mark where kind = $1', [kind])).rows[0].up_to)
}

async function deleteWhatIsArchived(): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const look = await store.retireTransactions({ finalForMs: 0, after, limit: 30, onlyArchived: true })
    after = look?.next ?? null
  }
  while ((await store.deleteRetired(0, 30)) === 30);
  while ((await store.deleteLaneEvents(0, 30, true)) === 30);
  while ((await keys.deleteAudit({ olderThanMs: 0, limit: 30, onlyArchived: true }))?.count === 30);
}

async function idsOf(sql: string): Promise<readonly string[]> {
  return (await client.query({ text: sql, rowMode: 'array' })).rows.map(([id]) => String(id))
}

test('killed and run again, it has every line once; retention deletes exactly these', async () => {
  const ids = await finishMany(FIRST)
  const lane = await registerLane(store)
  for (const paused of [true, false, true]) await store.updateSigner(lane, { paused }, anyNote())
  for (let count = 0; count < 5; count++) await keys.appendAudit(NOTE)
  const [events, audit] = [
    await idsOf('select event_id from tx_event where tx_id is null order by 1'),
    await idsOf('select audit_id from audit_entry order by 1'),
  ]
  expect([events.length > 2, audit.length]).toEqual([true, 5])
  await deleteWhatIsArchived()
  expect(await idsOf('select tx_id from managed_tx')).toHaveLength(FIRST)

  // What a killed run left half-written.
  await writeFile(join(folder, `transactions-${'1'.padStart(15, '0')}.partial`), '{"kind":"transac')
  await killWhileWaitingFor(`select from archive_mark where kind = 'transactions' for update`)
  // The file is whole, and the mark does not know of it.
  expect([(await readLines('transactions')).length, await markOf('transactions')]).toEqual([LINES, 0])
  await killWhileWaitingFor('lock table tx_attempt in access exclusive mode')
  expect([(await readLines('transactions')).length, (await markOf('transactions')) > 0]).toEqual([LINES, true])

  const { files } = await run()
  expect(files.map(({ kind, lines }) => [kind, lines])).toEqual([
    ['transactions', LINES],
    ['transactions', FIRST - 2 * LINES],
    ['events', events.length],
    ['audit', audit.length],
  ])
  const lines = await readLines('transactions')
  expect(lines.map(({ transaction }) => transaction.id)).toEqual(ids.toReversed())
  for (const { transaction, attempts, history } of lines) {
    expect(transaction).toMatchObject({ state: 'CONFIRMED', receipt: { status: 'success' } })
    expect(attempts.map(({ raw }) => raw)).toEqual(['0x02f8'])
    expect(history.map(({ type }) => type)).toEqual(['accepted', 'to.ALLOCATED', 'inclusion.seen', 'finality.reached'])
  }
  expect((await readLines('events')).map(({ event }) => String(event.eventId))).toEqual(events)
  expect((await readLines('audit')).map(({ entry }) => String(entry.id))).toEqual(audit)
  expect((await readdir(folder)).filter((name) => !name.endsWith('.ndjson'))).toEqual([])

  const later = await finishMany(3)
  await store.updateSigner(lane, { paused: false }, anyNote())
  await keys.appendAudit(NOTE)
  await deleteWhatIsArchived()
  expect((await idsOf('select tx_id from managed_tx order by accepted_seq')).toSorted()).toEqual(later.toSorted())
  const left = await idsOf('select event_id from tx_event where tx_id is null')
  expect([left.length > 0, left.filter((id) => events.includes(id))]).toEqual([true, []])
  expect(await idsOf('select audit_id from audit_entry')).toEqual(['6'])
  // The hash of the last line of the archive is what the rest of the audit begins with.
  const last = (await readLines('audit')).at(-1)?.entry
  expect(await keys.checkAudit({ after: 0, limit: 100 })).toMatchObject({
    brokenAt: null,
    deleted: { id: last?.id, hash: last?.hash },
  })
})

test('it changes no schema: an older database is refused', async () => {
  const empty = await createTestDatabase(null)
  const launched = launchDrover(['archive', '--to', folder], { DROVER_DATABASE_URL: empty.url })
  expect(await launched.exited).toBe(1)
  expect(launched.output()).toMatch(/schema version 0, .* run `drover migrate` first/)
  await empty.drop()
})

test('only one runs at a time; what is too young waits for a later run', async () => {
  const before = await readLines('transactions')
  expect((await run('--before', '2000-01-01T00:00:00Z')).files).toEqual([])
  await locks.hold([['select pg_advisory_xact_lock(4919341720851440)']], async () => {
    const second = launch()
    expect(await second.exited).toBe(4)
    expect(second.output()).toContain('Another archive is running')
  })
  const { files } = await run('--kind', 'transactions')
  expect(files).toMatchObject([{ kind: 'transactions', lines: 3 }])
  const ids = (await readLines('transactions')).map(({ transaction }) => transaction.id)
  expect(new Set(ids).size).toBe(before.length + 3)
})
