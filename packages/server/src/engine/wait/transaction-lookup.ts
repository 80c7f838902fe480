/** Reads transactions that callers wait for: all that are due together, one statement at a time. */

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

export function createTransactionLookup(
  { store, clock, telemetry }: LookupPorts,
  onFound: (tx: Transaction) => void,
): TransactionLookup {
  const due = new Set<TxId>()
  let cancelRetry = (): void => {}

  const looks = coalesce(async () => {
    cancelRetry()
    if (due.size === 0) return
    const ids = [...due]
    due.clear()
    try {
      for (const tx of await store.findTransactions(ids)) onFound(tx)
    } catch (error) {
      for (const id of ids) due.add(id)
      telemetry.log('warn', 'could not read awaited transactions; retrying', { error: String(error) })
      cancelRetry = clock.schedule(RETRY_MS, () => void looks.run())
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
