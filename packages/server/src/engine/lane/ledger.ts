/**
 * What the owner of a lane knows about it: exactly what the store holds, as of the last write.
 *
 * Thousands may be mined and not final yet, and a lane looks at its ledger many times a second. So those that wait for a
 * block are also kept apart, and a write costs what it changes: the maps are updated in place.
 */
import {
  type InFlight,
  inclusionOf,
  isInFlight,
  type Transaction,
  type TxId,
} from '../../core/transaction/transaction.ts'

export interface Ledger {
  readonly cursor: number | null
  /** In nonce order. Only `updateLedger` changes it. */
  readonly inFlight: Map<TxId, InFlight>
  /** Those that are in no block, in nonce order. Only `updateLedger` changes it. */
  readonly unmined: Map<TxId, InFlight>
  /** No transaction in flight has a higher nonce. */
  readonly highest: number
  /** Free nonces, lowest first. */
  readonly recyclable: readonly number[]
}

export function createLedger(found: {
  readonly cursor: number | null
  readonly inFlight: Iterable<InFlight>
  readonly recyclable: readonly number[]
}): Ledger {
  const sorted = [...found.inFlight].sort((a, b) => a.nonce - b.nonce)
  return {
    cursor: found.cursor,
    inFlight: new Map(sorted.map((tx) => [tx.id, tx])),
    unmined: new Map(sorted.filter(isUnmined).map((tx) => [tx.id, tx])),
    highest: sorted.at(-1)?.nonce ?? -1,
    recyclable: found.recyclable,
  }
}

/** After these transactions were stored as they are here. The ledger before must not be used any more. */
export function updateLedger(ledger: Ledger, changed: Iterable<Transaction>): Ledger {
  const { inFlight, unmined } = ledger
  let { highest } = ledger
  let isOrdered = true
  for (const tx of changed) {
    if (!isInFlight(tx)) {
      inFlight.delete(tx.id)
      unmined.delete(tx.id)
      continue
    }
    // A key that is already there keeps its place.
    const before = inFlight.get(tx.id)
    if (before === undefined) {
      isOrdered &&= tx.nonce > highest
      highest = Math.max(highest, tx.nonce)
    } else isOrdered &&= before.nonce === tx.nonce && (unmined.has(tx.id) || !isUnmined(tx))
    inFlight.set(tx.id, tx)
    if (isUnmined(tx)) unmined.set(tx.id, tx)
    else unmined.delete(tx.id)
  }
  return isOrdered ? { ...ledger, highest } : createLedger({ ...ledger, inFlight: inFlight.values() })
}

function isUnmined(tx: InFlight): boolean {
  return inclusionOf(tx) === null
}
