/** How one node has fared lately: the share of calls without a usable answer, and how long answers take. */
import type { Clock } from '../../ports/clock.ts'
import type { Exchange } from './json-rpc.ts'

export interface EndpointFigures {
  note(exchange: Exchange): void
  /** Of the calls of the last minute, from 0 to 1; null if there were none. */
  errorRate(): number | null
  /** Of one HTTP request, the newest counting most; null until one was answered. */
  latencyMs(): number | null
  /** The quickest answer of the last hour: about the round trip to the node. Null if there was none. */
  fastestMs(): number | null
}

interface Calls {
  calls: number
  failed: number
}

const MINUTE = { slotMs: 10_000, slots: 6 }
/**
 * The round trip is remembered for much longer than a minute. A node that is flooded answers everything late for as long as
 * the flood lasts: its distance would seem to grow, and those who flood it would seem to cost it nothing.
 */
const HOUR = { slotMs: 300_000, slots: 12 }
const NEWEST_WEIGHT = 0.2

export function createEndpointFigures(clock: Pick<Clock, 'monotonic'>): EndpointFigures {
  const lastMinute = createSlots(clock, MINUTE, (): Calls => ({ calls: 0, failed: 0 }))
  const lastHour = createSlots(clock, HOUR, () => ({ fastestMs: Number.POSITIVE_INFINITY }))
  let latencyMs: number | null = null

  return {
    note({ replies, tookMs }) {
      const slot = lastMinute.current()
      slot.calls += replies.length
      // A node's own error is an answer; what it did not answer, or refused for its rate, is not.
      const failed = replies.filter(({ type }) => type !== 'result' && type !== 'error').length
      slot.failed += failed
      if (failed === replies.length) return
      const quickest = lastHour.current()
      quickest.fastestMs = Math.min(quickest.fastestMs, tookMs)
      latencyMs = latencyMs === null ? tookMs : latencyMs + (tookMs - latencyMs) * NEWEST_WEIGHT
    },
    errorRate() {
      let [calls, failed] = [0, 0]
      for (const slot of lastMinute.list()) {
        calls += slot.calls
        failed += slot.failed
      }
      return calls === 0 ? null : failed / calls
    },
    fastestMs() {
      const fastest = Math.min(...lastHour.list().map((slot) => slot.fastestMs))
      return Number.isFinite(fastest) ? fastest : null
    },
    latencyMs: () => (latencyMs === null ? null : Math.round(latencyMs)),
  }
}

/** What happened lately, in a bounded number of slots of equal length; the oldest is forgotten as a whole. */
function createSlots<T>(
  clock: Pick<Clock, 'monotonic'>,
  { slotMs, slots }: { readonly slotMs: number; readonly slots: number },
  create: () => T,
) {
  const bySlot = new Map<number, T>()

  function forgetOld(): number {
    const now = Math.floor(clock.monotonic() / slotMs)
    for (const at of bySlot.keys()) if (at <= now - slots) bySlot.delete(at)
    return now
  }

  return {
    current(): T {
      const now = forgetOld()
      const slot = bySlot.get(now) ?? create()
      bySlot.set(now, slot)
      return slot
    },
    list(): readonly T[] {
      forgetOld()
      return [...bySlot.values()]
    },
  }
}
