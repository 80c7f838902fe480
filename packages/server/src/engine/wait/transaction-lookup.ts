/** Reads transactions that somebody waits for: all that are due together, one statement at a time. */
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
  let isLooking = false
  let cancelRetry = (): void => {}

  async function look(): Promise<void> {
    if (isLooking || due.size === 0) return
    isLooking = true
    const ids = [...due]
    due.clear()
    let failed = false
    try {
      for (const tx of await store.findTransactions(ids)) onFound(tx)
    } catch (error) {
      failed = true
      for (const id of ids) due.add(id)
      telemetry.log('warn', 'could not read awaited transactions; retrying', { error: String(error) })
    }
    isLooking = false
    cancelRetry()
    if (failed) cancelRetry = clock.schedule(RETRY_MS, () => void look())
    else void look()
  }

  return {
    add(ids: Iterable<TxId>): void {
      for (const id of ids) due.add(id)
      void look()
    },
    close(): void {
      due.clear()
      cancelRetry()
    },
  }
}
