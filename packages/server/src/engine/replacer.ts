/**
 * Puts better-paid bytes in the place of sent ones, where policy allows.
 *
 * A wish (an operator's, or a deadline that passed) is fulfilled at once. Otherwise the lowest unmined nonces are looked
 * at, since nothing above them can be mined first: those whose newest bytes have waited for `bumpAfterMs` and are too
 * cheap for the next block are signed again. The very lowest is also signed again if blocks go on without it although its
 * price is fine, since a node can hold on to a transaction and never offer it. The step is taken from the newest attempt,
 * so that no node refuses it as underpriced; what would pass the cap is said once and the same bytes go on. What is
 * preconfirmed has been taken at its price and is left alone; a wish, or a deadline, waits for what becomes of it.
 *
 * The market is read beside the cycles, at most once per block, and only if something may have to be replaced. The new
 * attempt is stored with everything else of the cycle and sent after that.
 */

import { type FeeMarket, maxPricePerGas } from '../core/fees.ts'
import { isFill, NOOP_GAS } from '../core/fill.ts'
import type { Lane } from '../core/lane.ts'
import type { Policy } from '../core/policy.ts'
import { isPriceTooLow, planReplacement } from '../core/replacement.ts'
import {
  type Attempt,
  type InFlight,
  inclusionOf,
  isCancelling,
  isPreconfirmed,
  newestAttempt,
} from '../core/transaction.ts'
import { type Chain, ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Signer } from '../ports/signer.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { LaneDraft } from './lane-draft.ts'

export interface ReplaceScene {
  readonly policy: Policy
  /** Null until a block was seen. */
  readonly head: number | null
  /** A nonce below is missing, so that no price helps. */
  isBlocked(nonce: number): boolean
}

export interface Replacer {
  replace(draft: LaneDraft, scene: ReplaceScene): Promise<void>
  /** When it must look again, if no block comes before. */
  nextDueAt(inFlight: Iterable<InFlight>, policy: Policy): number | null
}

interface ReplacerPorts {
  readonly chain: Pick<Chain, 'getFeeMarket'>
  readonly signer: Signer
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

/** Signing takes time, and a cycle must be short. */
const MOST_PER_ROUND = 16
const MARKET_RETRY_MS = 5_000
const OVERDUE_FACTOR = 3
const OVERDUE_BLOCKS = 3

type Reason = 'wish' | 'price' | 'overdue'

export function createReplacer({ chain, signer, clock, telemetry, lane, wake }: ReplacerPorts): Replacer {
  let market: FeeMarket | null = null
  /** The head at which it was read, or asked for. */
  let marketHead: number | null = null
  let asking = false
  let hasMore = false
  /** The newest bytes of the lowest nonce, and the head at which they were first met here. */
  let lowest: { readonly hash: string; readonly head: number } | null = null

  async function replace(draft: LaneDraft, scene: ReplaceScene): Promise<void> {
    hasMore = false
    if (!scene.policy.mayReplace || scene.head === null) return
    const now = clock.now()
    for (const tx of draft.inFlight()) {
      const { validUntil } = tx.intent
      if (validUntil !== null && validUntil <= now && !isPreconfirmed(tx))
        draft.apply(tx, { type: 'deadline.passed', at: now })
    }
    const unmined = draft.inFlight().filter((tx) => inclusionOf(tx) === null && !isPreconfirmed(tx))
    meetLowest(unmined[0], scene.head)
    const candidates = unmined.filter((tx) => mayConcern(tx, scene.policy, now))
    if (candidates.length === 0) return
    if (market === null || marketHead !== scene.head) return ask(scene.head)
    const done = { signed: 0, failed: 0 }
    for (const tx of candidates) {
      const reason = findReason(tx, tx === unmined[0], market, scene)
      if (reason === null) continue
      if (done.signed + done.failed === MOST_PER_ROUND) {
        // A key that cannot sign is tried again with the next block, not at once.
        hasMore = done.signed > 0
        return
      }
      const result = await replaceOne(draft, tx, reason, market, scene.policy)
      // What stays as it is costs nothing: those at the cap must not keep the others from their turn.
      if (result !== 'kept') done[result]++
    }
  }

  function meetLowest(tx: InFlight | undefined, head: number): void {
    const hash = tx && newestAttempt(tx)?.hash
    if (hash === undefined) lowest = null
    else if (lowest?.hash !== hash) lowest = { hash, head }
  }

  function findReason(tx: InFlight, isLowest: boolean, now: FeeMarket, scene: ReplaceScene): Reason | null {
    if (tx.wish !== 'none') return 'wish'
    const newest = newestAttempt(tx)
    if (newest === null) return null
    const isRefused = tx.error?.code === 'underpriced' || tx.error?.code === 'replacement_underpriced'
    if (isRefused || isPriceTooLow(newest.fees, now)) return 'price'
    // Only what a node holds can be held back by it; what was never answered needs sending, not paying.
    if (!isLowest || tx.subState !== 'pending' || scene.isBlocked(tx.nonce)) return null
    const isOld = clock.now() - newest.createdAt >= scene.policy.bumpAfterMs * OVERDUE_FACTOR
    const blocks = lowest === null || scene.head === null ? 0 : scene.head - lowest.head
    return isOld && blocks >= OVERDUE_BLOCKS ? 'overdue' : null
  }

  async function replaceOne(
    draft: LaneDraft,
    tx: InFlight,
    reason: Reason,
    now: FeeMarket,
    policy: Policy,
  ): Promise<'signed' | 'failed' | 'kept'> {
    const newest = newestAttempt(tx)
    if (newest === null) return 'kept'
    const speed = tx.wish === 'speed_up' ? 'fast' : tx.intent.speed
    const plan = planReplacement(newest.fees, now, { speed, capWei: findCap(tx, policy) })
    const at = clock.now()
    if (plan.type === 'above_cap') {
      const { neededWei, capWei } = plan
      if (reason !== 'overdue') draft.apply(tx, { type: 'fee.capped', at, neededWei, capWei })
      return 'kept'
    }
    try {
      const attempt = await sign(tx, newest, plan.fees, at)
      draft.apply(tx, { type: 'attempt.added', at, attempt })
      telemetry.count('drover_replacements_total', { reason, kind: attempt.kind })
      return 'signed'
    } catch (error) {
      telemetry.log('error', 'signing a replacement failed; the bytes before it go on', { ...lane, txId: tx.id, error })
      return 'failed'
    }
  }

  async function sign(tx: InFlight, newest: Attempt, fees: Attempt['fees'], createdAt: number): Promise<Attempt> {
    const { nonce, intent } = tx
    const isCancel = isCancelling(tx)
    const kind = isCancel ? 'cancel' : isFill(intent) ? 'noop' : 'bump'
    const empty = { to: lane.signer, data: '0x', value: 0n } as const
    const { to, data, value } = isCancel ? empty : intent
    // An empty transfer needs more than 21,000 in some places, and what is not used is not paid.
    const gasLimit = isCancel && newest.gasLimit < NOOP_GAS ? NOOP_GAS : newest.gasLimit
    const list = isCancel || intent.accessList === undefined ? {} : { accessList: intent.accessList }
    const unsigned = { chainId: lane.chainId, nonce, to, data, value, gasLimit, fees, ...list }
    const { raw, hash } = await signer.sign(lane.signer, unsigned)
    return { hash, raw, kind, nonce, gasLimit, fees, createdAt }
  }

  function ask(head: number): void {
    if (asking || marketHead === head) return
    asking = true
    marketHead = head
    market = null
    chain
      .getFeeMarket()
      .then(
        (read) => {
          market = read
        },
        (error: unknown) => {
          if (!(error instanceof ChainUnavailable)) throw error
          // Without a market there is no price to offer; and a quiet chain may have no next block to ask at.
          telemetry.log('warn', 'the market could not be read for a replacement', { ...lane, error })
          clock.schedule(MARKET_RETRY_MS, () => {
            if (market === null) marketHead = null
            wake()
          })
        },
      )
      .catch((error: unknown) => {
        telemetry.log('error', 'reading the market broke', { ...lane, error })
      })
      .finally(() => {
        asking = false
        wake()
      })
  }

  return {
    replace,
    nextDueAt: (inFlight, policy) => {
      if (!policy.mayReplace) return null
      const now = clock.now()
      if (hasMore) return now
      return findNextDue(inFlight, policy, now)
    },
  }
}

/** Asked for, or quiet for so long that its price may be why. What is STUCK waits for somebody's decision. */
function mayConcern(tx: InFlight, policy: Policy, now: number): boolean {
  if (tx.suspended) return false
  if (tx.wish !== 'none') return true
  const newest = newestAttempt(tx)
  return tx.state !== 'STUCK' && newest !== null && now - newest.createdAt >= policy.bumpAfterMs
}

/** A caller's own fees are the most it pays; but an empty transaction in its place is the lane's affair, not the caller's. */
function findCap(tx: InFlight, policy: Policy): bigint | null {
  const { fees } = tx.intent
  const own = fees === null || isCancelling(tx) ? null : maxPricePerGas(fees)
  const cap = policy.maxFeePerGasWei
  if (own === null) return cap
  return cap !== null && cap < own ? cap : own
}

/** Only what lies ahead: what is due already is looked at with every block. */
function findNextDue(inFlight: Iterable<InFlight>, policy: Policy, now: number): number | null {
  let next: number | null = null
  const consider = (at: number) => {
    if (at > now && (next === null || at < next)) next = at
  }
  for (const tx of inFlight) {
    if (inclusionOf(tx) !== null || tx.suspended) continue
    if (tx.intent.validUntil !== null) consider(tx.intent.validUntil)
    const newest = newestAttempt(tx)
    if (newest !== null) consider(newest.createdAt + policy.bumpAfterMs)
  }
  return next
}
