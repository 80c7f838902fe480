/** One event as Server-Sent Events write it; made once, whoever reads it. */
import type { Caller } from '../../core/access/caller.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import { mayKnowHolder, presentEvent, withoutHolder } from '../present/present-event.ts'

export interface EventFrame {
  readonly entry: HistoryEntry
  bytesFor(caller: Caller): Buffer
}

export function createEventFrame(entry: HistoryEntry): EventFrame {
  // Made when it is first wanted: of a page that is filtered, little is.
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

/** JSON has no bare line breaks, so that one `data` line holds all of it. */
function write(entry: HistoryEntry): Buffer {
  return Buffer.from(`id: ${entry.eventId}\nevent: ${entry.type}\ndata: ${JSON.stringify(presentEvent(entry))}\n\n`)
}
