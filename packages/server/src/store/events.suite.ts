/** The stream: commit order, nothing missed by who resumes, repeats counted instead of repeated. */
import { describe, expect, test } from 'vitest'
import type { Transaction } from '../core/transaction.ts'
import type { HistoryEntry, Store } from '../ports/store.ts'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyNew,
  lastEventId,
  registerLane,
  toConfirmed,
  toSave,
  toTracking,
  toWrite,
} from './samples.suite.ts'
import type { GetStore } from './store.suite.ts'

export function describeEvents(get: GetStore): void {
  describe('events', () => {
    test('each of several transitions in one save tells of its own', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const start = await lastEventId(store)
      const tx = await allocateOne(store, lease, 0)
      const save = toSave(tx, toConfirmed(tx), 'finality.reached')
      const seen = { type: 'inclusion.seen', cause: null, detail: {} }
      const notes = [
        { ...seen, step: { from: 'ALLOCATED', to: 'TRACKING', subState: 'mined' } } as const,
        ...save.notes.map((note) => ({
          ...note,
          step: { from: 'TRACKING', to: 'CONFIRMED', subState: 'final' } as const,
        })),
      ]
      await store.writeLanes([toWrite(lease, [{ ...save, notes }])])
      const entries = (await store.readEvents(start, 10)).slice(-2)
      expect(entries.map(({ type, fromState, toState, subState }) => [type, fromState, toState, subState])).toEqual([
        ['inclusion.seen', 'ALLOCATED', 'TRACKING', 'mined'],
        ['finality.reached', 'TRACKING', 'CONFIRMED', 'final'],
      ])
    })

    test('completions are the one entry of each transaction that made it final, in order', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const start = await lastEventId(store)
      const first = await allocateOne(store, lease, 0)
      const second = await allocateOne(store, lease, 1)
      for (const tx of [second, first]) {
        const save = toSave(tx, toConfirmed(tx), 'finality.reached')
        const seen = { type: 'inclusion.seen', cause: null, detail: {} }
        await store.writeLanes([toWrite(lease, [{ ...save, notes: [seen, ...save.notes] }])])
      }
      const completions = await store.readCompletions(start, 10)
      expect(completions.map(({ txId, type }) => [txId, type])).toEqual([
        [second.id, 'finality.reached'],
        [first.id, 'finality.reached'],
      ])
      expect(await store.readCompletions(completions[0]?.eventId ?? 0, 10)).toEqual(completions.slice(1))
    })

    test('numbers grow by one, and a reader that resumes misses none', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const start = await lastEventId(store)
      for (let count = 0; count < 5; count++) await acceptOne(store, lane)
      const all = await store.readEvents(start, 100)
      expect(all.map((event) => event.eventId)).toEqual([1, 2, 3, 4, 5].map((offset) => start + offset))
      const [first, rest] = [await store.readEvents(start, 2), await store.readEvents(start + 2, 100)]
      expect([...first, ...rest]).toEqual(all)
      expect(await store.readEvents(start + 5, 100)).toEqual([])
      expect(all.map((event) => event.at)).toEqual(all.map((event) => event.at).sort((a, b) => a - b))
    })

    test('the entries of a batch keep its order', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const start = await lastEventId(store)
      const items = Array.from({ length: 12 }, (_, index) => anyNew(lane, { requestId: `r${(index * 7) % 12}` }))
      await store.insertTransactions(items)
      const events = await store.readEvents(start, 100)
      expect(events.map((event) => event.txId)).toEqual(items.map((item) => item.id))
    })

    test('a repeat of the latest entry only counts, whatever its detail', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const note = (cause: string, detail = {}) => ({ type: 'broadcast.answered', cause, detail })
      let tx: Transaction = await allocateOne(store, lease, 0)
      const start = await lastEventId(store)
      const save = async (
        notes: readonly ReturnType<typeof note>[],
        change: Partial<Transaction> = {},
      ): Promise<void> => {
        const next = { ...tx, ...change } as Transaction
        const [result] = await store.writeLanes([toWrite(lease, [{ ...toSave(tx, next), notes }])])
        expect(result?.type).toBe('written')
        tx = { ...next, version: tx.version + 1 }
      }
      await save([note('pool_full', { try: 1 })])
      await save([note('pool_full', { try: 2 }), note('pool_full', { try: 3 })])
      await save([note('pool_full'), note('rate_limited'), note('rate_limited'), note('pool_full')])
      await save([])
      await save([note('pool_full')])
      await save([note('pool_full')], { subState: 'waiting_for_predecessor' })
      const events = await store.readEvents(start, 100)
      expect(events.map((event) => [event.cause, event.count, event.subState])).toEqual([
        ['pool_full', 4, 'signed'],
        ['rate_limited', 2, 'signed'],
        ['pool_full', 2, 'signed'],
        ['pool_full', 1, 'waiting_for_predecessor'],
      ])
      expect(events[0]?.detail).toEqual({ try: 1 })
      expect(events.map((event) => event.eventId)).toEqual([1, 2, 3, 4].map((offset) => start + offset))
      expect((await store.readHistory(tx.id)).slice(-4)).toEqual(events)
    })

    test('amounts in a detail come back as text', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const allocated = await allocateOne(store, lease, 0)
      const notes = [
        { type: 'bumped', cause: null, detail: { feeWei: 2n ** 100n, list: [1, null, 'x'], deep: { a: true } } },
      ]
      await store.writeLanes([toWrite(lease, [{ ...toSave(allocated, toTracking(allocated)), notes }])])
      expect((await store.readHistory(allocated.id)).at(-1)?.detail).toEqual({
        ...{ feeWei: (2n ** 100n).toString(), list: [1, null, 'x'], deep: { a: true } },
      })
    })

    test('with many writers at once a following reader sees every event once, in order', async () => {
      const { store } = get()
      const start = await lastEventId(store)
      const writers = Array.from({ length: 6 }, () => runWriter(store, 12))
      const state = { isDone: false }
      const reading = follow(store, start, () => state.isDone)
      const written = (await Promise.all(writers)).flat()
      state.isDone = true
      const seen = await reading
      expect(seen.map((event) => event.eventId)).toEqual(seen.map((_, index) => start + index + 1))
      for (const { id, types } of written) {
        expect(seen.filter((event) => event.txId === id).map((event) => event.type)).toEqual(types)
      }
    })

    test('the newest event of all is told by its number', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const before = await store.findLastEventId()
      expect(before).toBe(await lastEventId(store))
      await store.insertTransactions([anyNew(lane), anyNew(lane)])
      expect(await store.findLastEventId()).toBe(before + 2)
    })

    test('what does not exist has no history', async () => {
      const { store } = get()
      expect(await store.readHistory(anyNew(await registerLane(store)).id)).toEqual([])
    })
  })
}

/** Accepts and moves transactions of a lane of its own; what the history of each must say. */
async function runWriter(store: Store, rounds: number): Promise<readonly { id: string; types: readonly string[] }[]> {
  const lease = await acquire(store, await registerLane(store))
  const done: { id: string; types: readonly string[] }[] = []
  for (let nonce = 0; nonce < rounds; nonce++) {
    const allocated = await allocateOne(store, lease, nonce)
    const save = toSave(allocated, toTracking(allocated), 'sent', 'seen')
    await store.writeLanes([toWrite(lease, [save])])
    done.push({ id: allocated.id, types: ['accepted', 'to.ALLOCATED', 'sent', 'seen'] })
  }
  return done
}

/** Reads on from where it stands until the writers are done and nothing is left. */
async function follow(store: Store, after: number, isDone: () => boolean): Promise<readonly HistoryEntry[]> {
  const seen: HistoryEntry[] = []
  for (;;) {
    const wasDone = isDone()
    const page = await store.readEvents(seen.at(-1)?.eventId ?? after, 7)
    seen.push(...page)
    if (page.length === 0 && wasDone) return seen
  }
}
