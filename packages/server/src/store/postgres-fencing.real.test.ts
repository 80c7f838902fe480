/**
 * The fence under true concurrency. A fenced write is held in its middle by the lock on the head of the event stream,
 * which it takes last: by then it holds its lease and its transactions.
 */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../tests/setup/database.ts'
import type { Lease } from '../core/lane.ts'
import type { Store } from '../ports/store.ts'
import { createPostgresStore } from './postgres-store.ts'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyNew,
  lastEventId,
  registerLane,
  toAllocated,
  toSave,
  toTracking,
  toWrite,
} from './samples.suite.ts'

let database: TestDatabase
let store: Store
let other: Store
let admin: Client

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: { log: () => {} } }
  store = createPostgresStore({ ...options, applicationName: 'store' })
  other = createPostgresStore({ ...options, applicationName: 'other' })
  admin = new Client({ connectionString: database.url })
  await admin.connect()
})

afterAll(async () => {
  await Promise.all([store.close(), other.close()])
  await admin.end()
  await database.drop()
})

/** Resolves when this many statements of the stores wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const { rows } = await admin.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name in ('store', 'other') and wait_event_type = 'Lock'`,
    )
    if (rows[0]?.count === count) return
  }
}

async function expire(lease: Lease): Promise<void> {
  await admin.query(
    `update signer_lease set expires_at = clock_timestamp() - interval '1 second' where chain_id = $1`,
    [lease.lane.chainId],
  )
}

test('a takeover waits for the fenced write in progress, and afterwards the old fence writes nothing', async () => {
  const lease = await acquire(store, await registerLane(store))
  const allocated = await allocateOne(store, lease, 0)
  const save = toSave(allocated, toTracking(allocated), 'sent')
  await admin.query('begin')
  await admin.query('select from event_head for update')
  const writing = store.writeLanes([toWrite(lease, [save])])
  await untilWaiting(1)
  await expire(lease)
  const order: string[] = []
  const taking = other.acquireLeases('node-b', [lease.lane], 60_000).then((taken) => {
    order.push('taken')
    return taken
  })
  await untilWaiting(2)
  await admin.query('commit')
  expect(await writing.finally(() => order.unshift('written'))).toEqual([{ type: 'written', versions: [3] }])
  expect(await taking).toEqual([{ lane: lease.lane, nodeId: 'node-b', fence: 2 }])
  expect(order).toEqual(['written', 'taken'])
  const tracking = { ...toTracking(allocated), version: 3 }
  const late = toSave(tracking, { ...tracking, subState: 'stale' }, 'late')
  expect(await store.writeLanes([toWrite(lease, [late])])).toEqual([{ type: 'fenced' }])
  expect(await store.findTransaction(allocated.id)).toEqual(tracking)
})

test('a fenced write that waits for a takeover finds its fence stale', async () => {
  const lease = await acquire(store, await registerLane(store))
  const queued = await acceptOne(store, lease.lane)
  const neighbour = await acquire(store, await registerLane(store))
  const bystander = await acceptOne(store, neighbour.lane)
  await admin.query('begin')
  await admin.query(
    `update signer_lease set owner_node = 'node-b', fencing_token = fencing_token + 1
      where (chain_id, signer) in (select chain_id, signer from signer_lease where chain_id = $1 for update)`,
    [lease.lane.chainId],
  )
  const writing = store.writeLanes([
    toWrite(lease, [toSave(queued, toAllocated(queued, 0, lease), 'nonce.allocated')], {
      cursor: { expected: null, next: 1 },
    }),
    toWrite(neighbour, [toSave(bystander, toAllocated(bystander, 0, neighbour), 'nonce.allocated')]),
  ])
  await untilWaiting(1)
  await admin.query('commit')
  expect((await writing).map((result) => result.type)).toEqual(['fenced', 'written'])
  expect(await store.findTransaction(queued.id)).toEqual(queued)
  expect(await store.loadLane(lease.lane)).toEqual({ cursor: null, inFlight: [], recyclable: [] })
})

test('a renewal does not wait for a fenced write', async () => {
  const lease = await acquire(store, await registerLane(store), 'renewing')
  const allocated = await allocateOne(store, lease, 0)
  await admin.query('begin')
  await admin.query('select from event_head for update')
  const writing = store.writeLanes([toWrite(lease, [toSave(allocated, toTracking(allocated), 'sent')])])
  await untilWaiting(1)
  expect(await other.renewLeases('renewing', 60_000)).toEqual([{ ...lease, wantedBy: null }])
  await admin.query('commit')
  expect((await writing)[0]?.type).toBe('written')
})

test('events of writes that overlap are numbered in the order in which they commit', async () => {
  const [first, second] = [
    await acquire(store, await registerLane(store)),
    await acquire(store, await registerLane(store)),
  ]
  const [slow, quick] = [await allocateOne(store, first, 0), await allocateOne(store, second, 0)]
  const start = await lastEventId(store)
  await admin.query('begin')
  // Holds up the first write before it reaches the head, though it began first.
  await admin.query('select from managed_tx where tx_id = $1 for update', [slow.id])
  const slowly = store.writeLanes([toWrite(first, [toSave(slow, toTracking(slow), 'slow')])])
  await untilWaiting(1)
  await other.writeLanes([toWrite(second, [toSave(quick, toTracking(quick), 'quick')])])
  expect((await store.readEvents(start, 10)).map((event) => event.type)).toEqual(['quick'])
  await admin.query('commit')
  await slowly
  const events = await store.readEvents(start, 10)
  expect(events.map((event) => [event.eventId - start, event.type])).toEqual([
    [1, 'quick'],
    [2, 'slow'],
  ])
})

test('a repeat is counted even if the entry was committed after the statement began', async () => {
  const lease = await acquire(store, await registerLane(store))
  const allocated = await allocateOne(store, lease, 0)
  const tracking = toTracking(allocated)
  await admin.query('begin')
  await admin.query('select from event_head for update')
  const writing = store.writeLanes([toWrite(lease, [toSave(allocated, tracking, 'sent')])])
  await untilWaiting(1)
  const foreseen = { ...tracking, version: allocated.version + 1 }
  const repeating = other.writeLanes([toWrite(lease, [toSave(foreseen, foreseen, 'sent')])])
  await untilWaiting(2)
  await admin.query('commit')
  expect((await writing)[0]?.type).toBe('written')
  expect(await repeating).toEqual([{ type: 'written', versions: [allocated.version + 2] }])
  expect((await store.readHistory(allocated.id)).at(-1)).toMatchObject({ type: 'sent', count: 2 })
})

test('nodes that accept the same keys at once agree on one transaction for each', async () => {
  const lane = await registerLane(store)
  const requests = Array.from({ length: 30 }, (_, index) => `key-${index}`)
  const digest = `0x${'11'.repeat(32)}` as const
  const batchOf = (keys: readonly string[]) =>
    keys.map((requestId) => anyNew(lane, { requestId, requestDigest: digest }))
  const rounds = await Promise.all([
    store.insertTransactions(batchOf(requests)),
    other.insertTransactions(batchOf([...requests].reverse())),
    store.insertTransactions(batchOf(requests)),
    other.insertTransactions(batchOf([...requests].reverse())),
  ])
  const outcomes = rounds.flat()
  expect(outcomes.filter((outcome) => outcome.type === 'inserted')).toHaveLength(requests.length)
  expect(outcomes.filter((outcome) => outcome.type === 'existing')).toHaveLength(requests.length * 3)
})
