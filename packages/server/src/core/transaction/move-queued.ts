/** What moves a transaction that has no nonce yet: preparation, its deadline, an operator, and the nonce itself. */
import type { Policy } from '../lane/policy.ts'
import { AWAITING, awaitsApproval, moveApproval } from './await-approval.ts'
import { dropQueued } from './drop-queued.ts'
import { mayHaveToWait, release, SCHEDULED } from './not-before.ts'
import { withOrigin } from './shed-fields.ts'
import { move, noteOperator, type Step, stay } from './step.ts'
import type { Allocated, Queued } from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

export function moveQueued(tx: Queued, event: TxEvent, policy: Policy): Step {
  switch (event.type) {
    case 'prepare.deferred':
      if (tx.suspended || tx.subState === 'scheduled' || (tx.retryAt !== null && event.retryAt <= tx.retryAt))
        return stay(tx)
      return move(
        {
          ...tx,
          subState: event.subState,
          error: event.error,
          retryAt: event.retryAt,
          prepareFailures: tx.prepareFailures + 1,
        },
        { type: event.type, cause: event.error.code, detail: { message: event.error.message } },
      )
    case 'prepare.rejected':
      if (tx.suspended) return stay(tx)
      return move(dropQueued(tx, 'CANCELLED', 'rejected', event.error, event.at), {
        type: event.type,
        cause: event.error.code,
        detail: { message: event.error.message, reason: event.error.reason ?? null },
      })
    case 'deadline.passed':
      return expire(tx, event.at)
    case 'schedule.reached':
      return release(tx, event.chain)
    case 'approval.required':
    case 'approval.given':
    case 'approval.refused':
    case 'approval.expired':
      return moveApproval(tx, event)
    case 'nonce.allocated':
      return allocate(tx, event, policy)
    case 'operator.suspended':
      if (tx.suspended) return stay(tx)
      return move({ ...tx, suspended: true, subState: 'suspended' }, noteOperator(event))
    case 'operator.resumed':
      if (!tx.suspended) return stay(tx)
      return move({ ...tx, ...placeOf(tx), suspended: false }, noteOperator(event))
    case 'operator.retried':
      if (tx.suspended || tx.retryAt === null) return stay(tx)
      return move({ ...tx, ...inLine(false) }, noteOperator(event))
    case 'operator.cancelled':
      return move(dropQueued(tx, 'CANCELLED', 'cancelled', null, event.at), noteOperator(event))
    default:
      return stay(tx)
  }
}

/** Where it goes on after a suspension. */
function placeOf(tx: Queued) {
  if (awaitsApproval(tx)) return AWAITING
  return mayHaveToWait(tx) ? SCHEDULED : inLine(false)
}

/** A place in the queue with no obstacles. */
export function inLine(suspended: boolean) {
  return { subState: suspended ? 'suspended' : 'accepted', error: null, retryAt: null, prepareFailures: 0 } as const
}

function expire(tx: Queued, at: number): Step {
  const { validUntil } = tx.intent
  if (validUntil === null || at < validUntil) return stay(tx)
  const error = { code: 'expired', message: 'validUntil passed before it got a nonce' }
  return move(dropQueued(tx, 'EXPIRED', 'expired', error, at), {
    type: 'deadline.passed',
    cause: null,
    detail: { validUntil },
  })
}

function allocate(tx: Queued, event: Extract<TxEvent, { type: 'nonce.allocated' }>, policy: Policy): Step {
  if (tx.suspended || awaitsApproval(tx) || tx.subState === 'scheduled') return stay(tx)
  // One literal: a spread to which this many fields are added takes V8 about a hundred times as long.
  const allocated: Allocated = {
    id: tx.id,
    intent: tx.intent,
    version: tx.version,
    suspended: tx.suspended,
    createdAt: tx.createdAt,
    state: 'ALLOCATED',
    subState: 'signed',
    error: null,
    nonce: event.nonce,
    attempts: [...tx.attempts, event.attempt],
    fence: event.fence,
    nodeId: event.nodeId,
    allocatedAt: event.at,
    waitingSince: event.at,
    submittedAt: null,
    lastSubmitAt: null,
    submitCount: 0,
    refusals: 0,
    nextResubmitAt: event.at + policy.resubmitIntervalMs,
    newForks: 0,
    requestedReplacement: 'none',
    mayBeHeld: false,
    refusal: null,
  }
  return move(
    withOrigin(allocated, tx),
    { type: event.type, cause: null, detail: { nonce: event.nonce, hash: event.attempt.hash } },
    { type: 'broadcast' },
  )
}
