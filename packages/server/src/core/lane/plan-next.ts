/**
 * What the next attempt of a sent transaction offers, if there is one.
 *
 * Bytes that a node may hold are outbid by a step on every field, starting from the highest ever signed for the nonce.
 * Bytes that no node ever held need no step: the market decides. If a transaction may offer no more, because of its own
 * limit or the policy's, and is refused for its price again and again, it makes way for an empty transaction. That
 * happens only if the empty one may offer more: otherwise those behind it would be no better off.
 */

import { spellFees } from '../explain/spell-fees.ts'
import { capPerGas } from '../fees/fee-cap.ts'
import { type FeeMarket, type Fees, isGasFree, maxPricePerGas } from '../fees/fees.ts'
import { priceTransaction } from '../fees/price.ts'
import { offersMore, planUnheld, raise } from '../fees/unheld-price.ts'
import { mayMakeWay, REFUSALS_BEFORE_WAY } from '../transaction/make-way.ts'
import { planReplacement, type Replacement } from '../transaction/replacement.ts'
import { type Attempt, type InFlight, isCancelling, lacksEmpty, newestAttempt } from '../transaction/transaction.ts'
import type { Policy } from './policy.ts'

export type NextAttempt =
  | Replacement
  /** An empty transaction takes its nonce; `mayPass`: the price may be right again later. */
  | { readonly type: 'make_way'; readonly message: string; readonly mayPass: boolean }
  | { readonly type: 'wait' }
  /** The price of the chain is fixed at zero, and a node may hold bytes at that price. */
  | { readonly type: 'no_higher_price' }

export interface PlanScene {
  readonly market: FeeMarket
  readonly policy: Policy
  /** The newest bytes have waited long enough. */
  readonly isPatient: boolean
}

/** Every node refuses the newest bytes for their price: waiting does not help, only a better price does. */
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
    // The market says that the price is right, and the nodes disagree: from here on step by step, at the usual pace.
    if (plan === null && !isPatient) return { type: 'wait' }
  }
  if (isGasFree(market)) return planFree(tx, market, policy)
  const plan = planReplacement(dearest(tx, newest), market, { speed, capWei })
  // It cannot outbid bytes that a node may hold. A node that holds nothing still accepts it.
  if (plan.type === 'above_cap' && tx.refusal !== null && lacksEmpty(tx)) return priceEmpty(tx, market, policy)
  if (plan.type === 'replace' || tx.error?.code !== 'underpriced') return plan
  return planWay(tx, newest, scene) ?? (isPatient ? plan : { type: 'wait' })
}

/** Nothing outbids bytes at a price of zero. An empty transaction still counts if no node holds the others any more. */
function planFree(tx: InFlight, market: FeeMarket, policy: Policy): NextAttempt {
  if (lacksEmpty(tx)) return priceEmpty(tx, market, policy)
  return tx.requestedReplacement === 'speed_up' ? { type: 'no_higher_price' } : { type: 'wait' }
}

/** Null: it need not make way, or not yet. */
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

/** An empty transaction is paid for by the lane, not the caller: the caller's offer does not limit it. */
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

/** The empty transaction was priced as if no node held the earlier bytes, but it turned out that a node does. */
function isOutbidByOwn(tx: InFlight): boolean {
  const newest = newestAttempt(tx)
  if (newest === null || tx.error?.code !== 'replacement_underpriced') return false
  return offersMore(dearest(tx, newest), newest.fees)
}

/** The most that was signed for this nonce in each field: it outbids whichever of them a node holds. */
function dearest(tx: InFlight, newest: Attempt): Fees {
  return tx.attempts.reduce((fees, each) => (each.nonce === tx.nonce ? raise(fees, each.fees) : fees), newest.fees)
}

/** A caller's own fees are the most it pays, but the lane, not the caller, pays for an empty transaction. */
function findCap(tx: InFlight, policy: Policy): bigint | null {
  const { fees } = tx.intent
  const own = fees === null || isCancelling(tx) ? null : maxPricePerGas(fees)
  const cap = policy.maxFeePerGasWei
  if (own === null) return cap
  return cap !== null && cap < own ? cap : own
}
