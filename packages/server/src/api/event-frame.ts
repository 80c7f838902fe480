/** One event as Server-Sent Events write it; made once, whoever reads it. */
import type { HistoryEntry } from '../ports/store.ts'
import { presentEvent } from './present-event.ts'

export interface EventFrame {
  readonly entry: HistoryEntry
  readonly bytes: Buffer
}

/** JSON has no bare line breaks, so that one `data` line holds all of it. */
export function createEventFrame(entry: HistoryEntry): EventFrame {
  const text = `id: ${entry.eventId}\nevent: ${entry.type}\ndata: ${JSON.stringify(presentEvent(entry))}\n\n`
  return { entry, bytes: Buffer.from(text) }
}
