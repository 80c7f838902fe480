/** How a charged transaction ended, from what is stored of it. */
import type { Inclusion } from '../../core/chain/finality.ts'
import type { Charge } from '../../core/rules/judge.ts'
import type { ChargeEnd } from '../../core/rules/settle.ts'
import type { TxState } from '../../core/transaction/transaction.ts'

/** A transaction that is charged before it is stored has this long to get there. */
export const UNSTORED_AFTER_MS = 60_000

export function endOf(charge: Charge, state: TxState | null, inclusion: Inclusion | null): ChargeEnd {
  if (inclusion === null) return { charge, mined: null }
  const feeWei = inclusion.gasUsed * inclusion.effectiveGasPrice
  return { charge, mined: { feeWei, succeeded: state === 'CONFIRMED' } }
}
