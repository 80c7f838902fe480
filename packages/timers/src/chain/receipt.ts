/** The result of one transaction, message or fire, and what it cost. */
import type { Hex } from '../kernel/bytes/hex.ts'
import type { RunOutcome } from './world-frame.ts'

export interface Receipt {
  readonly type: 'transaction' | 'message' | 'fire'
  /** Transaction id (empty where it is malformed), or deliver id, or the message's place in its block. */
  readonly id: Hex
  readonly payer: Hex
  /** What was `rejected` never ran and cost nothing. */
  readonly outcome: RunOutcome | { readonly type: 'rejected'; readonly reason: RejectionReason }
  readonly cyclesUsed: bigint
  readonly cellsUsed: bigint
  readonly burned: bigint
  readonly tip: bigint
}

export type RejectionReason = 'wrong_nonce' | 'unfunded' | 'block_full' | 'lane_too_narrow' | 'malformed'

export function rejectedReceipt(type: Receipt['type'], id: Hex, payer: Hex, reason: RejectionReason): Receipt {
  return { type, id, payer, outcome: { type: 'rejected', reason }, cyclesUsed: 0n, cellsUsed: 0n, burned: 0n, tip: 0n }
}
