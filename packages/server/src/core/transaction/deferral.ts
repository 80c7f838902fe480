/** Why a queued transaction waits: because of itself, or because of what would stop any other in its place as well. */
import type { TxError } from './transaction.ts'

/** Paused ones of these are not read again before their time where policy passes them over, unless prices fall. */
export const PAUSED_ALONE: readonly string[] = ['fee_below_base', 'tx_fee_above_cap', 'not_simulated']

export function hindersOneAlone({ code }: TxError): boolean {
  return code === 'insufficient_funds' || PAUSED_ALONE.includes(code)
}
