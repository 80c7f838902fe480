/** How one node has fared lately: the share of calls without a usable answer, and how long answers take. */
import type { Clock } from '../../ports/clock.ts'
import type { Exchange } from './json-rpc.ts'

export interface EndpointFigures {
  note(exchange: Exchange): void
  /** Of the calls of the last minute, from 0 to 1; null if there were none. */
  errorRate(): number | null
  /** Of one HTTP request, the newest counting most; null until one was answered. */
  latencyMs(): number | null
  /** The quickest answer of the last minute: about the round trip to the node. Null if there was none. */
  fastestMs(): number | null
}

interface Slot {
  calls: number
  failed: number
  fastestMs: number
}

const SLOT_MS = 10_000
const SLOTS = 6
const NEWEST_WEIGHT = 0.2

export function createEndpointFigures(clock: Pick<Clock, 'monotonic'>): EndpointFigures {
  const slots = new Map<number, Slot>()
  let latencyMs: number | null = null

  function current(): Slot {
    const now = Math.floor(clock.monotonic() / SLOT_MS)
    for (const at of slots.keys()) if (at <= now - SLOTS) slots.delete(at)
    const slot = slots.get(now) ?? { calls: 0, failed: 0, fastestMs: Number.POSITIVE_INFINITY }
    slots.set(now, slot)
    return slot
  }

  return {
    note({ replies, tookMs }) {
      const slot = current()
      slot.calls += replies.length
      // A node's own error is an answer; what it did not answer, or refused for its rate, is not.
      const failed = replies.filter(({ type }) => type !== 'result' && type !== 'error').length
      slot.failed += failed
      if (failed === replies.length) return
      slot.fastestMs = Math.min(slot.fastestMs, tookMs)
      latencyMs = latencyMs === null ? tookMs : latencyMs + (tookMs - latencyMs) * NEWEST_WEIGHT
    },
    errorRate() {
      current()
      let [calls, failed] = [0, 0]
      for (const slot of slots.values()) {
        calls += slot.calls
        failed += slot.failed
      }
      return calls === 0 ? null : failed / calls
    },
    fastestMs() {
      current()
      const fastest = Math.min(...[...slots.values()].map((slot) => slot.fastestMs))
      return Number.isFinite(fastest) ? fastest : null
    },
    latencyMs: () => (latencyMs === null ? null : Math.round(latencyMs)),
  }
}
