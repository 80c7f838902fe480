/** What somebody may see is left out by the store itself, so that pages are full and cursors right. */
import { describe, expect, test } from 'vitest'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyNew,
  lastEventId,
  registerLane,
  toConfirmed,
  toSave,
  toWrite,
} from '../samples.ts'
import type { GetStore } from './store.suite.ts'

export function describeReach(get: GetStore): void {
  describe('reach', () => {
    async function registerTwo() {
      const { store } = get()
      const [mine, theirs] = [await registerLane(store), await registerLane(store)]
      return { store, mine, theirs, bySigner: { signers: [mine.signer], chains: null } }
    }

    test('pages of transactions are filled with visible ones, up to the end', async () => {
      const { store, mine, theirs, bySigner } = await registerTwo()
      const own: string[] = []
      for (let count = 0; count < 5; count++) {
        own.unshift((await acceptOne(store, mine)).id)
        await acceptOne(store, theirs)
      }
      const first = await store.listTransactions({ reach: bySigner }, { after: null, limit: 3 })
      const second = await store.listTransactions({ reach: bySigner }, { after: first.next, limit: 3 })
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(own)
      expect([first.items.length, second.next]).toEqual([3, null])
      const other = await store.listTransactions({ reach: bySigner, from: theirs.signer }, { after: null, limit: 3 })
      expect(other).toEqual({ items: [], next: null })
    })

    test('pages of events too, and by chain as by signer', async () => {
      const { store, mine, theirs, bySigner } = await registerTwo()
      const start = await lastEventId(store)
      const own: string[] = []
      for (let count = 0; count < 4; count++) {
        await acceptOne(store, theirs)
        own.push((await acceptOne(store, mine)).id)
      }
      const first = await store.readEvents(start, 3, bySigner)
      const second = await store.readEvents(first.at(-1)?.eventId ?? 0, 3, bySigner)
      expect([...first, ...second].map(({ txId }) => txId)).toEqual(own)
      expect(first).toHaveLength(3)
      const chains = [mine.chainId]
      expect(await store.readEvents(start, 100, { signers: null, chains })).toEqual(
        (await store.readEvents(start, 100)).filter(({ lane }) => lane.chainId === mine.chainId),
      )
      expect(await store.readEvents(start, 100, { signers: null, chains: [mine.chainId + 999_999] })).toEqual([])
      expect(await store.readEvents(start, 100, { signers: null, chains: null })).toHaveLength(8)
    })

    test('and completions', async () => {
      const { store, mine, theirs, bySigner } = await registerTwo()
      const start = await lastEventId(store)
      for (const lane of [theirs, mine]) {
        const lease = await acquire(store, lane)
        const tx = await allocateOne(store, lease, 0)
        await store.writeLanes([toWrite(lease, [toSave(tx, toConfirmed(tx), 'finality.reached')])])
      }
      const seen = await store.readCompletions(start, 10, bySigner)
      expect(seen.map(({ lane, type }) => [lane.signer, type])).toEqual([[mine.signer, 'finality.reached']])
      expect(await store.readCompletions(start, 10)).toHaveLength(2)
    })

    test('lanes, all of them or the one that is asked for', async () => {
      const { store, mine, theirs, bySigner } = await registerTwo()
      const lanesOf = (found: Awaited<ReturnType<typeof store.listLaneStatus>>) =>
        found.map(({ signer }) => signer.lane)
      expect(lanesOf(await store.listLaneStatus({ reach: bySigner }))).toEqual([mine])
      expect(lanesOf(await store.listLaneStatus({ reach: bySigner, lane: mine }))).toEqual([mine])
      expect(await store.listLaneStatus({ reach: bySigner, lane: theirs })).toEqual([])
      const chains = [theirs.chainId + 999_999]
      expect(await store.listLaneStatus({ reach: { signers: null, chains }, lane: mine })).toEqual([])
    })

    test('a history begins with the requester, if known', async () => {
      const { store, mine } = await registerTwo()
      const [named, unnamed] = [{ ...anyNew(mine), by: 'Zoë (1f)' }, anyNew(mine)]
      await store.insertTransactions([named, unnamed])
      expect((await store.readHistory(named.id))[0]).toMatchObject({ type: 'accepted', detail: { by: 'Zoë (1f)' } })
      expect((await store.readHistory(unnamed.id))[0]?.detail).toEqual({})
    })
  })
}
