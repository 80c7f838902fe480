/** Why a transaction does not advance, as JSON, field by field: what is stored for `explain` alone stays inside. */
import type { TxError } from '../../core/transaction/transaction.ts'
import type { TransactionResource } from '../contract/resources/transaction-resource.ts'

export function presentError({
  code,
  message,
  reason,
  revertData,
}: TxError): NonNullable<TransactionResource['error']> {
  return { code, message, ...(reason !== undefined && { reason }), ...(revertData !== undefined && { revertData }) }
}
