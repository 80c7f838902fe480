/**
 * The fence under true concurrency. A fenced write is held in its middle by the lock on the head of the event stream,
 * which it takes last: by then it holds its lease and its transactions.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tests/setup/database.ts'
import type { Store } from '../../ports/store.ts'
import { createLockHolder, EVENT_HEAD, type LockHolder } from '../../testing/store/lock-holder.ts'
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
} from '../../testing/store/samples.ts'
import { createSilentTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { toBytes } from './json-text.ts'
import { createPostgresStore } from './postgres-store.ts'

let database: TestDatabase
let store: Store
let other: Store
let locks: LockHolder

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  store = createPostgresStore(options)
  other = createPostgresStore(options)
  locks = await createLockHolder(database.url)
})

afterAll(async () => {
  await Promise.all([store.close(), other.close()])
  await locks.close()
  await database.drop()
})

test('a takeover waits for the fenced write in progress, and afterwards the old fence writes nothing [G5]', async () => {
  const lease = await acquire(store, await registerLane(store))
  const allocated = await allocateOne(store, lease, 0)
  await locks.hold([EVENT_HEAD], async (release) => {
    const save = toSave(allocated, toTracking(allocated), 'sent')
    const writing = store.writeLanes([toWrite(lease, [save])])
    await locks.untilWaiting(1)
    await locks.query(`update signer_lease set expires_at = clock_timestamp() where signer = $1`, [
      toBytes(lease.lane.signer),
    ])
    const taking = other.acquireLeases('node-b', [lease.lane], 60_000)
    await locks.untilWaiting(2)
    await release()
    expect(await writing).toEqual([{ type: 'written', versions: [3] }])
    expect(await taking).toEqual([{ lane: lease.lane, nodeId: 'node-b', fence: 2, takenFrom: 'node-a' }])
  })
  const tracking = { ...toTracking(allocated), version: 3 }
  const late = toSave(tracking, { ...tracking, subState: 'stale' }, 'late')
  expect(await store.writeLanes([toWrite(lease, [late])])).toEqual([{ type: 'fenced' }])
  expect(await store.findTransaction(allocated.id)).toEqual(tracking)
})

test('a release waits for the fenced write in progress', async () => {
  const lease = await acquire(store, await registerLane(store))
  const allocated = await allocateOne(store, lease, 0)
  await locks.hold([EVENT_HEAD], async (release) => {
    const writing = store.writeLanes([toWrite(lease, [toSave(allocated, toTracking(allocated), 'sent')])])
    await locks.untilWaiting(1)
    const releasing = store.releaseLeases([lease])
    await locks.untilWaiting(2)
    await release()
    expect((await writing)[0]?.type).toBe('written')
    await releasing
  })
})

test('a fenced write that waits for a takeover finds its fence stale, and its neighbour is written [G5]', async () => {
  const lease = await acquire(store, await registerLane(store))
  const queued = await acceptOne(store, lease.lane)
  const neighbour = await acquire(store, await registerLane(store))
  const bystander = await acceptOne(store, neighbour.lane)
  const takeover = [
    ['select from signer_lease where signer = $1 for update', [toBytes(lease.lane.signer)]],
    [`update signer_lease set owner_node = 'b', fencing_token = 9 where signer = $1`, [toBytes(lease.lane.signer)]],
  ] as const
  await locks.hold(takeover, async (release) => {
    const saves = [toSave(queued, toAllocated(queued, 0, lease), 'nonce.allocated')]
    const writing = store.writeLanes([
      toWrite(lease, saves, { cursor: { expected: null, next: 1 } }),
      toWrite(neighbour, [toSave(bystander, toAllocated(bystander, 0, neighbour), 'nonce.allocated')]),
    ])
    await locks.untilWaiting(1)
    await release()
    expect((await writing).map((result) => result.type)).toEqual(['fenced', 'written'])
  })
  expect(await store.findTransaction(queued.id)).toEqual(queued)
  expect(await store.loadLane(lease.lane)).toMatchObject({ cursor: null, inFlight: [], recyclable: [], window: null })
})

test('a pause waits for the write that takes a nonce, and a write that waits for a pause takes none', async () => {
  const note = { type: 'signer.paused', cause: 'operator', detail: {} }
  const lease = await acquire(store, await registerLane(store))
  const [first, second] = [await acceptOne(store, lease.lane), await acceptOne(store, lease.lane)]
  const take = (tx: typeof first, nonce: number) =>
    toWrite(lease, [toSave(tx, toAllocated(tx, nonce, lease), 'nonce.allocated')])
  const order: string[] = []
  await locks.hold([EVENT_HEAD], async (release) => {
    const writing = store.writeLanes([take(first, 0)]).finally(() => order.push('written'))
    await locks.untilWaiting(1)
    const pausing = other.updateSigner(lease.lane, { paused: true }, note).finally(() => order.push('paused'))
    await locks.untilWaiting(2)
    expect(order).toEqual([])
    await release()
    // After a pause it would be stale. Which answer arrives first says nothing: they come over two connections.
    expect((await writing)[0]?.type).toBe('written')
    expect(await pausing).toMatchObject({ paused: true })
  })
  expect((await store.writeLanes([take(second, 1)]))[0]?.type).toBe('stale')
  await other.updateSigner(lease.lane, { paused: false }, note)
  const pause = [
    ['select from signer_lease where signer = $1 for update', [toBytes(lease.lane.signer)]],
    ['update signer_lease set paused = true where signer = $1', [toBytes(lease.lane.signer)]],
  ] as const
  await locks.hold(pause, async (release) => {
    const writing = store.writeLanes([take(second, 1)])
    await locks.untilWaiting(1)
    await release()
    expect((await writing)[0]?.type).toBe('stale')
  })
})

test('a renewal does not wait for a fenced write, nor does another node that looks for free lanes', async () => {
  const lease = await acquire(store, await registerLane(store), 'renewing')
  const allocated = await allocateOne(store, lease, 0)
  await locks.hold([EVENT_HEAD], async (release) => {
    const writing = store.writeLanes([toWrite(lease, [toSave(allocated, toTracking(allocated), 'sent')])])
    await locks.untilWaiting(1)
    expect(await other.renewLeases('renewing', 60_000)).toEqual([{ ...lease, wantedBy: null }])
    expect(await other.acquireLeases('node-b', [lease.lane], 60_000)).toEqual([])
    await other.requestLeases('node-b', [lease.lane])
    await release()
    expect((await writing)[0]?.type).toBe('written')
  })
})

test('events of writes that overlap are numbered in the order in which they commit [G8]', async () => {
  const [first, second] = [
    await acquire(store, await registerLane(store)),
    await acquire(store, await registerLane(store)),
  ]
  const [slow, quick] = [await allocateOne(store, first, 0), await allocateOne(store, second, 0)]
  const start = await lastEventId(store)
  // Holds up the first write before it reaches the head, though it began first.
  await locks.hold([['select from managed_tx where tx_id = $1 for update', [slow.id]]], async (release) => {
    const writing = store.writeLanes([toWrite(first, [toSave(slow, toTracking(slow), 'slow')])])
    await locks.untilWaiting(1)
    await other.writeLanes([toWrite(second, [toSave(quick, toTracking(quick), 'quick')])])
    expect((await store.readEvents(start, 10)).map((event) => event.type)).toEqual(['quick'])
    await release()
    await writing
  })
  const events = await store.readEvents(start, 10)
  expect(events.map((event) => [event.eventId - start, event.type])).toEqual([
    [1, 'quick'],
    [2, 'slow'],
  ])
})

test('a write that foresees the version of a write in progress is stale', async () => {
  const lease = await acquire(store, await registerLane(store))
  const allocated = await allocateOne(store, lease, 0)
  const tracking = toTracking(allocated)
  await locks.hold([EVENT_HEAD], async (release) => {
    const writing = store.writeLanes([toWrite(lease, [toSave(allocated, tracking, 'sent')])])
    await locks.untilWaiting(1)
    const foreseen = { ...tracking, version: allocated.version + 1 }
    const [result] = await other.writeLanes([toWrite(lease, [toSave(foreseen, foreseen, 'sent')])])
    expect(result?.type).toBe('stale')
    await release()
    expect((await writing)[0]?.type).toBe('written')
  })
})

test('a write that waits for an amendment of the same version is stale', async () => {
  const lease = await acquire(store, await registerLane(store))
  const queued = await acceptOne(store, lease.lane)
  await locks.hold([EVENT_HEAD], async (release) => {
    const amending = other.amend(toSave(queued, { ...queued, suspended: true }, 'operator.suspended'), [])
    await locks.untilWaiting(1)
    const saves = [toSave(queued, toAllocated(queued, 0, lease), 'nonce.allocated')]
    const writing = store.writeLanes([toWrite(lease, saves, { cursor: { expected: null, next: 1 } })])
    await locks.untilWaiting(2)
    await release()
    expect(await amending).toEqual({ type: 'written', version: 2 })
    expect((await writing)[0]?.type).toBe('stale')
  })
  expect(await store.loadLane(lease.lane)).toMatchObject({ cursor: null, inFlight: [], recyclable: [], window: null })
})

test('nodes that accept the same keys at once agree on one transaction for each [G3]', async () => {
  const lane = await registerLane(store)
  const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`)
  const requestDigest = `0x${'11'.repeat(32)}` as const
  const batchOf = (ids: readonly string[]) => ids.map((requestId) => anyNew(lane, { requestId, requestDigest }))
  const rounds = await Promise.all([
    store.insertTransactions(batchOf(keys)),
    other.insertTransactions(batchOf([...keys].reverse())),
    store.insertTransactions(batchOf(keys)),
    other.insertTransactions(batchOf([...keys].reverse())),
  ])
  const types = rounds.flat().map((outcome) => outcome.type)
  expect(types.filter((type) => type === 'inserted')).toHaveLength(keys.length)
  expect(types.filter((type) => type === 'existing')).toHaveLength(keys.length * 3)
})

test('what is accepted later is not seen earlier, so that nonces of a lane follow acceptance', async () => {
  const lane = await registerLane(store)
  const taken = await acceptOne(store, lane)
  const [first, second] = [anyNew(lane, { requestId: 'held-up' }), anyNew(lane, { requestId: 'quick' })]
  const inserts: Promise<unknown>[] = []
  const rename = ['update managed_tx set request_id = $1 where tx_id = $2', ['held-up', taken.id]] as const
  await locks.hold([rename], async () => {
    // It has its place, and waits to hear whether its key is taken.
    inserts.push(store.insertTransactions([first]))
    await locks.untilWaiting(1)
    const following = other.insertTransactions([second])
    inserts.push(following)
    await Promise.race([following, locks.untilWaiting(2)])
    expect((await store.readQueue(lane, 10)).map(({ id }) => id)).toEqual([taken.id])
  })
  await Promise.all(inserts)
  expect((await store.readQueue(lane, 10)).map(({ id }) => id)).toEqual([taken.id, first.id, second.id])
})

test('a list from the oldest on waits for an insert that took its place first, and steps over nothing', async () => {
  const signer = '0x0000000000000000000000000000000000000001'
  const slowLane = await registerLane(store, { chainId: 900_001, signer })
  const quickLane = await registerLane(store, { chainId: 900_002, signer })
  const made = await acceptOne(store, slowLane, { requestId: 'made' })
  // A rival under the same request id: the insert has its place in line by the time that it meets it.
  const rival = `
insert into managed_tx select (jsonb_populate_record(t, $2)).* from managed_tx t where tx_id = $1`
  const change = { tx_id: anyNew(slowLane).id, request_id: 'slow', accepted_seq: -1, queue_position: -1 }
  await locks.hold([[rival, [made.id, change]]], async () => {
    const inserting = store.insertTransactions([anyNew(slowLane, { requestId: 'slow' })])
    await locks.untilWaiting(1)
    const quick = [await acceptOne(other, quickLane), await acceptOne(other, quickLane)]
    const after = (await store.listTransactions({ from: signer }, { after: null, limit: 10, order: 'asc' })).items
    expect(after.map(({ id }) => id)).toEqual([made.id, ...quick.map(({ id }) => id)])
    const page = (cursor: string | null) =>
      other.listTransactions({ from: signer }, { after: cursor, limit: 2, order: 'asc' })
    const reading = page(null)
    await locks.untilWaiting(2)
    await locks.giveUp()
    const [outcome] = await inserting
    const first = await reading
    const ids = [...first.items, ...(await page(first.next)).items].map(({ id }) => id)
    const slow = outcome?.type === 'inserted' ? outcome.transaction.id : null
    expect(ids).toEqual([made.id, slow, ...quick.map(({ id }) => id)])
  })
})
