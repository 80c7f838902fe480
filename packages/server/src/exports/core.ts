/** Values that the service and its programs read and write in the same way: amounts, durations, states, scopes, error codes. */
export { SCOPES } from '../core/access/caller.ts'
export { formatAmount, parseAmount } from '../core/amount.ts'
export { AppError } from '../core/app-error.ts'
export { spellDuration } from '../core/explain/spell-time.ts'
export { toAddress } from '../core/hex.ts'
export type { Policy } from '../core/lane/policy.ts'
export { assessStage, hasFailed } from '../core/transaction/stage-table.ts'
export { TX_STATES } from '../core/transaction/transaction.ts'
