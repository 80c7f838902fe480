/** Acceptance: idempotency, order in the queue, unknown signers. */
import { describe, expect, test } from 'vitest'
import type { QueueOptions } from '../../../ports/lane-queue.ts'
import {
  accept,
  acceptOne,
  acquire,
  anyHash,
  anyLane,
  anyNew,
  neighboursOf,
  registerLane,
  toAllocated,
  toSave,
  write,
} from '../samples.ts'
import type { GetStore } from './store.suite.ts'

export function describeAcceptance(get: GetStore): void {
  describe('acceptance', () => {
    test('an accepted transaction is queued, at version 1, and its history begins', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const item = anyNew(lane, { requestId: 'first', metadata: { order: '7' } })
      const [outcome] = await store.insertTransactions([item])
      if (outcome?.type !== 'inserted') throw new Error(`expected an insert, got ${outcome?.type}`)
      expect(outcome.transaction).toMatchObject({ id: item.id, state: 'QUEUED', subState: 'accepted', version: 1 })
      expect(outcome.transaction.intent).toEqual(item.intent)
      expect(await store.findTransaction(item.id)).toEqual(outcome.transaction)
      const history = await store.readHistory(item.id)
      expect(history).toMatchObject([
        { type: 'accepted', fromState: null, toState: 'QUEUED', subState: 'accepted', nodeId: null, fence: null, lane },
      ])
    })

    test('the same key and body again is the same transaction, as it is by now [G3]', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const queued = await acceptOne(store, lane, { requestId: 'again' })
      const lease = await acquire(store, lane)
      await write(store, lease, [[queued, toAllocated(queued, 0, lease)]])
      const [outcome] = await store.insertTransactions([{ ...anyNew(lane), intent: queued.intent }])
      expect(outcome).toMatchObject({ type: 'existing', transaction: { id: queued.id, state: 'ALLOCATED' } })
    })

    test('the same key with another body is a conflict', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const queued = await acceptOne(store, lane, { requestId: 'key' })
      const [outcome] = await store.insertTransactions([anyNew(lane, { requestId: 'key' })])
      expect(outcome).toEqual({ type: 'conflict', transactionId: queued.id })
    })

    test('keys belong to their lane', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const lanes = [lane, ...neighboursOf(lane)]
      for (const each of lanes) await registerLane(store, each)
      const items = lanes.map((each) => anyNew(each, { requestId: 'shared' }))
      const outcomes = await store.insertTransactions(items)
      expect(outcomes.map((outcome) => outcome.type)).toEqual(['inserted', 'inserted', 'inserted'])
      const again = await store.insertTransactions(items.map((item) => ({ ...anyNew(lane), intent: item.intent })))
      expect(again).toMatchObject(items.map(({ id }) => ({ type: 'existing', transaction: { id } })))
    })

    test('keys belong to their tenant: those of another are invisible and do not conflict [G12]', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const [first, second] = ['ann', 'bob'].map((tenant) => ({ ...anyNew(lane, { requestId: 'order-1' }), tenant }))
      if (first === undefined || second === undefined) throw new Error('there are two')
      const outcomes = await store.insertTransactions([first, second])
      expect(outcomes.map((outcome) => outcome.type)).toEqual(['inserted', 'inserted'])
      const again = { ...anyNew(lane), intent: first.intent, tenant: 'ann' }
      expect(await store.insertTransactions([again])).toMatchObject([
        { type: 'existing', transaction: { id: first.id } },
      ])
      const key = { lane, requestId: 'order-1' }
      const found = await store.findRequests(['ann', 'bob', 'eve', ''].map((tenant) => ({ ...key, tenant })))
      expect(found.map((tx) => tx?.id)).toEqual([first.id, second.id, undefined, undefined])
    })

    test('what was asked for before there were tenants is everybody’s: a retry with a new key is no second request', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const early = await acceptOne(store, lane, { requestId: 'order-2' })
      const again = { ...anyNew(lane), intent: early.intent, tenant: 'ann' }
      expect(await store.insertTransactions([again])).toMatchObject([
        { type: 'existing', transaction: { id: early.id } },
      ])
      const other = { ...anyNew(lane, { requestId: 'order-2' }), tenant: 'ann' }
      expect(await store.insertTransactions([other])).toEqual([{ type: 'conflict', transactionId: early.id }])
      const [found] = await store.findRequests([{ lane, tenant: 'ann', requestId: 'order-2' }])
      expect(found?.id).toBe(early.id)
    })

    test('what is queued is counted by signer and tenant, and no longer once it has a nonce', async () => {
      const { store } = get()
      const [lane, other] = [await registerLane(store), await registerLane(store)]
      const queued = await acceptOne(store, lane)
      await store.insertTransactions([
        ...[anyNew(lane), { ...anyNew(lane), tenant: 'ann' }, { ...anyNew(other), tenant: 'ann' }],
      ])
      const count = async () => {
        const depths = (await store.countQueued()).filter((depth) =>
          [lane.signer, other.signer].includes(depth.lane.signer),
        )
        return depths.sort((a, b) => (a.tenant < b.tenant ? -1 : 1))
      }
      expect(await count()).toEqual(
        expect.arrayContaining([
          { lane, tenant: '', queued: 2, oldestAt: queued.createdAt },
          { lane, tenant: 'ann', queued: 1, oldestAt: expect.any(Number) },
          { lane: other, tenant: 'ann', queued: 1, oldestAt: expect.any(Number) },
        ]),
      )
      const lease = await acquire(store, lane)
      await write(store, lease, [[queued, toAllocated(queued, 0, lease)]])
      expect((await count())[0]).toEqual({ lane, tenant: '', queued: 1, oldestAt: expect.any(Number) })
    })

    test('how long something has waited for a block on a chain: what has no nonce does not count', async () => {
      const { store } = get()
      const lane = await registerLane(store, { ...anyLane(), chainId: 7_700_001 })
      const queued = await acceptOne(store, lane)
      expect(await store.readUnminedAge(lane.chainId)).toBeNull()
      const lease = await acquire(store, lane)
      await write(store, lease, [[queued, toAllocated(queued, 0, lease)]])
      expect(await store.readUnminedAge(lane.chainId)).toEqual(expect.any(Number))
      expect(await store.readUnminedAge(7_700_002)).toBeNull()
    })

    test('repeats inside one batch are recognized, and the first one wins', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const first = anyNew(lane, { requestId: 'twin' })
      const repeat = { ...anyNew(lane), intent: first.intent }
      const other = anyNew(lane, { requestId: 'twin', requestDigest: anyHash() })
      const outcomes = await store.insertTransactions([first, repeat, other, anyNew(lane)])
      expect(outcomes.map((outcome) => outcome.type)).toEqual(['inserted', 'existing', 'conflict', 'inserted'])
      expect(outcomes[1]).toMatchObject({ transaction: { id: first.id } })
      expect(outcomes[2]).toEqual({ type: 'conflict', transactionId: first.id })
    })

    test('without a key nothing is a repeat, except the same id', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const item = anyNew(lane)
      const outcomes = await store.insertTransactions([item, { ...anyNew(lane), intent: item.intent }])
      expect(outcomes.map((outcome) => outcome.type)).toEqual(['inserted', 'inserted'])
      const [again] = await store.insertTransactions([item])
      expect(again).toMatchObject({ type: 'existing', transaction: { id: item.id } })
      expect(await store.readHistory(item.id)).toHaveLength(1)
    })

    test('a lane that is not registered is refused without hurting the others', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const stranger = anyNew(anyLane())
      const outcomes = await store.insertTransactions([anyNew(lane), stranger, anyNew(lane)])
      expect(outcomes.map((outcome) => outcome.type)).toEqual(['inserted', 'unknown_signer', 'inserted'])
      expect(await store.findTransaction(stranger.id)).toBeNull()
    })

    test('an empty batch is no work', async () => {
      expect(await get().store.insertTransactions([])).toEqual([])
    })

    test('many at once with the same keys: one is inserted for each, the rest find it', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const keys = Array.from({ length: 20 }, (_, index) => anyNew(lane, { requestId: `race-${index}` }))
      const batches = Array.from({ length: 6 }, (_, node) =>
        keys.map(({ intent }) => ({ ...anyNew(lane), intent })).sort(() => (node % 2 === 0 ? 1 : -1)),
      )
      const outcomes = (await Promise.all(batches.map((batch) => store.insertTransactions(batch)))).flat()
      expect(outcomes.filter((outcome) => outcome.type === 'inserted')).toHaveLength(keys.length)
      expect(outcomes.filter((outcome) => outcome.type === 'existing')).toHaveLength(keys.length * 5)
      const ids = new Set(outcomes.map((outcome) => ('transaction' in outcome ? outcome.transaction.id : '')))
      expect(ids.size).toBe(keys.length)
    })
  })

  describe('queue', () => {
    test('goes by priority and then by acceptance, not by id', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const [late, early] = [anyNew(lane), anyNew(lane)]
      const items = [early, late, anyNew(lane, { priority: 5 }), anyNew(lane, { priority: -1 })]
      const [a, b, urgent, patient] = await accept(store, items)
      const urgentToo = await acceptOne(store, lane, { priority: 5 })
      const queue = await store.readQueue(lane, 10)
      expect(queue.map((tx) => tx.id)).toEqual([urgent?.id, urgentToo.id, a?.id, b?.id, patient?.id])
      expect(await store.readQueue(lane, 2)).toEqual(queue.slice(0, 2))
      expect(await Promise.all(queue.map((tx) => store.countAhead(tx.id)))).toEqual([0, 1, 2, 3, 4])
    })

    test('a suspended transaction is left out and holds nobody up', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const [first, second] = [await acceptOne(store, lane), await acceptOne(store, lane)]
      const suspended = { ...first, suspended: true, subState: 'suspended' } as const
      await store.amend(toSave(first, suspended, 'operator.suspended'), [])
      expect((await store.readQueue(lane, 10)).map((tx) => tx.id)).toEqual([second.id])
      expect(await store.countAhead(second.id)).toBe(0)
    })

    test('what waits for funds, or because of itself alone, can be left out until it is due, and nothing else that waits', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const lease = await acquire(store, lane)
      const items = await accept(
        store,
        Array.from({ length: 6 }, () => anyNew(lane)),
      )
      const { nowMs } = await store.ping()
      const waits = [
        ['waiting_for_funds', nowMs + 60_000],
        ['waiting_for_funds', nowMs - 60_000],
        ['waiting_for_node', nowMs + 60_000],
        ['fee_above_cap', nowMs + 60_000, 'fee_below_base'],
        ['fee_above_cap', nowMs - 60_000, 'fee_below_base'],
      ] as const
      await write(
        store,
        lease,
        waits.flatMap(([subState, retryAt, code = 'other'], index) => {
          const tx = items[index]
          const error = { code, message: code }
          return tx === undefined ? [] : [[tx, { ...tx, subState, retryAt, error }] as const]
        }),
      )
      const ids = items.map(({ id }) => id)
      const read = async (options: QueueOptions) => (await store.readQueue(lane, 10, options)).map(({ id }) => id)
      expect(await read({})).toEqual(ids)
      expect(await read({ passOverUnfunded: true })).toEqual(ids.slice(1))
      expect(await read({ passOverPaused: true })).toEqual(ids.filter((_, index) => index !== 3))
      expect(await read({ passOverUnfunded: true, passOverPaused: true })).toEqual([ids[1], ids[2], ids[4], ids[5]])
    })

    test('a transaction that comes back regains its place', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const [first, second] = [await acceptOne(store, lane), await acceptOne(store, lane)]
      const lease = await acquire(store, lane)
      const [allocated] = await write(store, lease, [[first, toAllocated(first, 0, lease)]])
      if (allocated === undefined) throw new Error('nothing was allocated')
      expect(await store.countAhead(first.id)).toBeNull()
      expect((await store.readQueue(lane, 10)).map((tx) => tx.id)).toEqual([second.id])
      const back = { ...first, version: allocated.version, attempts: allocated.attempts }
      await write(store, lease, [[allocated, back]])
      const queue = await store.readQueue(lane, 10)
      expect(queue.map((tx) => tx.id)).toEqual([first.id, second.id])
      expect(queue[0]).toEqual({ ...back, version: 3 })
    })

    test('what is past its time is found for the owner of the lane, oldest first, suspended or not', async () => {
      const { store } = get()
      const [lane, other] = [await registerLane(store), await registerLane(store)]
      const { nowMs } = await store.ping()
      const [, late, later, apart] = await accept(store, [
        anyNew(lane, { validUntil: nowMs + 3_600_000 }),
        anyNew(lane, { validUntil: nowMs - 1_000 }),
        anyNew(lane, { validUntil: nowMs - 2_000 }),
        anyNew(other, { validUntil: nowMs - 3_000 }),
        anyNew(lane),
      ])
      if (late === undefined || later === undefined) throw new Error('there must be late ones')
      const node = `deadline-${lane.signer}`
      expect(await store.readExpired(node, 10)).toEqual([])
      const lease = await acquire(store, lane, node)
      expect((await store.readExpired(node, 10)).map((tx) => tx.id)).toEqual([later.id, late.id])
      expect((await store.readExpired(node, 1)).map((tx) => tx.id)).toEqual([later.id])
      await store.amend(toSave(late, { ...late, suspended: true }, 'operator.suspended'), [])
      await acquire(store, other, node)
      expect((await store.readExpired(node, 10)).map((tx) => tx.id)).toEqual([apart?.id, later.id, late.id])
      const { retryAt: _, prepareFailures: __, ...base } = later
      const expired = { ...base, state: 'EXPIRED', subState: 'expired', nonce: null, finalAt: nowMs } as const
      await write(store, lease, [[later, expired]])
      expect((await store.readExpired(node, 10)).map((tx) => tx.id)).toEqual([apart?.id, late.id])
    })

    test('what waits for a block or a time of its chain is not in line, and found once the chain is there', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const timeMs = 1_900_000_000_000
      const [high, late, mortal, plain] = await accept(store, [
        anyNew(lane, { notBefore: { height: 50 } }),
        anyNew(lane, { notBefore: { timeMs } }),
        anyNew(lane, { notBefore: { height: 50 }, validUntil: 1_000 }),
        anyNew(lane),
      ])
      expect([high, late].map((tx) => tx?.subState)).toEqual(['scheduled', 'scheduled'])
      expect(await store.findTransaction(late?.id ?? '')).toEqual(late)
      expect((await store.readQueue(lane, 10)).map(({ id }) => id)).toEqual([plain?.id])
      const node = `schedule-${lane.signer}`
      const lease = await acquire(store, lane, node)
      const find = async (height: number, time: number) =>
        (await store.readExpired(node, 10, new Map([[lane.chainId, { height, timeMs: time }]]))).map(({ id }) => id)
      const always = [mortal?.id]
      expect(await find(49, timeMs - 1)).toEqual(always)
      expect(new Set(await find(50, timeMs - 1))).toEqual(new Set([...always, high?.id]))
      expect(new Set(await find(49, timeMs))).toEqual(new Set([...always, late?.id]))
      expect((await store.readExpired(node, 10, new Map([[1, { height: 99, timeMs }]]))).map(({ id }) => id)).toEqual(
        always,
      )
      if (high === undefined) throw new Error('it was not accepted')
      await write(store, lease, [[high, { ...high, subState: 'accepted' }]])
      expect(await find(60, timeMs - 1)).toEqual(always)
      expect((await store.readQueue(lane, 10)).map(({ id }) => id)).toEqual([high.id, plain?.id])
    })

    test('nothing is ahead of what does not exist', async () => {
      const { store } = get()
      expect(await store.countAhead(anyNew(anyLane()).id)).toBeNull()
      expect(await store.readQueue(anyLane(), 5)).toEqual([])
    })
  })
}
