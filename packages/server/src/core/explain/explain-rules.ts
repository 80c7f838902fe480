/** Explains a queued transaction that spending rules keep from being signed. */
import { missingVotes } from '../rules/approval.ts'
import { awaitsApproval } from '../transaction/await-approval.ts'
import type { Queued } from '../transaction/transaction.ts'
import type { ExplainContext, Finding } from './explanation.ts'
import { spellCount, spellTime } from './spell-time.ts'

export function explainApproval(tx: Queued, { now }: ExplainContext): Finding | null {
  const { approval } = tx
  if (approval === undefined || !awaitsApproval(tx)) return null
  const missing = missingVotes(approval)
  const keys = [...new Set(approval.needs.flatMap((need) => need.keys))]
  const given = approval.votes.map(({ name }) => name)
  const soFar = given.length === 0 ? 'Nobody has approved it yet' : `Approved by ${given.join(', ')}`
  const next =
    now >= approval.expiresAt
      ? { nextAction: 'The time to approve it has passed. Drover cancels it.', nextActionAt: now }
      : {
          nextAction: `Drover cancels it at ${spellTime(approval.expiresAt)} unless it is approved by then. Transactions behind it go first.`,
          nextActionAt: approval.expiresAt,
        }
  return {
    cause: 'awaiting_approval',
    summary: `It needs ${spellCount(missing, 'more approval', 'more approvals')} from ${keys.join(', ')}; the key that sent it does not count. ${soFar}. It has no nonce yet.`,
    ...next,
  }
}

export function explainHeld(tx: Queued, { now }: ExplainContext): Finding | null {
  if (tx.subState !== 'held_by_rule' || tx.error === null || tx.retryAt === null) return null
  const nextActionAt = Math.max(now, tx.retryAt)
  return {
    cause: 'held_by_rule',
    summary: `A spending rule holds it: ${tx.error.message}. It has no nonce yet.`,
    nextAction: `Drover checks the rule again when it is changed, and at ${spellTime(nextActionAt)} at the latest. Transactions behind it go first.`,
    nextActionAt,
  }
}
