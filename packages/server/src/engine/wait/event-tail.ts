/**
 * The end of the event stream, read once for a whole node.
 *
 * While somebody follows it, one reader goes on from the newest event: woken by the store's notices, with polling behind
 * them. What it reads is made ready once and kept, the newest so many; whoever follows takes it from there by cursor, so
 * that a thousand followers cost the database no more than one. Who stands further back than what is kept reads pages
 * from the store until it has caught up. When nobody follows, nothing is read and nothing is kept.
 */
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry, Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface EventTail<T> {
  /** Follows until the returned function is called; `onNews` may be called for nothing. */
  follow(onNews: () => void): () => void
  /** What is kept after this cursor, oldest first; null where some of it is no longer, or not yet, kept. */
  readAfter(cursor: number, limit: number): readonly T[] | null
  /** Everything up to here was read by this node; null before the first look at the store. */
  position(): number | null
  close(): void
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

export function createEventTail<T>(ports: TailPorts<T>): EventTail<T> {
  const { store, clock, telemetry, capacity = 4_096, pollMs = 1_000 } = ports
  const followers = new Set<() => void>()
  let kept: { readonly eventId: number; readonly prepared: T }[] = []
  /** Events after `floor` and up to `head` are kept. */
  let floor: number | null = null
  let head = 0
  let isLooking = false
  let lookAgain = false
  let cancelPoll = (): void => {}
  const unlisten = store.listen((notice) => {
    if (notice.type === 'events.appended' || notice.type === 'gap') look()
  })

  function look(): void {
    if (followers.size === 0) return
    lookAgain = true
    if (isLooking) return
    isLooking = true
    cancelPoll()
    void readOn().catch(tell).finally(rest)
  }

  async function readOn(): Promise<void> {
    if (floor === null) {
      const last = await store.findLastEventId()
      floor = last
      head = last
      news()
    }
    while (lookAgain && followers.size > 0) {
      lookAgain = false
      const page = await store.readEvents(head, PAGE)
      if (page.length === 0) continue
      lookAgain ||= page.length === PAGE
      keep(page)
      news()
    }
  }

  function keep(page: readonly HistoryEntry[]): void {
    for (const entry of page) kept.push({ eventId: entry.eventId, prepared: ports.prepare(entry) })
    head = page.at(-1)?.eventId ?? head
    if (kept.length <= capacity) return
    const dropped = kept.splice(0, kept.length - capacity)
    floor = dropped.at(-1)?.eventId ?? floor
  }

  function rest(): void {
    isLooking = false
    if (followers.size > 0) cancelPoll = clock.schedule(pollMs, look)
    else forget()
  }

  function forget(): void {
    cancelPoll()
    if (isLooking) return
    kept = []
    floor = null
  }

  function news(): void {
    for (const onNews of [...followers]) onNews()
  }

  function tell(error: unknown): void {
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
    close() {
      unlisten()
      cancelPoll()
      followers.clear()
    },
  }
}

/** Index of the first one past the cursor, by halving. */
function firstAfter(events: readonly { readonly eventId: number }[], cursor: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.eventId ?? 0) > cursor) high = middle
    else low = middle + 1
  }
  return low
}
