/** Lists among a hundred thousand transactions: every filter is answered by an index, and reads little more than it gives. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../../tests/setup/database.ts'
import { STABLE } from '../../../core/lane/policy.ts'
import type { ListOrder } from '../../../ports/history.ts'
import type { TransactionFilter } from '../../../ports/store.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createDatabase, type Database, type Statement } from '../database.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { listTransactions } from './transaction-list.ts'

const ROWS = 100_000
const SIGNERS = [1, 2, 3, 4].map((number) => `0x${String(number).repeat(40)}` as const)
/** Few transactions are on this one. */
const QUIET_CHAIN = 7
const BUSY_CHAIN = 1

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const telemetry = createSilentTelemetry()
  const store = createPostgresStore({ databaseUrl: testDatabase.url, telemetry })
  const lanes = [BUSY_CHAIN, QUIET_CHAIN].flatMap((chainId) => SIGNERS.map((signer) => ({ chainId, signer })))
  await store.registerSigners(lanes.map((lane) => ({ lane, policy: STABLE, label: null })))
  await store.close()
  await fill()
  database = createDatabase({ databaseUrl: testDatabase.url, telemetry })
})

afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
})

/** The oldest are final, the newest queued; every thousandth is on the quiet chain. Ids begin with their time. */
async function fill(): Promise<void> {
  const client = new Client({ connectionString: testDatabase.url })
  await client.connect()
  await client.query(
    `
with numbered as (
  select n, case when n % 1000 = 7 then ${QUIET_CHAIN} else ${BUSY_CHAIN} end as chain_id,
         decode(repeat((1 + n % 4)::text, 40), 'hex') as signer, n >= $1 - 1000 as is_queued,
         (lpad(to_hex(1700000000000 + n * 1000), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as tx_id,
         to_timestamp(1700000000 + n) as at
    from generate_series(0, $1 - 1) n
), added as (
  insert into managed_tx (tx_id, chain_id, signer, request_id, request_digest, to_address, data, value, speed, priority, simulate,
    metadata, created_at, accepted_seq, queue_position, state, sub_state, event_seq, event_open_from, nonce, fencing_token,
    node_id, allocated_at, waiting_since, submit_count, refusals, next_resubmit_at, new_forks, wish, may_be_held,
    inclusion, confirmations, mined_at, final_at)
  select tx_id, chain_id, signer, 'r-' || n, decode(repeat('00', 32), 'hex'),
    decode(lpad((n % 1000)::text, 40, '0'), 'hex'), '', 0, 'standard', 0, false,
    case when n % 2 = 0 then '{}' else jsonb_build_object('order', n::text, 'kind', (n % 4)::text) end, at, n,
    case when is_queued then n end, case when is_queued then 'QUEUED' else 'CONFIRMED' end, 'final', 1, 2,
    case when not is_queued then n end, case when not is_queued then 1 end, case when not is_queued then 'node' end,
    case when not is_queued then at end, case when not is_queued then at end, case when not is_queued then 1 end,
    case when not is_queued then 0 end, case when not is_queued then at end, case when not is_queued then 0 end,
    case when not is_queued then 'none' end, case when not is_queued then true end,
    case when not is_queued then '{}'::jsonb end,
    case when not is_queued then '[]'::jsonb end, case when not is_queued then at end,
    case when not is_queued then at end
    from numbered
)
insert into nonce_allocation (chain_id, signer, nonce, status, tx_id)
select chain_id, signer, n, 'USED', tx_id from numbered where not is_queued`,
    [ROWS],
  )
  // Few failed, and long ago.
  await client.query(
    `update managed_tx set state = case when accepted_seq = 13 then 'CANCELLED' else 'FAILED_FINAL' end,
            inclusion = '{"gasUsed": "1", "effectiveGasPrice": "1"}' where accepted_seq in (11, 12, 13, 500)`,
  )
  // As it would be, had they come one by one.
  await client.query('cluster managed_tx using managed_tx_accepted')
  await client.query('vacuum analyze')
  await client.end()
}

interface Plan {
  readonly text: string
  /** Pages that were looked at: what it costs, whatever the machine. */
  readonly pages: number
}

/** What the database does for a list, as the store asks for it. */
async function explain(
  filter: TransactionFilter,
  after: string | null = null,
  order: ListOrder = 'desc',
): Promise<Plan> {
  const plans: Plan[] = []
  const explaining: Database = {
    query: async (statement: Statement, values) => {
      const text = `explain (analyze, buffers, format json) ${statement.text}`
      const [row] = await database.query<{ 'QUERY PLAN': readonly { readonly Plan: Record<string, unknown> }[] }>(
        { name: null, text },
        values,
      )
      const plan = row?.['QUERY PLAN'][0]?.Plan ?? {}
      const pages = Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
      plans.push({ text: JSON.stringify(plan), pages })
      return []
    },
    close: async () => {},
  }
  await listTransactions(explaining, filter, { after, limit: 50, order })
  const [plan] = plans
  if (plan === undefined) throw new Error('nothing was asked')
  return plan
}

const [signer = '0x'] = SIGNERS
const RECEIVER = `0x${'123'.padStart(40, '0')}` as const
const MIDDLE = (1_700_000_000 + ROWS / 2) * 1_000
const CASES: readonly (readonly [name: string, filter: TransactionFilter, after?: string])[] = [
  ['nothing', {}],
  ['nothing, far back', {}, '1000'],
  ['a receiver', { to: RECEIVER }],
  ['a receiver on a quiet chain', { to: RECEIVER, chainId: QUIET_CHAIN }],
  ['a receiver that is not there', { to: `0x${'9'.repeat(40)}` }],
  ['metadata that one has', { metadata: { order: '501' } }],
  ['metadata that many have', { metadata: { kind: '1' } }],
  ['metadata that is not there', { metadata: { order: 'none' } }],
  ['a prefix that few have', { requestIdPrefix: 'r-1234' }],
  ['a prefix that all have', { requestIdPrefix: 'r-' }],
  ['a prefix that all have, of a tenant', { requestIdPrefix: 'r-', requestsOf: 'ann' }],
  ['a prefix that few have, of a tenant', { requestIdPrefix: 'r-1234', requestsOf: 'ann' }],
  ['a prefix that is not there', { requestIdPrefix: 'x' }],
  ['a minute long ago', { since: MIDDLE, until: MIDDLE + 60_000 }],
  ['until long ago', { until: MIDDLE }],
  ['a busy chain', { chainId: BUSY_CHAIN }],
  ['a quiet chain', { chainId: QUIET_CHAIN }],
  ['a signer', { from: signer }],
  ['a signer on a quiet chain', { chainId: QUIET_CHAIN, from: signer }],
  ['queued', { states: ['QUEUED'] }],
  ['in flight', { states: ['ALLOCATED', 'TRACKING', 'STUCK'] }],
  ['open', { states: ['QUEUED', 'TRACKING'] }],
  ['confirmed', { states: ['CONFIRMED'] }],
  ['failed', { states: ['FAILED_FINAL'] }],
  ['failed, of a signer', { states: ['FAILED_FINAL'], from: signer }],
  ['failed or cancelled', { states: ['FAILED_FINAL', 'CANCELLED'] }],
  ['expired, of which there are none', { states: ['EXPIRED'] }],
  ['a request id', { requestId: 'r-500' }],
  ['a request id of a tenant', { requestId: 'r-500', requestsOf: 'ann' }],
  ['a request id of a signer', { chainId: BUSY_CHAIN, from: signer, requestId: 'r-500' }],
  ['a request id that is not there', { requestId: 'nothing' }],
  ['a hash', { hash: `0x${'ab'.repeat(32)}` }],
  ['a nonce', { nonce: 500 }],
  ['a nonce of a signer', { chainId: BUSY_CHAIN, from: signer, nonce: 500 }],
  ['a nonce that is not there', { nonce: 10_000_000 }],
  ['since a moment', { since: (1_700_000_000 + ROWS - 100) * 1_000 }],
  ['since a moment, queued, on a quiet chain', { since: (1_700_000_000 + ROWS - 100) * 1_000, chainId: QUIET_CHAIN }],
]

/** A page of fifty, each with its attempts, and the way to it. */
const FEW_PAGES = 400

test.each(CASES.map(([name, filter, after = null]) => ({ name, filter, after })))(
  '$name, from either end',
  async ({ filter, after }) => {
    for (const order of ['desc', 'asc'] as const) {
      const { text, pages } = await explain(filter, after, order)
      expect(text).not.toContain('Seq Scan')
      expect(pages).toBeLessThan(FEW_PAGES)
    }
  },
)

test('those that failed are found by how they ended', async () => {
  const list = async (states: TransactionFilter['states']) => {
    const { items } = await listTransactions(database, { ...(states && { states }) }, { after: null, limit: 50 })
    return items.map(({ intent }) => intent.requestId)
  }
  expect(await list(['FAILED_FINAL'])).toEqual(['r-500', 'r-12', 'r-11'])
  expect(await list(['CANCELLED', 'FAILED_FINAL'])).toEqual(['r-500', 'r-13', 'r-12', 'r-11'])
  expect(await list(['EXPIRED'])).toEqual([])
})
