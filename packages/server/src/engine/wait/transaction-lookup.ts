/**
 * Reads transactions that callers wait for: those that are due together, one statement at a time. Each of them answers a
 * request, and a block may end hundreds of waits, so others get the thread after every few.
 */

import { coalesce } from '../../core/coalesced-task.ts'
import type { Transaction, TxId } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

interface TransactionLookup {
  /** These are due. */
  add(ids: Iterable<TxId>): void
  close(): void
}

interface LookupPorts {
  readonly store: Pick<Store, 'findTransactions'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Pick<Telemetry, 'log'>
}

const RETRY_MS = 1_000
const MOST_AT_ONCE = 25

export function createTransactionLookup(
  { store, clock, telemetry }: LookupPorts,
  onFound: (tx: Transaction) => void,
): TransactionLookup {
  const due = new Set<TxId>()
  let cancelRetry = (): void => {}

  const looks = coalesce(async () => {
    cancelRetry()
    while (due.size > 0) {
      const ids = [...due].slice(0, MOST_AT_ONCE)
      for (const id of ids) due.delete(id)
      try {
        for (const tx of await store.findTransactions(ids)) onFound(tx)
      } catch (error) {
        for (const id of ids) due.add(id)
        telemetry.log('warn', 'could not read awaited transactions; retrying', { error: String(error) })
        cancelRetry = clock.schedule(RETRY_MS, () => void looks.run())
        return
      }
    }
  })

  return {
    add(ids: Iterable<TxId>): void {
      for (const id of ids) due.add(id)
      void looks.run()
    },
    close(): void {
      due.clear()
      cancelRetry()
    },
  }
}
