/**
 * A preconfirmation is a node's promise: a receipt of ours in a block that is still being built. It is reported, but
 * nothing is concluded from it: it is no inclusion, counts no confirmation and ends nothing. A STUCK transaction stays
 * STUCK until a block holds it, because an alarm that a promise silences would have to be raised again when the promise
 * is broken. A transaction that an operator suspended stays marked as suspended.
 */
import { move, type Step, stay } from './step.ts'
import { type Allocated, findAttempt, type InFlight, isPreconfirmed, type Tracking } from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

/** Not mined yet, and can be reported as part of the next block. */
export function mayBePreconfirmed(tx: InFlight): tx is Allocated | Tracking {
  if (tx.state === 'STUCK' || tx.suspended) return false
  return tx.state === 'ALLOCATED' || tx.inclusion === null
}

export function preconfirm(tx: InFlight, event: Extract<TxEvent, { type: 'preconfirmation.seen' }>): Step {
  if (!mayBePreconfirmed(tx) || isPreconfirmed(tx) || findAttempt(tx, event.hash) === null) return stay(tx)
  const { at, hash, blockNumber, succeeded } = event
  const held = { submittedAt: tx.submittedAt ?? at, mayBeHeld: true } as const
  const told = { ...held, error: null, refusals: 0, inclusion: null, minedAt: null } as const
  return move(
    { ...tx, ...told, state: 'TRACKING', subState: 'preconfirmed' },
    { type: event.type, cause: null, detail: { hash, blockNumber, succeeded } },
  )
}

/** The same bytes are due at once: the node that promised them may have lost them. */
export function losePreconfirmation(tx: InFlight, event: Extract<TxEvent, { type: 'preconfirmation.lost' }>): Step {
  if (!isPreconfirmed(tx)) return stay(tx)
  const { at, blockNumber } = event
  return move(
    { ...tx, subState: 'stale', nextResubmitAt: at },
    { type: event.type, cause: null, detail: { nonce: tx.nonce, blockNumber } },
  )
}
