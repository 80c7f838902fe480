/**
 * Plans that were made while the tables were empty, met by a lane with thousands of transactions: statements are prepared
 * once for each connection, and until statistics are there every way to a row looks equally cheap.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../../tests/setup/database.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { NewTransaction } from '../../../ports/store.ts'
import { anyNew, registerLane } from '../../../testing/store/samples.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createDatabase, type Database, type Statement } from '../database.ts'
import { createQueueReads } from '../lanes/queue-reads.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { insertTransactions } from './insert-transactions.ts'
import { findRequests } from './transaction-reads.ts'

const ROWS = 3_000
const BATCH = 500

let testDatabase: TestDatabase
let database: Database
let lane: Lane
let made = 0

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const telemetry = createSilentTelemetry()
  const store = createPostgresStore({ databaseUrl: testDatabase.url, telemetry })
  lane = await registerLane(store)
  await store.close()
  // One connection, whose plans are made at first sight and kept.
  database = createDatabase({ databaseUrl: testDatabase.url, telemetry, poolSize: 1 })
  await run('set plan_cache_mode = force_generic_plan')
  await run('alter table managed_tx set (autovacuum_enabled = off)')
  for (const statement of Object.values(STATEMENTS)) await statement(database)
  for (let at = 0; at < ROWS; at += BATCH) await insertTransactions(database, Array.from({ length: BATCH }, anyOther))
})

afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
})

const run = (text: string) => database.query({ name: null, text }, [])

function anyOther(): NewTransaction {
  return { ...anyNew(lane, { requestId: `request-${made++}` }), tenant: 'shop' }
}

const STATEMENTS = {
  find_requests: (db: Database) =>
    findRequests(
      db,
      Array.from({ length: 20 }, (_, index) => ({ lane, requestId: `unknown-${index}`, tenant: 'shop' })),
    ),
  insert_transactions: (db: Database) => insertTransactions(db, [anyOther(), anyOther()]),
  read_queue: (db: Database) => createQueueReads(db)(lane, 10),
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** How many rows of the table are looked at, found or not. */
function countRows(node: PlanNode): number {
  const inner = (node.Plans ?? []).reduce((sum, each) => sum + countRows(each), 0)
  if (node['Relation Name'] !== 'managed_tx' || !node['Node Type'].includes('Scan')) return inner
  const each = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
  return inner + each * (node['Actual Loops'] ?? 1)
}

/** Runs it once more, as it was prepared, and tells what it did. */
async function explainPrepared(ask: (db: Database) => Promise<unknown>): Promise<number> {
  const seen: number[] = []
  let failure: unknown = new Error('nothing was asked')
  const explaining: Database = {
    query: async (statement: Statement, values) => {
      if (seen.length > 0) return []
      const text = `explain (analyze, format json) execute ${statement.name}(${values.map(quote).join(', ')})`
      const [row] = await database
        .query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({ name: null, text }, [])
        .catch((error: unknown) => {
          failure = error
          throw error
        })
      const plan = row?.['QUERY PLAN'][0]?.Plan
      if (plan !== undefined) seen.push(countRows(plan))
      return []
    },
    close: async () => {},
  }
  // It gets no rows, and may well say so.
  await ask(explaining).catch(() => undefined)
  const [rows] = seen
  if (rows === undefined) throw failure
  return rows
}

function quote(value: unknown): string {
  const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

test.each(Object.entries(STATEMENTS).map(([name, ask]) => ({ name, ask })))(
  '$name looks at no more rows than it needs',
  async ({ ask }) => {
    expect(await explainPrepared(ask)).toBeLessThanOrEqual(20)
  },
)
