/**
 * `cancel all, then reset` as one order. The owner stores which transactions it covers, has each of them replaced by an
 * empty one, gives out no nonce meanwhile, and moves the cursor when all have ended. Each step is derived from what is
 * stored, so a restart or another owner continues where the last one stopped.
 */

import { isFill } from '../transaction/fill.ts'
import { awaitsBlock, hasLostNonce } from '../transaction/lose-nonce.ts'
import { type InFlight, inclusionOf, newestAttempt, type TxId } from '../transaction/transaction.ts'
import type { NonceReset } from './nonce-reset.ts'
import type { Policy } from './policy.ts'
import { holdsNonce, type Reservation } from './reservation.ts'

export type CancelAllStep =
  /** Cancel these: store the list before anything is done. */
  | { readonly type: 'note'; readonly txIds: readonly TxId[] }
  | { readonly type: 'wait' }
  /** All have ended: the cursor may move. */
  | { readonly type: 'reset' }
  | { readonly type: 'refuse'; readonly why: string }

interface Scene {
  readonly inFlight: readonly InFlight[]
  readonly reservations: readonly Reservation[]
  readonly policy: Pick<Policy, 'mayReplace'>
}

const NAMED = 5

export function planCancelAll(
  { txIds }: Pick<NonceReset, 'txIds'>,
  { inFlight, reservations, policy }: Scene,
): CancelAllStep {
  const unmined = inFlight.filter(awaitsBlock)
  const reserved = reservations.filter((each) => holdsNonce(each) && each.inclusion === null)
  const kept = reserved.filter((each) => !isTakenBack(each))
  if (kept.length > 0) return { type: 'refuse', why: describeReserved(kept) }
  const open = unmined.filter((tx) => newestAttempt(tx)?.kind !== 'cancel' && !isFill(tx.intent))
  if (policy.mayReplace === 'never' && open.length > 0) {
    const count = open.length === 1 ? '1 transaction is' : `${open.length} transactions are`
    return {
      type: 'refuse',
      why: `${count} in flight, and the signer's policy forbids cancelling them (mayReplace: never)`,
    }
  }
  const known = new Set(txIds ?? [])
  const added = unmined.filter(({ id }) => !known.has(id))
  if (txIds === null || added.length > 0) return { type: 'note', txIds: [...known, ...added.map(({ id }) => id)] }
  // A transaction that lost its nonce to a foreign one cannot be cancelled, and blocks nothing.
  const isOpen = reserved.length > 0 || inFlight.some((tx) => known.has(tx.id) && !hasLostNonce(tx))
  return { type: isOpen ? 'wait' : 'reset' }
}

/** Its nonce comes back, or an empty transaction takes it: the lane does both itself, and both end by themselves. */
function isTakenBack({ state, fillOrderedAt }: Reservation): boolean {
  return state === 'RELEASED' || fillOrderedAt !== null
}

/** Whether this one still has to be cancelled. One that makes way may go back to the queue; a cancel is an end. */
export function awaitsCancel(tx: InFlight, { txIds }: Pick<NonceReset, 'txIds'>): boolean {
  if (inclusionOf(tx) !== null || !txIds?.includes(tx.id)) return false
  return tx.refusal !== null || (newestAttempt(tx)?.kind !== 'cancel' && tx.requestedReplacement !== 'cancel')
}

function describeReserved(reserved: readonly Reservation[]): string {
  const named = reserved.slice(0, NAMED).map(({ id, nonce }) => `nonce ${nonce} (reservation ${id})`)
  const others = reserved.length > NAMED ? ` and ${reserved.length - NAMED} more` : ''
  return `still reserved: ${named.join(', ')}${others}; release or fill what is reserved first`
}
