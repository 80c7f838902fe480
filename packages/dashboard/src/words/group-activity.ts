/** Events as a person tells them: what happened to one transaction is one line, and many of the same kind are one. */
import type { EventResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { describeEvent, type EventWords } from './describe-event.ts'

export interface Activity {
  readonly key: string
  readonly words: EventWords
  readonly from: string
  /** Null: several transactions, or none. */
  readonly transactionId: string | null
  readonly count: number
  readonly at: string
}

/** `events`: newest first. Neighbours of one signer and one kind become one entry; of each transaction the newest counts. */
export function groupActivity(events: readonly EventResource[], most: number): readonly Activity[] {
  const told = new Set<string>()
  const entries: Activity[] = []
  for (const event of events) {
    const { transactionId } = event
    if (transactionId !== null && told.has(transactionId)) continue
    if (transactionId !== null) told.add(transactionId)
    const words = describeEvent(event)
    const kind = entries.findIndex((entry) => entry.from === event.from && kindOf(entry.words) === kindOf(words))
    const known = entries[kind]
    if (known !== undefined && transactionId !== null) {
      entries[kind] = { ...known, transactionId: null, count: known.count + 1 }
    } else if (entries.length < most) {
      entries.push({
        key: transactionId === null ? String(event.eventId) : `${event.from} ${kindOf(words)}`,
        words,
        from: event.from,
        transactionId,
        count: 1,
        at: event.lastAt,
      })
    }
  }
  return entries
}

/** Without its numbers: "Mined in block 7" and "Mined in block 8" are of one kind. */
function kindOf({ title, tone }: EventWords): string {
  return `${tone} ${title.replace(/[\d,]+/g, '#')}`
}

/** "12 transactions: Final: confirmed". */
export function titleOf({ words, count }: Activity): string {
  return count === 1
    ? words.title
    : `${words.title.replace(/ (?:with nonce|in block) [\d,]+$/, '')} ×\u00a0${formatCount(count)}`
}
