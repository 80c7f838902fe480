/** Corrects the books once the end of a transaction is known: what it did spend replaces what it could have spent. */

import { applyCharge, type Charge, type SpendingAccount, type SpendingWrite } from './judge.ts'
import type { Ledger } from './ledger.ts'
import type { SubjectId } from './rule-set.ts'
import type { Amounts } from './spending.ts'

/** How a charged transaction ended. */
export interface ChargeEnd {
  readonly charge: Charge
  /** Null: nothing was ever mined for it. */
  readonly mined: {
    readonly feeWei: bigint
    /** It did what was asked: not reverted, and not an empty transaction in its place. */
    readonly succeeded: boolean
  } | null
}

export function settleAll(
  accounts: readonly SpendingAccount[],
  ends: readonly ChargeEnd[],
  now: number,
): SpendingWrite {
  const ledgers = new Map<SubjectId, Ledger>(accounts.map(({ subject, ledger }) => [subject, ledger]))
  for (const end of ends) {
    const { charge } = end
    const ledger = ledgers.get(charge.subject)
    if (ledger === undefined) continue
    const without = applyCharge(ledger, charge, -1n, now)
    ledgers.set(charge.subject, applyCharge(without, { ...charge, amounts: actualAmounts(end) }, 1n, now))
  }
  return {
    accounts: accounts.map(({ subject, version, ledger }) => ({
      subject,
      version,
      ledger: ledgers.get(subject) ?? ledger,
    })),
    charges: [],
    dropped: ends.map(({ charge: { txId, subject } }) => ({ txId, subject })),
  }
}

function actualAmounts({ charge: { amounts }, mined }: ChargeEnd): Amounts {
  if (mined === null) return {}
  const { feeWei, succeeded } = mined
  return succeeded ? { ...amounts, gas: feeWei } : { count: 1n, gas: feeWei }
}
