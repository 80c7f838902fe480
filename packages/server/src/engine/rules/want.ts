/** What the rules see of an intent, and what they ask to be approved. */
import { maxPricePerGas } from '../../core/fees/fees.ts'
import type { Approval, ApprovalVote } from '../../core/rules/approval.ts'
import type { Verdict } from '../../core/rules/judge.ts'
import type { Wanted } from '../../core/rules/spending.ts'
import type { Intent } from '../../core/transaction/transaction.ts'

export function wantOf({ lane, to, data, value }: Intent, feeWei: bigint | null): Wanted {
  return { chainId: lane.chainId, to, data, value, feeWei }
}

/** The most that it can cost, if the request says so itself. */
export function namedFee({ gasLimit, fees }: Intent): bigint | null {
  const price = fees === null ? null : maxPricePerGas(fees)
  return gasLimit === null || price === null ? null : gasLimit * price
}

/** Null: nobody has to approve it. */
export function approvalFor(
  { needs }: Pick<Verdict, 'needs'>,
  nowMs: number,
  votes: readonly ApprovalVote[] = [],
): Approval | null {
  if (needs.length === 0) return null
  return {
    needs: needs.map(({ subject, of, keys }) => ({ subject, of, keys })),
    votes,
    expiresAt: nowMs + Math.min(...needs.map(({ expiresInMs }) => expiresInMs)),
  }
}
