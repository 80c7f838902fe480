/** The event stream by polling page after page; at its end, less and less often until something arrives. */

import type { Event } from '../generated/api-types.ts'
import { backOff } from '../generated/back-off.ts'
import { delay } from '../transport/delay.ts'
import type { Request } from '../transport/operation.ts'

/** As it stands in the URL of the stream. Page requests carry only `completions`; the reader filters out the rest. */
export interface EventQuery {
  readonly types?: string
  readonly chainId?: number
  readonly from?: string
  readonly completions?: 'true'
}

/** Events after a cursor, in order. May end or fail at any time; the reader opens it again from where it was. */
export type OpenEvents = (from: {
  readonly after: number
  /** False: ends at the end of the stream. */
  readonly follow: boolean
  /** Which of them. */
  readonly query: EventQuery
  readonly signal: AbortSignal | undefined
  /** The service has answered, whether it had events or not. */
  onAnswer(): void
  /** There is nothing more to come of what is asked for, up to this event. */
  onPassed(eventId: number): void
}) => AsyncIterable<Event>

const PAGE_SIZE = 200
/** After this time it ends, so the reader that reopens it can look for something better. */
const MAX_FOLLOWING_MS = 60_000
const PAUSES = { first: 250, max: 2_000, factor: 1.5 }

export function createPolledEvents(request: Request): OpenEvents {
  return async function* open({ after, follow, query, signal, onAnswer }) {
    const startedAt = performance.now()
    const { completions } = query
    let [cursor, quietLooks] = [after, 0]
    for (;;) {
      const page = { query: { after: cursor, limit: PAGE_SIZE, ...(completions !== undefined && { completions }) } }
      const { items, next } = await request('GET /v1/events', page, { signal })
      onAnswer()
      yield* items
      cursor = next
      if (items.length === PAGE_SIZE) continue
      if (!follow || performance.now() - startedAt > MAX_FOLLOWING_MS) return
      quietLooks = items.length > 0 ? 0 : quietLooks + 1
      await delay(backOff(quietLooks + 1, PAUSES), signal)
    }
  }
}
