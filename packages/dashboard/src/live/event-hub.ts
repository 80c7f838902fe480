/**
 * The event stream, followed once for the whole page. It starts a little before the end, so that there is something to
 * show at once, and reconnects after a break. It keeps the newest events and counts what the charts need. However many
 * events arrive, the page is updated a few times a second.
 */
import type { EventResource } from '../api/api-resources.ts'
import { createTimeSeries } from './time-series.ts'

const KEPT = 200
/** Accepted transactions whose block is waited for, to time it. */
const MAX_TIMED = 5_000
const TELL_EVERY_MS = 400

export interface EventHubPorts {
  /** The newest events, oldest first, and the cursor after them. */
  readTail(): Promise<{ readonly items: readonly EventResource[]; readonly next: number }>
  /** Everything after the cursor, for ever; throws where it cannot go on. */
  follow(after: number, signal: AbortSignal): AsyncIterable<EventResource>
  schedule(delayMs: number, run: () => void): () => void
  /** Resolves when it makes sense to try (again). */
  awaitTurn(failures: number, signal: AbortSignal): Promise<void>
}

export type EventHub = ReturnType<typeof createEventHub>

export function createEventHub(ports: EventHubPorts) {
  const listeners = new Set<() => void>()
  const acceptedAt = new Map<string, number>()
  const series = {
    accepted: createTimeSeries('rate'),
    mined: createTimeSeries('rate'),
    toMined: createTimeSeries('mean'),
    toFinal: createTimeSeries('mean'),
  }
  const stop = new AbortController()
  /** Oldest first; cut back now and then, not with every event. */
  let kept: EventResource[] = []
  let cursor: number | null = null
  let version = 0
  let isTelling = false

  function take(event: EventResource): void {
    kept.push(event)
    if (kept.length >= 2 * KEPT) kept = kept.slice(-KEPT)
    version += 1
    count(event)
    if (isTelling) return
    isTelling = true
    ports.schedule(TELL_EVERY_MS, () => {
      isTelling = false
      for (const listener of listeners) listener()
    })
  }

  function count({ type, transactionId, at }: EventResource): void {
    const atMs = Date.parse(at)
    if (transactionId === null) return
    const began = acceptedAt.get(transactionId)
    if (type === 'accepted') {
      series.accepted.add(atMs, 1)
      acceptedAt.set(transactionId, atMs)
      const oldest = acceptedAt.keys().next().value
      if (acceptedAt.size > MAX_TIMED && oldest !== undefined) acceptedAt.delete(oldest)
    }
    if (type === 'inclusion.seen') {
      series.mined.add(atMs, 1)
      if (began !== undefined) series.toMined.add(atMs, (atMs - began) / 1_000)
    }
    if (type === 'finality.reached') {
      if (began !== undefined) series.toFinal.add(atMs, (atMs - began) / 1_000)
      acceptedAt.delete(transactionId)
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      await ports.awaitTurn(failures, stop.signal)
      try {
        if (cursor === null) {
          const { items, next } = await ports.readTail()
          for (const event of items) take(event)
          cursor = next
        }
        for await (const event of ports.follow(cursor, stop.signal)) {
          take(event)
          cursor = event.eventId
          failures = 0
        }
      } catch {
        // The pulse says what is wrong with the service; here it only matters that the stream goes on after it.
      }
    }
  }

  return {
    start: () => void run(),
    stop: () => stop.abort(),
    /** Newest first. */
    recent: (): readonly EventResource[] => kept.slice(-KEPT).reverse(),
    /** Grows with every event. */
    version: () => version,
    series,
    onEvents(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
