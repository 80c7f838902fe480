/**
 * What the next attempt of a sent transaction shall offer, if there is to be one.
 *
 * Bytes that a node may hold are outbid by a step on every field, taken from the dearest that was ever signed for the
 * nonce. Bytes that no node ever held need no step: the market decides. What may offer no more, because of its own price
 * or that of policy, and is refused for its price again and again, makes way for an empty transaction; but only if that
 * one may offer more, or those behind it would be no better off.
 */

import { spellFees } from '../explain/spell-fees.ts'
import { capPerGas } from '../fees/fee-cap.ts'
import { type FeeMarket, type Fees, maxPricePerGas } from '../fees/fees.ts'
import { priceTransaction } from '../fees/price.ts'
import { offersMore, planUnheld, raise } from '../fees/unheld-price.ts'
import { mayMakeWay, REFUSALS_BEFORE_WAY } from '../transaction/make-way.ts'
import { planReplacement, type Replacement } from '../transaction/replacement.ts'
import { type Attempt, type InFlight, isCancelling, lacksEmpty, newestAttempt } from '../transaction/transaction.ts'
import type { Policy } from './policy.ts'

export type NextAttempt =
  | Replacement
  /** An empty transaction shall take its nonce; `mayPass`: the price may be right again later. */
  | { readonly type: 'make_way'; readonly message: string; readonly mayPass: boolean }
  | { readonly type: 'wait' }

export interface PlanScene {
  readonly market: FeeMarket
  readonly policy: Policy
  /** The newest bytes have had their time. */
  readonly isPatient: boolean
}

/** Every node refuses the newest bytes for their price: a better one is no matter of patience. */
export function isPriceRefused(tx: InFlight): boolean {
  return tx.error?.code === 'underpriced' || isOutbidByOwn(tx)
}

export function planNext(tx: InFlight, newest: Attempt, scene: PlanScene): NextAttempt {
  const { market, policy, isPatient } = scene
  const speed = tx.requestedReplacement === 'speed_up' ? 'fast' : tx.intent.speed
  const capWei = findCap(tx, policy)
  if (!tx.mayBeHeld && lacksEmpty(tx)) return priceEmpty(tx, market, policy)
  const isOwnPrice = tx.intent.fees !== null && !isCancelling(tx)
  if (!tx.mayBeHeld && isPriceRefused(tx) && !isOwnPrice) {
    const plan = planUnheld(newest.fees, market, { speed }, policy)
    if (plan?.type === 'replace') return plan
    // The market has it that the price is right, and the nodes have not: from here on step by step, in its own time.
    if (plan === null && !isPatient) return { type: 'wait' }
  }
  const plan = planReplacement(dearest(tx, newest), market, { speed, capWei })
  // It cannot outbid what a node may hold. A node that holds nothing takes it all the same.
  if (plan.type === 'above_cap' && tx.refusal !== null && lacksEmpty(tx)) return priceEmpty(tx, market, policy)
  if (plan.type === 'replace' || tx.error?.code !== 'underpriced') return plan
  return planWay(tx, newest, scene) ?? (isPatient ? plan : { type: 'wait' })
}

/** Null: no way to make, or not yet. */
function planWay(tx: InFlight, newest: Attempt, scene: PlanScene): NextAttempt | null {
  const { market, policy } = scene
  if (!mayMakeWay(tx, policy) || tx.refusals < REFUSALS_BEFORE_WAY) return null
  const empty = planEmpty(tx, newest, scene)
  const price = priceTransaction({ fees: null, speed: tx.intent.speed }, market, capPerGas(policy))
  if (empty.type !== 'replace' || price.type !== 'priced' || !offersMore(empty.fees, newest.fees)) return null
  return {
    type: 'make_way',
    message: `every RPC node refused its price of ${spellFees(newest.fees)}; the market price is ${spellFees(price.fees)}`,
    mayPass: market.baseFeePerGas !== null && maxPricePerGas(newest.fees) < market.baseFeePerGas,
  }
}

/** An empty transaction is the lane's affair, not the caller's: what the caller offers does not bind it. */
function planEmpty(tx: InFlight, newest: Attempt, { market, policy }: PlanScene): Replacement {
  const { speed } = tx.intent
  if (!tx.mayBeHeld) return priceEmpty(tx, market, policy)
  return planReplacement(dearest(tx, newest), market, { speed, capWei: policy.maxFeePerGasWei })
}

function priceEmpty({ intent: { speed } }: InFlight, market: FeeMarket, policy: Policy): Replacement {
  const price = priceTransaction({ fees: null, speed }, market, capPerGas(policy))
  if (price.type === 'priced') return { type: 'replace', fees: price.fees }
  return { type: 'above_cap', neededWei: price.neededWei, capWei: price.cap.perGasWei }
}

/** The empty transaction was priced as if no node held the bytes before it, and a node does: that is known now. */
function isOutbidByOwn(tx: InFlight): boolean {
  const newest = newestAttempt(tx)
  if (newest === null || tx.error?.code !== 'replacement_underpriced') return false
  return offersMore(dearest(tx, newest), newest.fees)
}

/** In each field the most that was signed for this nonce: whichever of them a node holds, this outbids it. */
function dearest(tx: InFlight, newest: Attempt): Fees {
  return tx.attempts.reduce((fees, each) => (each.nonce === tx.nonce ? raise(fees, each.fees) : fees), newest.fees)
}

/** A caller's own fees are the most it pays; but an empty transaction in its place is the lane's affair, not the caller's. */
function findCap(tx: InFlight, policy: Policy): bigint | null {
  const { fees } = tx.intent
  const own = fees === null || isCancelling(tx) ? null : maxPricePerGas(fees)
  const cap = policy.maxFeePerGasWei
  if (own === null) return cap
  return cap !== null && cap < own ? cap : own
}
