/** One event in Server-Sent Events format, built once for all readers. */
import type { Caller } from '../../core/access/caller.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import { mayKnowHolder, presentEvent, withoutHolder } from '../present/present-event.ts'

export interface EventFrame {
  readonly entry: HistoryEntry
  bytesFor(caller: Caller): Buffer
}

export function createEventFrame(entry: HistoryEntry): EventFrame {
  // Built when first needed: filtered readers need little of a page.
  let whole: Buffer | null = null
  let hidden: Buffer | null = null
  return {
    entry,
    bytesFor(caller) {
      if (mayKnowHolder(caller, entry)) {
        whole ??= write(entry)
        return whole
      }
      hidden ??= write(withoutHolder(entry))
      return hidden
    },
  }
}

/** JSON has no bare line breaks, so one `data` line holds everything. */
function write(entry: HistoryEntry): Buffer {
  return Buffer.from(`id: ${entry.eventId}\nevent: ${entry.type}\ndata: ${JSON.stringify(presentEvent(entry))}\n\n`)
}
