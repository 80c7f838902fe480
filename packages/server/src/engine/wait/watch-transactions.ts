/** Follows the end of the event stream while anyone waits, and reports which transactions had events. */
import type { TxId } from '../../core/transaction/transaction.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { EventTail } from './event-tail.ts'

interface TransactionWatch {
  start(): void
  stop(): void
}

const PAGE = 500

interface WatchPorts {
  isWanted(id: TxId): boolean
  /** Null: events may have been missed. */
  onChange(ids: ReadonlySet<TxId> | null): void
}

export function watchTransactions(
  tail: EventTail<Pick<HistoryEntry, 'eventId' | 'txId'>>,
  { isWanted, onChange }: WatchPorts,
): TransactionWatch {
  let cursor: number | null = null
  let unfollow: (() => void) | null = null

  function readNews(): void {
    for (;;) {
      const entries = cursor === null ? null : tail.readAfter(cursor, PAGE)
      if (entries === null) {
        cursor = tail.position()
        onChange(null)
        return
      }
      if (entries.length === 0) return
      cursor = entries.at(-1)?.eventId ?? cursor
      const ids = entries.flatMap(({ txId }) => (txId !== null && isWanted(txId) ? [txId] : []))
      if (ids.length > 0) onChange(new Set(ids))
    }
  }

  return {
    start(): void {
      if (unfollow !== null) return
      cursor = tail.position()
      unfollow = tail.follow(readNews)
    },
    stop(): void {
      unfollow?.()
      unfollow = null
    },
  }
}
