/**
 * Turns the event stream into traces. It follows all events, because a transaction may change its node, and hands over the
 * trace of a transaction when this node has ended it. Of a transaction that began before this process, it reads the history.
 */
import type { TxId } from '../core/transaction/transaction.ts'
import type { HistoryEntry } from '../ports/history.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { addEntry, isComplete, NEW_DRAFT, type TraceDraft, toSpans } from './trace.ts'
import type { TraceSender } from './trace-sender.ts'

/** The end of the event stream, as one reader of a node has it. */
export interface EventFeed {
  follow(onNews: () => void): () => void
  readAfter(cursor: number, limit: number): readonly HistoryEntry[] | null
  position(): number | null
}

interface FollowerPorts {
  readonly feed: EventFeed
  readonly store: Pick<Store, 'readHistory'>
  readonly sender: Pick<TraceSender, 'add'>
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>
  readonly nodeId: string
}

const PAGE = 500
/** Transactions in progress. Beyond this the oldest are dropped, and their history is read when they end. */
const MAX_DRAFTS = 20_000
/** Histories that wait to be read. */
const MAX_LATE = 200

export function followTraces({ feed, store, sender, telemetry, nodeId }: FollowerPorts): () => Promise<void> {
  const drafts = new Map<TxId, TraceDraft>()
  let cursor: number | null = null
  let late = 0
  let reading: Promise<void> = Promise.resolve()

  function take(entry: HistoryEntry): void {
    const { txId, completion } = entry
    if (txId === null) return
    const draft = addEntry(drafts.get(txId) ?? NEW_DRAFT, entry)
    drafts.delete(txId)
    if (completion === null) {
      drafts.set(txId, draft)
      const [oldest] = drafts.size > MAX_DRAFTS ? drafts.keys() : []
      if (oldest !== undefined) drafts.delete(oldest)
    } else if (entry.nodeId === nodeId || entry.nodeId === null) {
      if (isComplete(draft)) sender.add(toSpans(draft, entry))
      else readLate(txId, entry)
    }
  }

  function readLate(txId: TxId, end: HistoryEntry): void {
    if (late >= MAX_LATE) {
      telemetry.count('drover_traces_total', { result: 'dropped' })
      return
    }
    late += 1
    reading = reading
      .then(async () => {
        const history = await store.readHistory(txId)
        sender.add(toSpans(history.reduce(addEntry, NEW_DRAFT), end))
      })
      .catch((error: unknown) => {
        telemetry.count('drover_traces_total', { result: 'dropped' })
        telemetry.log('warn', 'could not read the history of a transaction for its trace', {
          txId,
          error: String(error),
        })
      })
      .finally(() => {
        late -= 1
      })
  }

  const unfollow = feed.follow(() => {
    cursor ??= feed.position()
    if (cursor === null) return
    for (;;) {
      const page = feed.readAfter(cursor, PAGE)
      // Further behind than the feed keeps: what ended in between has no trace.
      if (page === null) {
        telemetry.count('drover_traces_total', { result: 'skipped' })
        cursor = feed.position() ?? cursor
        return
      }
      for (const entry of page) take(entry)
      cursor = page.at(-1)?.eventId ?? cursor
      if (page.length < PAGE) return
    }
  })

  return async () => {
    unfollow()
    await reading
  }
}
