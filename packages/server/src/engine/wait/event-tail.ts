/**
 * The end of the event stream, read once for a whole node.
 *
 * While anyone follows it, one reader continues from the newest event: woken by the store's notices, with polling as a
 * fallback. It prepares each event once and keeps a fixed number of the newest. Followers take them from there by
 * cursor, so a thousand followers cost the database no more than one. A follower that is further behind reads pages
 * from the store until it has caught up. Without followers, nothing is read and nothing is kept.
 */

import { coalesce } from '../../core/coalesced-task.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface EventTail<T> {
  /** Follows until the returned function is called; `onNews` may be called without news. */
  follow(onNews: () => void): () => void
  /** The kept events after this cursor, oldest first; null if some of them are no longer, or not yet, kept. */
  readAfter(cursor: number, limit: number): readonly T[] | null
  /** This node has read everything up to here; null before the first look at the store. */
  position(): number | null
  /** Settles when nothing is being read any more. */
  close(): Promise<void>
}

export interface TailPorts<T> {
  readonly store: Pick<Store, 'listen' | 'readEvents' | 'findLastEventId'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly capacity?: number
  readonly pollMs?: number
  prepare(entry: HistoryEntry): T
}

const PAGE = 500

/** A tail of the events as they are stored. Streams and waiting requests of a node share one. */
export function createNodeTail(ports: Omit<TailPorts<HistoryEntry>, 'prepare'>): EventTail<HistoryEntry> {
  return createEventTail({ ...ports, prepare: (entry) => entry })
}

export function createEventTail<T>(ports: TailPorts<T>): EventTail<T> {
  const { store, clock, telemetry, capacity = 4_096, pollMs = 1_000 } = ports
  const followers = new Set<() => void>()
  let kept: { readonly eventId: number; readonly prepared: T }[] = []
  /** Events after `floor` and up to `head` are kept. */
  let floor: number | null = null
  let head = 0
  let isReading = false
  let cancelPoll = (): void => {}
  const unlisten = store.listen((notice) => {
    if (notice.type === 'events.appended' || notice.type === 'gap') look()
  })

  /** Page after page, until one is not full and no notice has arrived since. */
  const looks = coalesce(async () => {
    if (followers.size > 0) {
      cancelPoll()
      isReading = true
      await readOn().catch(logFailure)
      isReading = false
    }
    if (followers.size === 0) forget()
    else if (!looks.isWanted()) cancelPoll = clock.schedule(pollMs, look)
  })

  function look(): void {
    if (followers.size > 0) void looks.run()
  }

  async function readOn(): Promise<void> {
    if (floor === null) {
      const last = await store.findLastEventId()
      floor = last
      head = last
      news()
    }
    if (followers.size === 0) return
    const page = await store.readEvents(head, PAGE)
    if (page.length === 0) return
    if (page.length === PAGE) look()
    keep(page)
    news()
  }

  function keep(page: readonly HistoryEntry[]): void {
    for (const entry of page) kept.push({ eventId: entry.eventId, prepared: ports.prepare(entry) })
    head = page.at(-1)?.eventId ?? head
    if (kept.length <= capacity) return
    const dropped = kept.splice(0, kept.length - capacity)
    floor = dropped.at(-1)?.eventId ?? floor
  }

  function forget(): void {
    cancelPoll()
    if (isReading) return
    kept = []
    floor = null
  }

  function news(): void {
    for (const onNews of [...followers]) onNews()
  }

  function logFailure(error: unknown): void {
    telemetry.log('warn', 'could not read the event stream; retrying', { error: String(error) })
  }

  return {
    follow(onNews) {
      const own = (): void => onNews()
      followers.add(own)
      look()
      return () => {
        followers.delete(own)
        if (followers.size === 0) forget()
      }
    },
    readAfter(cursor, limit) {
      if (floor === null || cursor < floor) return null
      const from = firstAfter(kept, cursor)
      return kept.slice(from, from + limit).map(({ prepared }) => prepared)
    },
    position: () => (floor === null ? null : head),
    async close() {
      unlisten()
      cancelPoll()
      followers.clear()
      await looks.settled()
    },
  }
}

/** Index of the first event past the cursor, by binary search. */
function firstAfter(events: readonly { readonly eventId: number }[], cursor: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.eventId ?? 0) > cursor) high = middle
    else low = middle + 1
  }
  return low
}
