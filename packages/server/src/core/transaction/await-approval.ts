/** A queued transaction that waits for approval: it has no nonce, and those behind it go first. */
import { isApproved, missingVotes, withoutVotes } from '../rules/approval.ts'
import { dropQueued } from './drop-queued.ts'
import { move, type Step, stay } from './step.ts'
import type { Queued, Transaction } from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

type ApprovalEvent = Extract<TxEvent, { type: `approval.${string}` }>

export const AWAITING = { subState: 'awaiting_approval', error: null, retryAt: null, prepareFailures: 0 } as const

/** It may not be signed before it has the approvals that it was stored with. */
export function awaitsApproval(tx: Transaction): boolean {
  return tx.state === 'QUEUED' && tx.approval !== undefined && !isApproved(tx.approval)
}

export function moveApproval(tx: Queued, event: ApprovalEvent): Step {
  switch (event.type) {
    case 'approval.required': {
      const { approval } = event
      if (tx.suspended || isApproved(approval)) return stay(tx)
      return move(
        { ...tx, ...AWAITING, approval },
        note(event, { needs: approval.needs, expiresAt: approval.expiresAt }),
      )
    }
    case 'approval.given': {
      if (tx.approval === undefined || !awaitsApproval(tx)) return stay(tx)
      const { vote, revoked = [] } = event
      const approval = { ...tx.approval, votes: [...withoutVotes(tx.approval, revoked).votes, vote] }
      const subState = isApproved(approval) && !tx.suspended ? 'accepted' : tx.subState
      const detail = {
        actor: `${vote.name} (${vote.keyId})`,
        reason: vote.reason,
        missing: missingVotes(approval),
        ...(revoked.length > 0 && { revoked }),
      }
      return move({ ...tx, subState, approval }, note(event, detail))
    }
    case 'approval.refused': {
      if (!awaitsApproval(tx)) return stay(tx)
      const error = { code: 'approval_refused', message: `${event.by.actor} refused it: ${event.by.reason}` }
      return move(dropQueued(tx, 'CANCELLED', 'not_approved', error, event.at), note(event, { ...event.by }))
    }
    case 'approval.expired': {
      if (tx.approval === undefined || !awaitsApproval(tx) || event.at < tx.approval.expiresAt) return stay(tx)
      const error = { code: 'approval_expired', message: 'it was not approved in time' }
      return move(dropQueued(tx, 'CANCELLED', 'not_approved', error, event.at), note(event, {}))
    }
  }
}

function note({ type }: ApprovalEvent, detail: Readonly<Record<string, unknown>>) {
  return { type, cause: null, detail }
}
