/** Reads: by id and hash, lists with every filter, headers. */
import { describe, expect, test } from 'vitest'
import type { Header } from '../../../core/chain/finality.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { Store, TransactionFilter } from '../../../ports/store.ts'
import {
  accept,
  acceptOne,
  acquire,
  allocateOne,
  anyAddress,
  anyAttempt,
  anyHash,
  anyLane,
  anyNew,
  neighboursOf,
  ownChainId,
  registerLane,
  toConfirmed,
  toTracking,
  write,
} from '../samples.ts'
import type { GetStore } from './store.suite.ts'

export function describeReads(get: GetStore): void {
  describe('reads', () => {
    test('a transaction is found by its id and by every hash it ever had', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const allocated = await allocateOne(store, lease, 0)
      const bumped = { ...allocated, attempts: [...allocated.attempts, anyAttempt(0, { kind: 'bump' })] }
      const [saved] = await write(store, lease, [[allocated, bumped]])
      expect(saved?.attempts).toHaveLength(2)
      for (const { hash } of bumped.attempts) expect(await store.findTransactionByHash(hash)).toEqual(saved)
      expect(await store.findTransactionByHash(anyHash())).toBeNull()
      expect(await store.findTransaction(anyNew(lease.lane).id)).toBeNull()
    })

    test('several are found together by their ids, whatever else is asked for', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const [first, second] = [await acceptOne(store, lane), await acceptOne(store, lane)]
      const found = await store.findTransactions([second.id, anyNew(lane).id, first.id, 'nonsense', first.id])
      expect([...found].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([first, second])
      expect(await store.findTransactions([])).toEqual([])
    })

    test('earlier requests are found together, in order, each in its own lane', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const [sameChain, sameSigner] = neighboursOf(lane)
      for (const each of [sameChain, sameSigner]) await registerLane(store, each)
      const first = await acceptOne(store, lane, { requestId: 'a' })
      const second = await acceptOne(store, sameChain, { requestId: 'a' })
      const third = await acceptOne(store, sameSigner, { requestId: 'c' })
      const keys = [
        { lane: sameChain, tenant: '', requestId: 'a' },
        { lane, tenant: '', requestId: 'b' },
        { lane, tenant: '', requestId: 'a' },
        { lane, tenant: '', requestId: 'a' },
        { lane: sameSigner, tenant: '', requestId: 'a' },
        { lane: sameChain, tenant: '', requestId: 'c' },
        { lane: sameSigner, tenant: '', requestId: 'c' },
      ]
      expect(await store.findRequests(keys)).toEqual([second, null, first, first, null, null, third])
      expect(await store.findRequests([])).toEqual([])
    })

    test('what the next nonces depend on is of one moment: cursor, nonces that came back, those in line', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      expect(await store.readNonceLine(lane)).toEqual({ cursor: null, recyclable: [], queued: 0 })
      const lease = await acquire(store, lane)
      await allocateOne(store, lease, 4)
      await write(store, lease, [], { nonces: [{ nonce: 3, status: 'RECYCLABLE', txId: null }] })
      await accept(store, [anyNew(lane), anyNew(lane, { priority: 5 }), anyNew(lane, { priority: -1 })])
      const { cursor } = await store.loadLane(lane)
      expect(await store.readNonceLine(lane)).toEqual({ cursor, recyclable: [3], queued: 2 })
      expect((await store.readNonceLine(await registerLane(store))).queued).toBe(0)
    })

    test('an answer is a copy', async () => {
      const { store } = get()
      const queued = await acceptOne(store, await registerLane(store), { metadata: { a: '1' } })
      const found = await store.findTransaction(queued.id)
      // A copy, or frozen: either way nothing stored changes.
      Reflect.set(found?.intent.metadata ?? {}, 'a', 'changed')
      expect(await store.findTransaction(queued.id)).toEqual(queued)
    })

    test('lists go by acceptance, from either end, page by page, without gaps or repeats', async () => {
      const { store } = get()
      const lane = await registerLane(store, anyLane(ownChainId()))
      // Ids as several nodes, or one millisecond, make them: their order says nothing.
      const items = Array.from({ length: 7 }, () => anyNew(lane)).sort((a, b) => (a.id < b.id ? 1 : -1))
      const accepted = (await accept(store, items)).map((tx) => tx.id)
      const read = async (order?: 'asc' | 'desc') => {
        const seen: string[] = []
        let after: string | null = null
        do {
          const page: Awaited<ReturnType<Store['listTransactions']>> = await store.listTransactions(
            { chainId: lane.chainId },
            { after, limit: 3, ...(order && { order }) },
          )
          expect(page.items.length).toBeLessThanOrEqual(3)
          seen.push(...page.items.map((tx) => tx.id))
          after = page.next
        } while (after !== null)
        return seen
      }
      expect(await read()).toEqual(accepted.toReversed())
      expect(await read('desc')).toEqual(accepted.toReversed())
      expect(await read('asc')).toEqual(accepted)
      const exact = await store.listTransactions({ chainId: lane.chainId }, { after: null, limit: 7 })
      expect([exact.items.length, exact.next]).toEqual([7, null])
      expect((await store.readQueue(lane, 10)).map((tx) => tx.id)).toEqual(accepted)
    })

    test('what was asked for is found by receiver, metadata, the beginning of its request id, and time', async () => {
      const { store } = get()
      const lane = await registerLane(store, anyLane(ownChainId()))
      const to = anyAddress()
      const paid = await acceptOne(store, lane, { to, requestId: 'order-17', metadata: { customer: '7', kind: 'a=b' } })
      const other = await acceptOne(store, lane, { to, requestId: 'order_18', metadata: { customer: '8' } })
      const plain = await acceptOne(store, lane, { to: null, requestId: 'ORDER-19' })
      const list = (filter: TransactionFilter) => listIds(store, lane, filter)
      expect(await list({ to })).toEqual([other.id, paid.id])
      expect(await list({ to: anyAddress() })).toEqual([])
      expect(await list({ metadata: { customer: '7' } })).toEqual([paid.id])
      expect(await list({ metadata: { customer: '7', kind: 'a=b' } })).toEqual([paid.id])
      expect(await list({ metadata: { customer: '7', kind: 'c' } })).toEqual([])
      expect(await list({ requestIdPrefix: 'order' })).toEqual([other.id, paid.id])
      expect(await list({ requestIdPrefix: 'order-' })).toEqual([paid.id])
      expect(await list({ requestIdPrefix: 'order-17' })).toEqual([paid.id])
      expect(await list({ requestIdPrefix: 'order%' })).toEqual([])
      expect(await list({ until: plain.createdAt + 1 })).toEqual([plain.id, other.id, paid.id])
      expect(await list({ until: paid.createdAt })).toEqual([])
      expect(await list({ since: paid.createdAt, until: plain.createdAt + 1, to })).toEqual([other.id, paid.id])
    })

    test('a tenant knows its own requests and those of the time before there were keys', async () => {
      const { store } = get()
      const lane = await registerLane(store, anyLane(ownChainId()))
      const early = await acceptOne(store, lane, { requestId: 'order-0' })
      const ofAnn = { ...anyNew(lane, { requestId: 'order-1' }), tenant: 'ann' }
      const ofBob = { ...anyNew(lane, { requestId: 'order-1' }), tenant: 'bob' }
      await accept(store, [ofAnn, ofBob])
      const list = (filter: TransactionFilter) => listIds(store, lane, filter)
      expect(await list({ requestId: 'order-1' })).toEqual([ofBob.id, ofAnn.id])
      expect(await list({ requestId: 'order-1', requestsOf: 'ann' })).toEqual([ofAnn.id])
      expect(await list({ requestIdPrefix: 'order', requestsOf: 'bob' })).toEqual([ofBob.id, early.id])
      expect(await list({ requestIdPrefix: 'order', requestsOf: 'eve' })).toEqual([early.id])
    })

    test('each filter narrows, and they narrow together', async () => {
      const { store } = get()
      const lane = await registerLane(store, anyLane(ownChainId()))
      const other = await registerLane(store, { chainId: lane.chainId, signer: anyAddress() })
      const lease = await acquire(store, lane)
      const flying = await allocateOne(store, lease, 11)
      const landing = await allocateOne(store, lease, 12)
      await write(store, lease, [[landing, toConfirmed(landing)]])
      const waiting = await acceptOne(store, lane, { requestId: 'wait' })
      const apart = await acceptOne(store, other, { requestId: 'wait' })
      const list = (filter: TransactionFilter) => listIds(store, lane, filter)
      expect(await list({})).toEqual([apart.id, waiting.id, landing.id, flying.id])
      expect(await list({ from: lane.signer })).toEqual([waiting.id, landing.id, flying.id])
      expect(await list({ states: ['QUEUED'] })).toEqual([apart.id, waiting.id])
      expect(await list({ states: ['ALLOCATED', 'TRACKING'] })).toEqual([flying.id])
      expect(await list({ states: ['QUEUED', 'ALLOCATED'] })).toEqual([apart.id, waiting.id, flying.id])
      expect(await list({ states: ['CONFIRMED', 'ALLOCATED'] })).toEqual([landing.id, flying.id])
      expect(await list({ states: [] })).toEqual([])
      expect(await list({ requestId: 'wait' })).toEqual([apart.id, waiting.id])
      expect(await list({ requestId: 'wait', from: lane.signer })).toEqual([waiting.id])
      expect(await list({ hash: flying.attempts[0]?.hash ?? anyHash() })).toEqual([flying.id])
      expect(await list({ hash: anyHash() })).toEqual([])
      expect(await list({ nonce: 12 })).toEqual([landing.id])
      expect(await list({ nonce: 12, from: lane.signer })).toEqual([landing.id])
      expect(await list({ nonce: 12, from: other.signer })).toEqual([])
      expect(await list({ since: waiting.createdAt })).toEqual(expect.arrayContaining([apart.id, waiting.id]))
      expect(await list({ since: apart.createdAt + 60_000 })).toEqual([])
    })

    test('those in a block that are not final, the last mined first', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store, anyLane(ownChainId())))
      const { chainId } = lease.lane
      const [first, second] = [await allocateOne(store, lease, 0), await allocateOne(store, lease, 1)]
      const [waiting, done] = [await allocateOne(store, lease, 2), await allocateOne(store, lease, 3)]
      const { inclusion } = toConfirmed(first)
      const mined = { ...toTracking(first, inclusion), minedAt: 5_000 }
      const later = { ...toTracking(second, { ...inclusion, blockNumber: 101 }), minedAt: 6_000 }
      await write(store, lease, [
        [first, mined],
        [second, later],
        [waiting, toTracking(waiting)],
      ])
      await write(store, lease, [[done, toConfirmed(done)]])
      const seen = { lane: lease.lane, blockHash: inclusion.blockHash, finality: null }
      const expected = [
        { ...seen, txId: second.id, blockNumber: 101 },
        { ...seen, txId: first.id, blockNumber: 100 },
      ]
      expect(await store.listMined(chainId, 10)).toEqual(expected)
      expect(await store.listMined(chainId, 1)).toEqual(expected.slice(0, 1))
      expect(await store.listMined(chainId + 1_000_000, 10)).toEqual([])
    })

    test('what is no id at all is not found, and what is no cursor is refused', async () => {
      const { store } = get()
      expect(await store.findTransaction('nonsense')).toBeNull()
      expect(await store.readHistory('nonsense')).toEqual([])
      expect(await store.countAhead('nonsense')).toBeNull()
      await expect(store.listTransactions({}, { after: 'nonsense', limit: 1 })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })

    test('a lane that nobody knows is empty', async () => {
      const { store } = get()
      expect(await store.loadLane(anyLane())).toEqual({
        cursor: null,
        inFlight: [],
        recyclable: [],
        window: null,
        seen: { balance: null, txCost: null, problems: [] },
      })
    })

    test('in flight means by nonce, and without what is final', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const [high, low] = [await allocateOne(store, lease, 8), await allocateOne(store, lease, 3)]
      const done = await allocateOne(store, lease, 5)
      await write(store, lease, [[done, toConfirmed(done)]])
      expect((await store.loadLane(lease.lane)).inFlight).toEqual([low, high])
    })
  })

  describe('headers', () => {
    test('are kept from the height asked for, and replaced by a fork', async () => {
      const { store } = get()
      const chainId = ownChainId()
      const chain = extend(null, 10, 5)
      await store.saveHeaders(chainId, chain, 0)
      expect(await store.readHeaders(chainId, 11, 13)).toEqual(chain.slice(1, 4))
      const fork = extend(chain[2] ?? null, 13, 1)
      await store.saveHeaders(chainId, fork, 11)
      // Block 14 stood on the old block 13.
      expect(await store.readHeaders(chainId, 0, 100)).toEqual([...chain.slice(1, 3), ...fork])
      expect(await store.readHeaders(chainId + 1_000_000, 0, 100)).toEqual([])
    })

    test('a late look at lower blocks leaves the ones above that still fit', async () => {
      const { store } = get()
      const chainId = ownChainId()
      const chain = extend(null, 20, 4)
      await store.saveHeaders(chainId, chain, 0)
      await store.saveHeaders(chainId, chain.slice(0, 2), 0)
      expect(await store.readHeaders(chainId, 0, 100)).toEqual(chain)
      await store.saveHeaders(chainId, [], 22)
      expect(await store.readHeaders(chainId, 0, 100)).toEqual(chain.slice(2))
    })
  })
}

async function listIds(store: Store, lane: Lane, filter: TransactionFilter): Promise<readonly string[]> {
  const page = await store.listTransactions({ chainId: lane.chainId, ...filter }, { after: null, limit: 50 })
  return page.items.map((tx) => tx.id)
}

function extend(parent: Header | null, from: number, count: number): readonly Header[] {
  const headers: Header[] = []
  for (let number = from; number < from + count; number++) {
    const parentHash = (headers.at(-1) ?? parent)?.hash ?? anyHash()
    headers.push({ number, hash: anyHash(), parentHash, timestamp: 1_700_000_000 + number })
  }
  return headers
}
