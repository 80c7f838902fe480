/**
 * Gives nonces to prepared transactions, in order, and signs them. The lowest free nonce goes first, then the cursor:
 * no new nonce is taken while one below is free. A free nonce below one that was already sent is a gap. It is given out
 * even if there is no room, because nothing above it can be mined before.
 *
 * A certain failure ends one transaction and the next takes its place. An uncertain one blocks the queue, because those
 * behind it must not overtake. Policy can make an exception if the obstacle concerns one transaction alone (too little
 * money for it, too low a price of its own, a call that the node cannot run): then those behind it go first. If a key
 * cannot sign, the walk stops before a nonce is spent on it. Several are signed at the same time, see `sign-ahead.ts`.
 */

import { backOff } from '../../core/back-off.ts'
import { spellNeed } from '../../core/explain/next-steps.ts'
import { maxCost } from '../../core/fees/cost.ts'
import { isSameLimit } from '../../core/fees/fee-limit.ts'
import { maxPricePerGas } from '../../core/fees/fees.ts'
import { describeExactNonce, type ExactNonce, judgeExactNonce } from '../../core/lane/exact-nonce.ts'
import type { Lease } from '../../core/lane/lane.ts'
import type { QueueWait } from '../../core/lane/lane-problem.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { hindersOneAlone } from '../../core/transaction/deferral.ts'
import { fillsOrdered, isFill } from '../../core/transaction/fill.ts'
import type { Attempt, Queued, TxError } from '../../core/transaction/transaction.ts'
import type { AccountCount } from '../../ports/chain.ts'
import { KeyStoreAway, type Signer } from '../../ports/signer.ts'
import type { AccountWatch } from '../balance/account-watch.ts'
import { addWait, type PriceWaits } from '../fees/price-watch.ts'
import { FeeAboveCap, findExcess, signWithinCap } from '../fees/sign-within-cap.ts'
import { findUsable, firstNonce, hasHadNonce } from '../gaps/free-nonces.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { Ledger } from '../lane/ledger.ts'
import type { Preparation } from './prepare.ts'
import { createSignAhead } from './sign-ahead.ts'

export interface AllocateContext {
  readonly lease: Lease
  readonly ledger: Ledger
  /** The chain's own counts for the account; null if they were not requested. */
  readonly counts: AccountCount | null
  readonly policy: Policy
  /** The chain's cap on the fee of one transaction; null only if an operator set `none`. */
  readonly chainMaxFeeWei: bigint | null
  /** How many may be taken in addition to gaps. */
  readonly slots: number
  /** The highest nonce that was given out and is not mined; null if there is none. */
  readonly highest: number | null
  /** Nonces that were taken from their holders: only the fills ordered for them may use them. */
  readonly yielded?: readonly number[]
  readonly funds: Pick<AccountWatch, 'available' | 'commit'>
  readonly now: number
  readonly retryMs: number
  readonly signer: Signer
  /** Above zero: bytes signed like this already exist, so these must differ. */
  readonly variation?: number
}

export interface AllocateResult {
  /** No further preparation before this; null if nothing blocks the queue. */
  readonly holdUntil: number | null
  readonly signingError: unknown
  /** The transaction that could not be signed; null if there is none. */
  readonly unsigned: QueueWait | null
  readonly allocated: number
  /** What the cheapest unfunded one needs; null if there is none. */
  readonly leastUnfunded: bigint | null
  /** The highest price per gas used to price any of them; null if the price is not the reason. */
  readonly unfundedPrice: bigint | null
  /** The prices that transactions wait for. */
  readonly priceWaits: PriceWaits
  /** The first that waits for money, and the first that waits for a price. */
  readonly waits: { readonly unfunded: QueueWait | null; readonly priced: QueueWait | null }
}

const MAX_PAUSE_MS = 60_000

type Deferral = Extract<Preparation, { type: 'deferred' }>

export async function allocateNonces(
  draft: LaneDraft,
  preparations: readonly Preparation[],
  context: AllocateContext,
): Promise<AllocateResult> {
  const { policy, now, highest } = context
  const free = findUsable(context.ledger.recyclable, context.counts)
  const followsChain = policy.externalUse || preparations.some(({ tx }) => hasHadNonce(tx))
  let next = firstNonce(context.ledger.cursor, context.counts, followsChain)
  let { slots } = context
  const yielded = new Set(context.yielded)
  let allocated = 0
  let leastUnfunded: bigint | null = null
  let unfundedPrice: bigint | null = null
  let priceWaits: PriceWaits = { market: null, base: null }
  const waits: { unfunded: QueueWait | null; priced: QueueWait | null } = { unfunded: null, priced: null }
  let signingError: unknown = null
  let unsigned: QueueWait | null = null
  const result = (holdUntil: number | null = null): AllocateResult => ({
    holdUntil,
    signingError,
    unsigned,
    allocated,
    leastUnfunded,
    unfundedPrice,
    priceWaits,
    waits,
  })

  const ahead = createSignAhead(preparations, {
    costOf,
    mayGo: (ready) => findExcess(ready, { intent: ready.tx.intent, rules: context }) === null,
    sign: (ready, nonce) => sign(ready, nonce, context),
  })

  for (const given of preparations) {
    const { tx } = given
    if (tx.intent.validUntil !== null && tx.intent.validUntil <= now) {
      draft.apply(tx, { type: 'deadline.passed', at: now })
      continue
    }
    if (given.type === 'rejected') {
      draft.apply(tx, { type: 'prepare.rejected', at: now, error: given.error })
      continue
    }
    if (given.type === 'held') {
      draft.apply(tx, { type: 'prepare.deferred', at: now, ...HELD, error: given.error, retryAt: given.retryAt })
      continue
    }
    if (given.type === 'unapproved') {
      draft.apply(tx, { type: 'approval.required', at: now, approval: given.approval })
      continue
    }
    const [lowestFree] = free
    const isGap = lowestFree !== undefined && highest !== null && lowestFree < highest
    const ordered = fillsOrdered(tx.intent) ? tx.intent.exactNonce : null
    if (ordered === null ? isFill(tx.intent) && !isGap : !yielded.has(ordered)) {
      draft.apply(tx, { type: 'prepare.rejected', at: now, error: NO_GAP })
      continue
    }
    const exact = ordered === null ? judgeExactNonce(tx.intent, { next, free }) : 'fits'
    // It can never be sent: it must not block the queue because of other things it waits for.
    if (exact === 'too_low') {
      rejectExact(draft, given, exact, { next: lowestFree ?? next, now })
      continue
    }
    const preparation = given.type === 'ready' ? (findShortage(given, context) ?? given) : given
    if (preparation.type === 'deferred') {
      const isUnfunded = preparation.subState === 'waiting_for_funds'
      if (isUnfunded) {
        const needed = given.type === 'ready' ? costOf(given) : tx.intent.value
        leastUnfunded = leastUnfunded === null || needed < leastUnfunded ? needed : leastUnfunded
        const price = given.type === 'ready' ? maxPricePerGas(given.fees) : null
        if (price !== null && (unfundedPrice === null || price > unfundedPrice)) unfundedPrice = price
      }
      const { message, limit } = preparation.error
      const wait = { txId: tx.id, message, ...(limit && { limit }) }
      if (isUnfunded) waits.unfunded ??= wait
      if (preparation.subState === 'fee_above_cap') waits.priced ??= wait
      if (preparation.waitsFor !== undefined) priceWaits = addWait(priceWaits, preparation.waitsFor)
      const retryAt = defer(draft, preparation, context)
      if (policy.onDeferral === 'pass_over' && hindersOneAlone(preparation.error)) continue
      return result(retryAt)
    }
    const takesSlot = !isGap && ordered === null
    if (takesSlot && slots <= 0) break
    const nonce = ordered ?? lowestFree ?? next
    if (exact === 'too_high') {
      rejectExact(draft, given, exact, { next: nonce, now })
      continue
    }
    const line = { free, next, room: slots, available: context.funds.available() }
    const signed = await ahead.sign(preparation, nonce, line)
    if (signed.type === 'failed') {
      signingError = signed.error
      const { deferral } = signed
      unsigned = { txId: tx.id, message: deferral.error.message }
      return result(defer(draft, deferral, context))
    }
    if (signed.type === 'above_cap') {
      signingError = signed.error
      waits.priced ??= { txId: tx.id, message: signed.error.message }
      const retryAt = defer(draft, aboveCap(tx, signed.error), context)
      if (policy.onDeferral === 'pass_over') continue
      return result(retryAt)
    }
    const { fence, nodeId } = context.lease
    const after = draft.apply(tx, { type: 'nonce.allocated', at: now, nonce, attempt: signed.attempt, fence, nodeId })
    // It may have expired or been suspended since it was prepared. Then the nonce is still free, and the next one takes
    // it.
    if (after.state !== 'ALLOCATED' || after.nonce !== nonce) continue
    context.funds.commit(costOf(preparation))
    if (ordered !== null) yielded.delete(ordered)
    else if (nonce === lowestFree) {
      free.shift()
      draft.takeRecyclable(nonce)
    } else {
      next = nonce + 1
      draft.moveCursor(next)
    }
    if (takesSlot) slots--
    allocated++
  }
  return result()
}

/** What waits for money or a price is checked with every block; this is only for a chain without blocks. */
const WATCHED_MS = 5 * 60_000

const HELD = { subState: 'held_by_rule' } as const

const NO_GAP: TxError = { code: 'no_gap', message: 'there is no gap left to fill; no nonce was used' }

function rejectExact(
  draft: LaneDraft,
  { tx }: Preparation,
  verdict: Exclude<ExactNonce, 'fits'>,
  { next, now }: { readonly next: number; readonly now: number },
): void {
  const error = describeExactNonce(verdict, tx.intent.exactNonce ?? 0, next)
  draft.apply(tx, { type: 'prepare.rejected', at: now, error })
}

function costOf({ tx, gasLimit, fees }: Extract<Preparation, { type: 'ready' }>): bigint {
  return maxCost(tx.intent.value, gasLimit, fees)
}

/** Null: the account can pay for it on top of everything in flight, or the balance is unknown. */
function findShortage(ready: Extract<Preparation, { type: 'ready' }>, { funds }: AllocateContext): Deferral | null {
  const available = funds.available()
  const needed = costOf(ready)
  if (available === null || needed <= available) return null
  const left = available < 0n ? 0n : available
  const message = spellNeed(needed, left)
  return {
    type: 'deferred',
    tx: ready.tx,
    subState: 'waiting_for_funds',
    error: { code: 'insufficient_funds', message },
  }
}

function defer(draft: LaneDraft, { tx, subState, error }: Deferral, { now, retryMs, policy }: AllocateContext): number {
  // Tried early, with the same result: nothing new to report, and its pause continues.
  const isKnown = tx.subState === subState && isSameLimit(tx.error?.limit, error.limit)
  if (isKnown && tx.retryAt !== null && tx.retryAt > now) return tx.retryAt
  const isWatched = subState === 'waiting_for_funds' || subState === 'fee_above_cap'
  const rests = isWatched && policy.onDeferral === 'pass_over'
  const retryAt = now + (rests ? WATCHED_MS : backOff(tx.prepareFailures + 1, { first: retryMs, max: MAX_PAUSE_MS }))
  draft.apply(tx, { type: 'prepare.deferred', at: now, subState, error, retryAt })
  return retryAt
}

/** It was priced within its cap, and the cap was lowered since: price it again. */
function aboveCap(tx: Queued, { message }: FeeAboveCap): Deferral {
  return { type: 'deferred', tx, subState: 'fee_above_cap', error: { code: 'tx_fee_above_cap', message } }
}

/** Only the words of a key store are meant for people. */
function unsignable(tx: Queued, error: unknown): Deferral {
  const message = error instanceof KeyStoreAway ? error.message : 'signing failed; the log has the details'
  return { type: 'deferred', tx, subState: 'waiting_for_key', error: { code: 'key_unavailable', message } }
}

type Signing =
  | { readonly type: 'signed'; readonly attempt: Attempt }
  | { readonly type: 'above_cap'; readonly error: FeeAboveCap }
  | { readonly type: 'failed'; readonly error: unknown; readonly deferral: Deferral }

async function sign(
  { tx, gasLimit: wanted, fees }: Extract<Preparation, { type: 'ready' }>,
  nonce: number,
  { lease, now, signer, policy, chainMaxFeeWei, variation = 0 }: AllocateContext,
): Promise<Signing> {
  // Unused gas is refunded, so one unit more changes the bytes and nothing else.
  const gasLimit = wanted + BigInt(variation)
  const { to, data, value, accessList } = tx.intent
  const { chainId, signer: address } = lease.lane
  const list = accessList === undefined ? {} : { accessList }
  try {
    const unsigned = { chainId, nonce, to, data, value, gasLimit, fees, ...list }
    const { intent } = tx
    const { raw, hash } = await signWithinCap(signer, address, unsigned, { intent, rules: { chainMaxFeeWei, policy } })
    const kind = isFill(tx.intent) ? 'noop' : 'original'
    return { type: 'signed', attempt: { hash, raw, kind, nonce, gasLimit, fees, createdAt: now } }
  } catch (error) {
    if (error instanceof FeeAboveCap) return { type: 'above_cap', error }
    return { type: 'failed', error, deferral: unsignable(tx, error) }
  }
}
