/** Why a queued transaction waits: because of itself, or because of something that would stop any other too. */
import type { TxError } from './transaction.ts'

/** If policy passes these over, paused ones are not read again before their time, unless prices fall. */
export const PAUSED_ALONE: readonly string[] = ['fee_below_base', 'tx_fee_above_cap', 'not_simulated']

export function hindersOneAlone({ code }: TxError): boolean {
  return code === 'insufficient_funds' || PAUSED_ALONE.includes(code)
}
