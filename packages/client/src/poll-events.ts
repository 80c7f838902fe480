/** The event stream by asking for page after page; at its end, less and less often until something comes. */
import { delay } from './delay.ts'
import type { Event } from './generated/api-types.ts'
import type { Request } from './operation.ts'

/** Events after a cursor, in order. May end or fail at any time; whoever reads opens it again from where it was. */
export type OpenEvents = (from: {
  readonly after: number
  /** False: ends at the end of the stream. */
  readonly follow: boolean
  /** Only the one event of each transaction that made it final. */
  readonly completions: boolean
  readonly signal: AbortSignal | undefined
  /** The service has answered, whether it had events or not. */
  onAnswer(): void
}) => AsyncIterable<Event>

const PAGE_SIZE = 200
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [250, 2_000, 1.5]

export function createPolledEvents(request: Request): OpenEvents {
  return async function* open({ after, follow, completions, signal, onAnswer }) {
    let [cursor, pauseMs] = [after, FIRST_PAUSE_MS]
    for (;;) {
      const query = { after: cursor, limit: PAGE_SIZE, ...(completions && { completions: 'true' as const }) }
      const { items, next } = await request('GET /v1/events', { query }, { signal })
      onAnswer()
      yield* items
      cursor = next
      if (items.length === PAGE_SIZE) continue
      if (!follow) return
      pauseMs = items.length > 0 ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)
      await delay(pauseMs, signal)
    }
  }
}
