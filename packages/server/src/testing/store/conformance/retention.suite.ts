/** The end of finished transactions: what goes, what stays, and that nothing is accepted twice because of it. */
import { describe, expect, test } from 'vitest'
import type { Lane } from '../../../core/lane/lane.ts'
import type { Finished, Intent } from '../../../core/transaction/transaction.ts'
import type { RetentionStore } from '../../../ports/retention-store.ts'
import type { Store } from '../../../ports/store.ts'
import { acceptOne, acquire, anyHash, anyNew, registerLane, toAllocated, toConfirmed, write } from '../samples.ts'
import type { GetStore } from './store.suite.ts'

const LIMIT = 50

/** Final long ago: samples are finished at their allocation, so any age of zero is enough. */
async function finishOne(store: Store, lane: Lane, over: Partial<Intent> = {}): Promise<Finished> {
  const queued = await acceptOne(store, lane, over)
  const lease = await acquire(store, lane)
  const [allocated] = await write(store, lease, [[queued, toAllocated(queued, 0, lease)]])
  if (allocated === undefined) throw new Error('nothing was allocated')
  const [finished] = await write(store, lease, [[allocated, toConfirmed(allocated)]])
  if (finished === undefined) throw new Error('nothing was finished')
  return finished
}

/** Others of the suite may have finished transactions too: looks at all of them. */
async function retireAll(store: RetentionStore, finalForMs = 0): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const look = await store.retireTransactions({ finalForMs, after, limit: LIMIT })
    if (look === null) throw new Error('somebody else is retiring')
    after = look.next
  }
}

async function deleteAll(store: RetentionStore, retiredForMs = 0): Promise<void> {
  while ((await store.deleteRetired(retiredForMs, LIMIT)) === LIMIT);
}

export function describeRetention(get: GetStore): void {
  describe('retention', () => {
    test('a finished transaction goes with its attempts and history, and others stay', async () => {
      const { store, elapse } = get()
      const [lane, other] = [await registerLane(store), await registerLane(store)]
      const [gone, queued] = [await finishOne(store, lane), await acceptOne(store, other)]
      await elapse(60_000)
      await retireAll(store)
      expect(await store.findTransaction(gone.id)).not.toBeNull()
      await deleteAll(store)
      expect(await store.findTransaction(gone.id)).toBeNull()
      expect(await store.findTransactionByHash(gone.attempts[0]?.hash ?? anyHash())).toBeNull()
      expect(await store.readHistory(gone.id)).toEqual([])
      const events = await store.readEvents(0, 100_000)
      expect(events.filter(({ txId }) => txId === gone.id)).toEqual([])
      expect(await store.findTransaction(queued.id)).toMatchObject({ state: 'QUEUED' })
      expect(events.some(({ txId }) => txId === queued.id)).toBe(true)
    })

    test('what is not old enough stays, and so does what was only just retired', async () => {
      const { store, elapse } = get()
      const kept = await finishOne(store, await registerLane(store))
      await elapse(60_000)
      const tenYears = 3_650 * 86_400_000
      await retireAll(store, tenYears)
      await deleteAll(store)
      expect(await store.findTransaction(kept.id)).not.toBeNull()
      await retireAll(store)
      await deleteAll(store, tenYears)
      expect(await store.findTransaction(kept.id)).not.toBeNull()
    })

    test('what was not archived stays if it has to', async () => {
      const { store, elapse } = get()
      const kept = await finishOne(store, await registerLane(store))
      await elapse(60_000)
      const look = await store.retireTransactions({ finalForMs: 0, after: 0, limit: 100_000, onlyArchived: true })
      expect(look).toEqual({ count: 0, next: null })
      await deleteAll(store)
      expect(await store.findTransaction(kept.id)).not.toBeNull()
      const events = (await store.readEvents(0, 100_000)).length
      expect(await store.deleteLaneEvents(0, LIMIT, true)).toBe(0)
      expect(await store.readEvents(0, 100_000)).toHaveLength(events)
    })

    test('a repeat of its request is recognised: while it is retired, and after it was deleted [G3]', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const first = await finishOne(store, lane, { requestId: 'once' })
      await elapse(60_000)
      const repeat = async () => (await store.insertTransactions([{ ...anyNew(lane), intent: first.intent }]))[0]
      const find = async () => (await store.findRequests([{ lane, tenant: 'ann', requestId: 'once' }]))[0]
      await retireAll(store)
      expect(await repeat()).toMatchObject({ type: 'existing', transaction: { id: first.id } })
      expect(await find()).toMatchObject({ state: 'CONFIRMED', id: first.id })
      await deleteAll(store)
      expect(await find()).toEqual({ state: 'DELETED', id: first.id, requestDigest: first.intent.requestDigest })
      expect(await repeat()).toEqual({ type: 'deleted', transactionId: first.id })
      const [other] = await store.insertTransactions([anyNew(lane, { requestId: 'once' })])
      expect(other).toEqual({ type: 'conflict', transactionId: first.id })
      // With it in one batch, others are stored.
      const [again, fresh] = await store.insertTransactions([{ ...anyNew(lane), intent: first.intent }, anyNew(lane)])
      expect([again?.type, fresh?.type]).toEqual(['deleted', 'inserted'])
    })

    test('a tenant cannot repeat a request from the time before there were keys; its own ids are its own', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const first = await finishOne(store, lane, { requestId: 'old' })
      await elapse(60_000)
      await retireAll(store)
      await deleteAll(store)
      const asAnn = { ...anyNew(lane), intent: first.intent, tenant: 'ann' }
      expect((await store.insertTransactions([asAnn]))[0]).toEqual({ type: 'deleted', transactionId: first.id })
      const ownId = { ...anyNew(lane, { requestId: 'own' }), tenant: 'ann' }
      expect((await store.insertTransactions([ownId]))[0]?.type).toBe('inserted')
    })

    test('a request id is forgotten after its own time', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const first = await finishOne(store, lane, { requestId: 'forgotten' })
      await elapse(60_000)
      await retireAll(store)
      await deleteAll(store)
      while ((await store.forgetRequests(86_400_000, LIMIT)) === LIMIT);
      const repeat = async () => (await store.insertTransactions([{ ...anyNew(lane), intent: first.intent }]))[0]
      expect((await repeat())?.type).toBe('deleted')
      while ((await store.forgetRequests(0, LIMIT)) === LIMIT);
      expect((await repeat())?.type).toBe('inserted')
    })

    test('each look is short, and says where the next one begins', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const ids = [await acceptOne(store, lane), await acceptOne(store, lane), await acceptOne(store, lane)]
      await elapse(60_000)
      let looks = 0
      for (let after: number | null = 0; after !== null; looks++) {
        const look: Awaited<ReturnType<RetentionStore['retireTransactions']>> = await store.retireTransactions({
          finalForMs: 0,
          after,
          limit: 1,
        })
        if (look?.next !== null && look !== null) expect(look.next).toBeGreaterThan(after)
        after = look?.next ?? null
      }
      expect(looks).toBeGreaterThan(ids.length)
    })
  })
}
