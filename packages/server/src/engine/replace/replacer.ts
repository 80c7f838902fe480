/**
 * Replaces sent bytes with others, if policy allows.
 *
 * A requested replacement (by an operator, or by a deadline that passed) is made at once, and so is the empty
 * transaction for one that makes way. A transaction that every node refuses for its price is repriced at once.
 * Otherwise, transactions whose newest bytes have waited for `bumpAfterMs` and are too cheap for the next block are
 * signed again. If the price is fine, a higher one changes nothing: bytes that nodes do not have, or do not mine, are
 * sent again unchanged (see window/lane-window.ts). If a replacement would exceed the cap, would revert now, or cannot
 * be paid for, that is reported once and the same bytes continue. If policy replaces only on order, only a requested
 * replacement counts. A preconfirmed transaction was accepted at its price and is left alone; a requested replacement,
 * or a deadline, waits for its outcome.
 *
 * The market is read outside the cycles, at most once per block, and only if something may have to be replaced. The new
 * attempt is stored with everything else of the cycle and sent after that.
 */

import { describeCap, type FeeRules } from '../../core/fees/fee-cap.ts'
import { limitOf } from '../../core/fees/fee-limit.ts'
import type { FeeMarket } from '../../core/fees/fees.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { isPriceRefused, planNext } from '../../core/lane/plan-next.ts'
import { type Policy, replacesByItself } from '../../core/lane/policy.ts'
import { isFill, NOOP_GAS } from '../../core/transaction/fill.ts'
import { isOrdered } from '../../core/transaction/replace-sent.ts'
import { isPriceTooLow } from '../../core/transaction/replacement.ts'
import {
  type Attempt,
  type InFlight,
  isCancelling,
  isPreconfirmed,
  lacksEmpty,
  newestAttempt,
  type TxError,
} from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable, type HeadRef } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Signer } from '../../ports/signer.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { planWithinCap } from '../fees/plan-within-cap.ts'
import { signWithinCap } from '../fees/sign-within-cap.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { ReviewSigning } from '../rules/review-signing.ts'
import { type BumpScene, createBumpCheck } from './bump-check.ts'

export interface ReplaceScene {
  readonly policy: Policy
  /** Null until a block was seen. */
  readonly head: HeadRef | null
  /** A lower nonce is missing or reserved, so this one cannot be mined. */
  isBlocked(nonce: number): boolean
}

export interface Replacer {
  replace(draft: LaneDraft, scene: ReplaceScene): Promise<void>
  /** When it must look again, if no block comes before. */
  nextDueAt(unmined: Iterable<InFlight>, policy: Policy): number | null
}

interface ReplacerPorts {
  readonly chain: Pick<Chain, 'getFeeMarket' | 'estimate' | 'getBalance'>
  readonly signer: Signer
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  /** The chain's cap on the fee of one transaction; null only if an operator set `none`. */
  readonly chainMaxFeeWei: bigint | null
  readonly rules: Pick<ReviewSigning, 'reviewBump'>
  wake(): void
}

/** Signing takes time, and a cycle must be short. */
const MAX_PER_ROUND = 16
/** Calls that are run again per block. */
const MAX_CHECKED = 100
const MARKET_RETRY_MS = 5_000

const NO_HIGHER_PRICE: TxError = {
  code: 'price_fixed_at_zero',
  message:
    'the price of this chain is fixed at zero (setting gasPrice), so there is no higher price; Drover keeps sending the same bytes',
}

type Reason = 'requested' | 'refused' | 'price'

interface Market {
  readonly fees: FeeMarket
  /** The gas that an empty transaction needs, if it was requested. */
  readonly emptyGas: bigint | null
}

export function createReplacer(ports: ReplacerPorts): Replacer {
  const { chain, signer, clock, telemetry, lane, chainMaxFeeWei, wake } = ports
  const check = createBumpCheck(ports)
  let market: Market | null = null
  /** The head at which it was read or requested. */
  let marketHead: number | null = null
  let asking = false
  let hasMore = false

  async function replace(draft: LaneDraft, scene: ReplaceScene): Promise<void> {
    hasMore = false
    const { head } = scene
    if (scene.policy.mayReplace === 'never' || head === null) return
    const now = clock.now()
    for (const tx of draft.unmined()) {
      const { validUntil } = tx.intent
      if (validUntil !== null && validUntil <= now && !isPreconfirmed(tx))
        draft.apply(tx, { type: 'deadline.passed', at: now })
    }
    const unmined = draft.unmined().filter((tx) => !isPreconfirmed(tx))
    const candidates = unmined.filter((tx) => mayConcern(tx, scene.policy, now))
    if (candidates.length === 0) return
    const needsGas = candidates.some(needsEmptyGas)
    if (market === null || marketHead !== head.number || (needsGas && market.emptyGas === null))
      return ask(head.number, needsGas, scene.policy)
    const { fees } = market
    const due = candidates.flatMap((tx) => {
      const reason = findReason(tx, fees)
      return reason === null ? [] : [{ tx, reason }]
    })
    const around = { head, unmined: draft.unmined(), isBlocked: scene.isBlocked }
    const bumps = due.map(({ tx }) => tx).filter(isBump)
    const isChecked = bumps.length === 0 || check.isReady(bumps.slice(0, MAX_CHECKED), around)
    const done = { signed: 0, failed: 0 }
    for (const { tx, reason } of due) {
      if (isBump(tx) && (!isChecked || bumps.indexOf(tx) >= MAX_CHECKED)) continue
      if (done.signed + done.failed === MAX_PER_ROUND) {
        // If a key cannot sign, it is tried again with the next block, not at once.
        hasMore ||= done.signed > 0
        return
      }
      const result = await replaceOne(draft, tx, reason, { ...market, ...around }, scene.policy)
      // Unchanged transactions cost nothing: those at the cap must not use up the others' turns.
      if (result !== 'kept') done[result]++
    }
  }

  function findReason(tx: InFlight, now: FeeMarket): Reason | null {
    if (tx.requestedReplacement !== 'none') return 'requested'
    if (lacksEmpty(tx)) return 'refused'
    const newest = newestAttempt(tx)
    if (newest === null) return null
    const isRefused = tx.error?.code === 'underpriced' || tx.error?.code === 'replacement_underpriced'
    return isRefused || isPriceTooLow(newest.fees, now) ? 'price' : null
  }

  async function replaceOne(
    draft: LaneDraft,
    tx: InFlight,
    reason: Reason,
    around: Market & BumpScene,
    policy: Policy,
  ): Promise<'signed' | 'failed' | 'kept'> {
    const newest = newestAttempt(tx)
    if (newest === null) return 'kept'
    const { fees, emptyGas } = around
    const at = clock.now()
    const isPatient = at - newest.createdAt >= policy.bumpAfterMs
    const rules = { chainMaxFeeWei, policy }
    const { plan, gasLimit, cap } = planWithinCap(tx, chooseGas(tx, newest, emptyGas), rules, (maxFeePerGasWei) =>
      planNext(tx, newest, { market: fees, policy: { ...policy, maxFeePerGasWei }, isPatient }),
    )
    switch (plan.type) {
      case 'wait':
        return 'kept'
      case 'no_higher_price':
        draft.apply(tx, { type: 'bump.refused', at, error: NO_HIGHER_PRICE })
        return 'kept'
      case 'make_way':
        draft.apply(tx, { type: 'way.made', at, message: plan.message, mayPass: plan.mayPass })
        // The empty transaction is signed in the next round.
        hasMore = true
        return 'kept'
      case 'above_cap': {
        const { neededWei, capWei } = plan
        // What replaces it is not mined below the price of the next block.
        const minedWei = max(neededWei, fees.baseFeePerGas ?? 0n)
        const binding =
          cap === null ? {} : { allowed: describeCap(cap, neededWei), limit: limitOf(cap, minedWei, gasLimit) }
        draft.apply(tx, { type: 'fee.capped', at, neededWei, capWei, ...binding })
        return 'kept'
      }
    }
    const objection = isBump(tx) ? check.findObjection(tx, { gasLimit, fees: plan.fees }, around) : null
    try {
      // An empty transaction is never refused: without it the lane could freeze.
      const offer = { gasLimit, fees: plan.fees }
      const refused = objection ?? (isBump(tx) ? await ports.rules.reviewBump(tx, offer) : null)
      if (refused !== null) {
        draft.apply(tx, { type: 'bump.refused', at, error: refused })
        return 'kept'
      }
      const attempt = await sign(tx, { gasLimit, fees: plan.fees, createdAt: at }, rules)
      draft.apply(tx, { type: 'attempt.added', at, attempt })
      telemetry.count('drover_replacements_total', { reason, kind: attempt.kind })
      return 'signed'
    } catch (error) {
      telemetry.log('error', 'could not sign a replacement; keeping the current bytes', { ...lane, txId: tx.id, error })
      return 'failed'
    }
  }

  async function sign(
    tx: InFlight,
    { gasLimit, fees, createdAt }: Pick<Attempt, 'gasLimit' | 'fees' | 'createdAt'>,
    rules: FeeRules,
  ): Promise<Attempt> {
    const { nonce, intent } = tx
    const isCancel = isCancelling(tx)
    const kind = isCancel ? 'cancel' : isFill(intent) ? 'noop' : 'bump'
    const empty = { to: lane.signer, data: '0x', value: 0n } as const
    const { to, data, value } = isCancel ? empty : intent
    const list = isCancel || intent.accessList === undefined ? {} : { accessList: intent.accessList }
    const unsigned = { chainId: lane.chainId, nonce, to, data, value, gasLimit, fees, ...list }
    const { raw, hash } = await signWithinCap(signer, lane.signer, unsigned, { intent, rules })
    return { hash, raw, kind, nonce, gasLimit, fees, createdAt }
  }

  async function read(withGas: boolean, { gasLimitPercent }: Policy): Promise<Market> {
    const empty = { from: lane.signer, to: lane.signer, data: '0x', value: 0n, gasLimit: null } as const
    const [fees, [outcome]] = await Promise.all([chain.getFeeMarket(), withGas ? chain.estimate([empty], null) : []])
    if (!withGas) return { fees, emptyGas: null }
    return { fees, emptyGas: outcome?.type === 'ok' ? (outcome.gas * BigInt(gasLimitPercent)) / 100n : NOOP_GAS }
  }

  function ask(head: number, withGas: boolean, policy: Policy): void {
    const knows = marketHead === head && (market === null || !withGas || market.emptyGas !== null)
    if (asking || knows) return
    asking = true
    marketHead = head
    market = null
    read(withGas, policy)
      .then(
        (answer) => {
          market = answer
        },
        (error: unknown) => {
          if (!(error instanceof ChainUnavailable)) throw error
          // Without a market there is no price to offer, and a quiet chain may have no next block to trigger a retry.
          telemetry.log('warn', 'could not read the gas price for a replacement', { ...lane, error })
          clock.schedule(MARKET_RETRY_MS, () => {
            if (market === null) marketHead = null
            wake()
          })
        },
      )
      .catch((error: unknown) => {
        telemetry.log('error', 'gas price read failed', { ...lane, error })
      })
      .finally(() => {
        asking = false
        wake()
      })
  }

  return {
    replace,
    nextDueAt: (unmined, policy) => {
      if (policy.mayReplace === 'never') return null
      const now = clock.now()
      if (hasMore) return now
      return findNextDue(unmined, policy, now)
    },
  }
}

/** Requested, refused, or quiet for so long that its price may be the reason. STUCK ones wait for a decision. */
function mayConcern(tx: InFlight, policy: Policy, now: number): boolean {
  if (tx.suspended || (!replacesByItself(policy) && !isOrdered(tx))) return false
  if (tx.requestedReplacement !== 'none' || lacksEmpty(tx)) return true
  const newest = newestAttempt(tx)
  if (tx.state === 'STUCK' || newest === null) return false
  return isPriceRefused(tx) || now - newest.createdAt >= policy.bumpAfterMs
}

/** The same call at a higher price. An empty transaction cannot revert, and costs less than the one it replaces. */
function isBump(tx: InFlight): boolean {
  return !isCancelling(tx) && !isFill(tx.intent)
}

/** Its old gas limit may be the very reason why it was refused. */
function needsEmptyGas(tx: InFlight): boolean {
  return lacksEmpty(tx) && (tx.refusal !== null || !tx.mayBeHeld)
}

/** An empty transfer needs more than 21,000 on some chains, and unused gas is not paid. */
function chooseGas(tx: InFlight, newest: Attempt, emptyGas: bigint | null): bigint {
  const gas = needsEmptyGas(tx) ? (emptyGas ?? NOOP_GAS) : newest.gasLimit
  return isCancelling(tx) && gas < NOOP_GAS ? NOOP_GAS : gas
}

/** Only future times: what is already due is checked with every block. */
function findNextDue(unmined: Iterable<InFlight>, policy: Policy, now: number): number | null {
  let next: number | null = null
  const consider = (at: number) => {
    if (at > now && (next === null || at < next)) next = at
  }
  for (const tx of unmined) {
    if (tx.suspended || (!replacesByItself(policy) && !isOrdered(tx))) continue
    if (tx.intent.validUntil !== null) consider(tx.intent.validUntil)
    const newest = newestAttempt(tx)
    if (newest !== null) consider(newest.createdAt + policy.bumpAfterMs)
  }
  return next
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
