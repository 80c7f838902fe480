/** The stream: commit order, nothing missed by who resumes, repeats counted instead of repeated. */
import { describe, expect, test } from 'vitest'
import type { Transaction } from '../../../core/transaction/transaction.ts'
import type { HistoryNote } from '../../../core/transaction/tx-event.ts'
import type { HistoryEntry } from '../../../ports/history.ts'
import type { Store } from '../../../ports/store.ts'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyNew,
  lastEventId,
  registerLane,
  toAllocated,
  toConfirmed,
  toSave,
  toTracking,
  toWrite,
  write,
} from '../samples.ts'
import type { GetStore } from './store.suite.ts'

export function describeEvents(get: GetStore): void {
  describe('events', () => {
    test('each of several transitions in one save has its own event', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const start = await lastEventId(store)
      const tx = await allocateOne(store, lease, 0)
      const save = toSave(tx, toConfirmed(tx), 'finality.reached')
      const seen = { type: 'inclusion.seen', cause: null, detail: {} }
      const notes = [
        { ...seen, step: { from: 'ALLOCATED', fromSubState: 'signed', to: 'TRACKING', subState: 'mined' } } as const,
        ...save.notes.map((note) => ({
          ...note,
          step: { from: 'TRACKING', fromSubState: 'mined', to: 'CONFIRMED', subState: 'final' } as const,
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

    test('the entry that ended a transaction says what came of it, wherever it is read', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      const start = await lastEventId(store)
      const asked = { requestId: 'order-17', metadata: { customer: '7' } }
      const queued = await acceptOne(store, lease.lane, asked)
      const [allocated] = await write(store, lease, [[queued, toAllocated(queued, 0, lease)]])
      if (allocated === undefined) throw new Error('nothing was allocated')
      const confirmed = toConfirmed(allocated)
      const save = toSave(allocated, confirmed, 'inclusion.seen', 'finality.reached')
      await store.writeLanes([toWrite(lease, [save])])
      const dropped = await acceptOne(store, lease.lane, { requestId: 'order-18' })
      const error = { code: 'reverted', message: 'it reverts' }
      const ended = { ...dropped, state: 'CANCELLED', subState: 'rejected', error, nonce: null, finalAt: 5 } as const
      await store.writeLanes([toWrite(lease, [toSave(dropped, ended, 'prepare.rejected')])])
      const first = { ...asked, inclusion: confirmed.inclusion, error: null }
      const second = { requestId: 'order-18', metadata: {}, inclusion: null, error }
      expect((await store.readCompletions(start, 10)).map(({ completion }) => completion)).toEqual([first, second])
      const events = await store.readEvents(start, 10)
      expect(events.map(({ type, completion }) => [type, completion])).toEqual([
        ...['accepted', 'to.ALLOCATED', 'inclusion.seen'].map((type) => [type, null]),
        ['finality.reached', first],
        ['accepted', null],
        ['prepare.rejected', second],
      ])
      expect((await store.readHistory(queued.id)).at(-1)?.completion).toEqual(first)
    })

    test('numbers grow by one, and a reader that resumes misses none [G8]', async () => {
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

    test('a routine entry that happens again in the same sub-state only counts, whatever came in between', async () => {
      const { store } = get()
      const bench = await startHistory(store)
      await bench.save([note('pool_full', { try: 1 })])
      await bench.save([note('pool_full', { try: 2 }), note('pool_full', { try: 3 })])
      await bench.save([note('pool_full'), note('rate_limited'), note('rate_limited'), note('pool_full')])
      await bench.save([])
      await bench.save([note('rate_limited'), note('pool_full'), note('ambiguous')])
      await bench.save([note('pool_full')], { subState: 'waiting_for_predecessor' })
      await bench.save([note('pool_full')])
      await bench.save([note('ambiguous')], { subState: 'signed' })
      const events = await bench.events()
      expect(events.map((event) => [event.cause, event.count, event.subState])).toEqual([
        ['pool_full', 6, 'signed'],
        ['rate_limited', 3, 'signed'],
        ['ambiguous', 1, 'signed'],
        ['pool_full', 2, 'waiting_for_predecessor'],
        ['ambiguous', 1, 'signed'],
      ])
      expect(events[0]?.detail).toEqual({ try: 1 })
      expect(events.map((event) => event.eventId)).toEqual([1, 2, 3, 4, 5].map((offset) => bench.start + offset))
      expect((await store.readHistory(bench.id)).slice(-5)).toEqual(events)
    })

    test('a day of resends of a stuck transaction is two entries', async () => {
      const { store } = get()
      const bench = await startHistory(store)
      const stuck = { state: 'STUCK', subState: 'no_inclusion', stuckAt: 1_700_000_900_000 } as const
      await bench.save([{ ...note('no_inclusion'), type: 'stuck.declared' }], stuck)
      for (let resend = 0; resend < 30; resend++) {
        await bench.save([claim])
        await bench.save([note('already_known')])
      }
      const events = await bench.events()
      expect(events.map((event) => [event.type, event.count])).toEqual([
        ['stuck.declared', 1],
        ['resubmit.claimed', 30],
        ['broadcast.answered', 30],
      ])
      expect(events[1]?.lastAt).toBeGreaterThanOrEqual(events[1]?.at ?? 0)
    })

    test('a transaction that goes to and fro between pending and stale is two entries', async () => {
      const { store } = get()
      const bench = await startHistory(store)
      const tracking = { state: 'TRACKING', inclusion: null, minedAt: null } as const
      await bench.save([note('accepted')], { ...tracking, subState: 'pending' })
      for (let resend = 0; resend < 5; resend++) {
        await bench.save([claim], { subState: 'stale' })
        await bench.save([note('accepted')], { subState: 'pending' })
      }
      expect((await bench.events()).map((event) => [event.type, event.fromState, event.subState, event.count])).toEqual(
        [
          ['broadcast.answered', 'ALLOCATED', 'pending', 1],
          ['resubmit.claimed', 'TRACKING', 'stale', 5],
          ['broadcast.answered', 'TRACKING', 'pending', 5],
        ],
      )
    })

    test('what waits in line for one thing, then another, is an entry for each of them', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      let tx: Transaction = await acceptOne(store, lease.lane)
      for (const subState of [
        'waiting_for_funds',
        'waiting_for_node',
        'waiting_for_funds',
        'waiting_for_node',
      ] as const) {
        const next: Transaction = { ...tx, subState } as Transaction
        const step = { from: 'QUEUED', fromSubState: tx.subState, to: 'QUEUED', subState } as const
        const deferred = { type: 'prepare.deferred', cause: subState, detail: {}, step }
        await store.writeLanes([toWrite(lease, [{ ...toSave(tx, next), notes: [deferred] }])])
        tx = { ...next, version: tx.version + 1 }
      }
      expect((await store.readHistory(tx.id)).map(({ cause, subState, count }) => [cause, subState, count])).toEqual([
        [null, 'accepted', 1],
        ['waiting_for_funds', 'waiting_for_funds', 2],
        ['waiting_for_node', 'waiting_for_node', 2],
      ])
    })

    test('what is news each time it happens is an entry each time', async () => {
      const { store } = get()
      const bench = await startHistory(store)
      const retried = { type: 'operator.retried', cause: 'operator', detail: { actor: 'ann', reason: 'first' } }
      const again = { ...retried, detail: { actor: 'ben', reason: 'second' } }
      const fork = { type: 'confirmations.replaced', cause: 'new_fork', detail: { newFork: true } }
      await bench.save([claim, retried, again, claim])
      await bench.save([fork])
      await bench.save([fork, claim])
      expect((await bench.events()).map(({ type, count, detail }) => [type, count, detail.reason])).toEqual([
        ['resubmit.claimed', 1, undefined],
        ['operator.retried', 1, 'first'],
        ['operator.retried', 1, 'second'],
        ['resubmit.claimed', 1, undefined],
        ['confirmations.replaced', 1, undefined],
        ['confirmations.replaced', 1, undefined],
        ['resubmit.claimed', 1, undefined],
      ])
    })

    test('every change of state is an entry, and routine entries start over after it', async () => {
      const { store } = get()
      const bench = await startHistory(store)
      const tracking = { state: 'TRACKING', subState: 'pending', inclusion: null, minedAt: null } as const
      const stuck = { state: 'STUCK', subState: 'rejected_by_node', stuckAt: 1_700_000_900_000 } as const
      for (let round = 0; round < 2; round++) {
        await bench.save([claim])
        await bench.save([note('rejected')], { ...stuck })
        await bench.save([claim])
        await bench.save([note('accepted')], { ...tracking })
      }
      const changes = (await bench.events()).filter(({ type }) => type === 'broadcast.answered')
      expect(changes.map((event) => [event.fromState, event.toState, event.count])).toEqual([
        ['ALLOCATED', 'STUCK', 1],
        ['STUCK', 'TRACKING', 1],
        ['TRACKING', 'STUCK', 1],
        ['STUCK', 'TRACKING', 1],
      ])
    })

    test('history comes in pages, from either end', async () => {
      const { store } = get()
      const bench = await startHistory(store)
      await bench.save(['a', 'b', 'c', 'd', 'e'].map((type) => ({ type, cause: null, detail: {} })))
      const all = await store.readHistory(bench.id)
      const types = (entries: readonly HistoryEntry[]) => entries.map(({ type }) => type)
      expect(types(all)).toEqual(['accepted', 'to.ALLOCATED', 'a', 'b', 'c', 'd', 'e'])
      const read = async (order: 'asc' | 'desc') => {
        const pages: string[][] = []
        let after: number | null = null
        for (;;) {
          const page: readonly HistoryEntry[] = await store.readHistory(bench.id, { order, after, limit: 3 })
          if (page.length === 0) return pages
          pages.push(types(page))
          after = page.at(-1)?.eventId ?? null
        }
      }
      expect(await read('asc')).toEqual([['accepted', 'to.ALLOCATED', 'a'], ['b', 'c', 'd'], ['e']])
      expect(await read('desc')).toEqual([['e', 'd', 'c'], ['b', 'a', 'to.ALLOCATED'], ['accepted']])
      // An event of another transaction is no place in this history.
      const other = await acceptOne(store, await registerLane(store))
      const [elsewhere] = await store.readHistory(other.id)
      expect(await store.readHistory(bench.id, { order: 'desc', after: elsewhere?.eventId ?? 0, limit: 3 })).toEqual([])
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
        feeWei: (2n ** 100n).toString(),
        list: [1, null, 'x'],
        deep: { a: true },
      })
    })

    test('with many writers at once a following reader sees every event once, in order [G8]', async () => {
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

const claim = { type: 'resubmit.claimed', cause: null, detail: {} }

function note(cause: string, detail: HistoryNote['detail'] = {}): HistoryNote {
  return { type: 'broadcast.answered', cause, detail }
}

/** A transaction with a nonce, and what its history says from there on. */
async function startHistory(store: Store) {
  const lease = await acquire(store, await registerLane(store))
  let tx: Transaction = await allocateOne(store, lease, 0)
  const start = await lastEventId(store)
  return {
    id: tx.id,
    start,
    save: async (notes: readonly HistoryNote[], change: Partial<Transaction> = {}): Promise<void> => {
      const next = { ...tx, ...change } as Transaction
      const ends = { to: next.state, subState: next.subState }
      const steps = notes.map((each, index) => {
        const { state: from, subState: fromSubState } = index === 0 ? tx : next
        return { ...each, step: { from, fromSubState, ...ends } }
      })
      const [result] = await store.writeLanes([toWrite(lease, [{ ...toSave(tx, next), notes: steps }])])
      expect(result?.type).toBe('written')
      tx = { ...next, version: tx.version + 1 }
    },
    events: () => store.readEvents(start, 1_000),
  }
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
