/**
 * The head of a lane's queue: reads as many transactions as there is room for, finds out what they need outside the
 * cycles, and returns with a signal. One pass runs at a time. A pause that blocks the queue is kept here, with the
 * reasons that end it early. If no transaction is ready to take a free nonce below those in flight, an empty one is
 * queued.
 */

import { type ChainView, type Finality, finalHeight } from '../../core/chain/finality.ts'
import type { Lease } from '../../core/lane/lane.ts'
import { type Policy, replacesByItself } from '../../core/lane/policy.ts'
import { fillsOrdered, isFill } from '../../core/transaction/fill.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import type { Queued } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneFunds } from '../balance/lane-funds.ts'
import { type AccountCounts, type CountsToRead, readCounts } from '../chain-counts/read-counts.ts'
import { createVerdicts } from '../follow/verdicts.ts'
import { findGaps, hasHadNonce } from '../gaps/free-nonces.ts'
import { insertFills } from '../gaps/insert-fills.ts'
import { findHighest, hasGap } from '../lane/lane-room.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import type { Ledger } from '../lane/ledger.ts'
import type { ReservedNonce } from '../reservations/open-reservation.ts'
import type { ReviewSigning } from '../rules/review-signing.ts'
import { type Preparation, type PrepareContext, prepareTransactions } from './prepare.ts'

export interface LaneQueue {
  /** There may be new work. */
  wake(): void
  /** Free nonces may have changed: check again whether they can be used or must be filled. */
  gapsChanged(): void
  /** Transactions that waited for a predecessor may continue, even while they are being prepared. */
  predecessorMined(): void
  /** A node responds again: transactions that waited for one can be tried early. */
  nodeAnswers(): void
  /** A key store responds again: transactions that waited for it can be tried early. */
  keyAnswers(): void
  /** Blocks the queue until then. */
  hold(until: number): void
  goOn(): void
  heldUntil(): number
  /** A pass is running. */
  isPreparing(): boolean
  /** There may be a transaction that can go as soon as there is a place for it. */
  wantsPlace(): boolean
  /** There is nothing to read or to wait for, as far as is known. */
  isIdle(): boolean
  /** The pass that ran has returned, or is lost. */
  passed(): void
  /** Starts a pass if there is reason and room for one. */
  advance(scene: QueueScene): void
}

export interface QueueScene {
  readonly ledger: Ledger
  readonly reserved: readonly ReservedNonce[]
  readonly slots: number
  readonly policy: Policy
  readonly view: ChainView | null
  /** Only close gaps: an operator is cancelling everything else. */
  readonly fillsOnly: boolean
}

interface QueuePorts {
  readonly lease: Lease
  readonly store: Pick<Store, 'readQueue' | 'insertTransactions'>
  readonly chain: Chain
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Telemetry
  readonly funds: LaneFunds
  readonly batch: number
  /** The chain's cap on the fee of one transaction; null only if an operator set `none`. */
  readonly chainMaxFeeWei: bigint | null
  readonly rules: Pick<ReviewSigning, 'review'>
  finality(): Finality
  post(signal: LaneSignal): void
}

/** What ends a pause before its time. */
interface Early {
  readonly skipsPause: boolean
  readonly hasNode: boolean
  readonly hasKey: boolean
}

export function createLaneQueue(ports: QueuePorts): LaneQueue {
  const { lease, store, chain, clock, telemetry, funds } = ports
  const { chainId, signer } = lease.lane
  const fields = { chainId, signer, fence: lease.fence }
  const verdicts = createVerdicts()
  let mayHaveMore = true
  let preparing = false
  let holdUntil = 0
  let isFreed = false
  let isNodeBack = false
  /** Also at the start: the node before may have been the only one whose key store was away. */
  let isKeyBack = true
  /** A pass for the gaps was made since they last changed: do not repeat it before they change. */
  let gapsTried = false

  function advance(scene: QueueScene): void {
    const { ledger, reserved, slots, policy } = scene
    if (preparing || !mayHaveMore) return
    // A pass for the gaps that made no progress is not repeated at once: neither room nor money has come since.
    const yielded = reserved.filter(({ isYielded }) => isYielded).length
    const gap = (yielded > 0 || hasGap(ledger, reserved)) && !gapsTried
    if (clock.now() < holdUntil && !isFreed && !gap) return
    const limit = Math.min(ports.batch, gap ? Math.max(slots, ledger.recyclable.length + yielded) : slots)
    if (limit <= 0) return
    preparing = true
    if (gap) gapsTried = true
    mayHaveMore = false
    const predecessorsPending = [...ledger.unmined.values()].some(awaitsBlock)
    const skipsPause = isFreed || !predecessorsPending
    if (isFreed) holdUntil = 0
    isFreed = false
    const head = scene.view?.head ?? null
    const context = { policy, predecessorsPending, head, verdicts, chainMaxFeeWei: ports.chainMaxFeeWei }
    const [hasNode, hasKey] = [isNodeBack, isKeyBack]
    isNodeBack = false
    isKeyBack = false
    prepare(scene, limit, context, { skipsPause, hasNode, hasKey, gap }).then(ports.post, (error: unknown) => {
      telemetry.log('warn', 'could not prepare the queue of a signer; retrying', { ...fields, error })
      ports.post({ type: 'prepare.failed' })
    })
  }

  async function prepare(
    scene: QueueScene,
    limit: number,
    context: PrepareContext,
    { gap, ...early }: Early & { readonly gap: boolean },
  ): Promise<LaneSignal> {
    const { ledger, policy } = scene
    const { recyclable } = ledger
    const yielded = scene.reserved.flatMap(({ nonce, isYielded }) => (isYielded ? [nonce] : []))
    // Fills that wait for funds must be read, or others would be made in their place.
    const hasUnfunded = funds.mayRetryUnfunded() || policy.onDeferral === 'hold' || gap
    const hasPriced = funds.mayRetryPriced() || policy.onDeferral === 'hold'
    const queued = await store.readQueue(lease.lane, limit, {
      passOverUnfunded: !hasUnfunded,
      passOverPaused: !hasPriced,
    })
    // Transactions that may not go now are no reason to look again: the part that releases them will signal it.
    if (queued.some((tx) => !scene.fillsOnly || isFill(tx.intent))) mayHaveMore = true
    const heldUntil = findHold(queued[0], early, policy)
    const going = heldUntil === null ? queued.filter((tx) => !scene.fillsOnly || isFill(tx.intent)) : []
    const common = { type: 'prepared', isFull: queued.length === limit, hasUnfunded, hasPriced, heldUntil } as const
    if (going.length === 0 && !gap) return { ...common, preparations: [], counts: null }
    const hasFree = recyclable.length > 0 || yielded.length > 0
    const isBehind = ledger.cursor === null || going.some(hasHadNonce)
    const needsCount = isBehind || policy.externalUse || hasFree
    const [prepared, counts] = await Promise.all([
      prepareTransactions(chain, going, context),
      needsCount ? readCounts(chain, signer, findWanted(scene.view, { hasFree, isBehind })) : null,
      funds.read(scene.view?.head.number ?? null, ledger.unmined.values()),
      funds.account.knowCode(),
    ])
    const preparations = await ports.rules.review(prepared)
    // Only a pass for the gaps has read every fill that already exists.
    const ordered = gap ? await prepareOrdered(yielded, queued, counts, context) : []
    const isComing = ({ intent }: Queued) => isFill(intent) && !fillsOrdered(intent)
    const coming = queued.filter(isComing).length + preparations.filter(isReadyToGo).length
    const fills =
      gap && (replacesByItself(policy) || scene.fillsOnly) ? await prepareFills(scene, coming, counts, context) : []
    const empty = await ports.rules.review([...ordered, ...fills])
    return { ...common, preparations: [...empty, ...preparations], counts }
  }

  /** Nonces that an operator took from their holders: filled under every policy, and by nothing else. */
  async function prepareOrdered(
    yielded: readonly number[],
    queued: readonly Queued[],
    counts: AccountCounts | null,
    context: PrepareContext,
  ): Promise<readonly Preparation[]> {
    const coming = new Set(queued.flatMap(({ intent }) => (fillsOrdered(intent) ? [intent.exactNonce] : [])))
    const open = yielded.filter((nonce) => !coming.has(nonce) && nonce >= (counts?.latest ?? 0)).slice(0, ports.batch)
    if (open.length === 0) return []
    telemetry.log('info', 'filling nonces taken back from their holders', { ...fields, nonces: open.join() })
    return await prepareTransactions(chain, await insertFills(ports, lease.lane, open, { isOrdered: true }), context)
  }

  /**
   * A transaction that waits for a predecessor is tried as soon as one is mined or none is left, whatever its pause; or
   * once there is money, or the price is right.
   */
  function findHold(first: Queued | undefined, { skipsPause, hasNode, hasKey }: Early, policy: Policy): number | null {
    if (first === undefined || first.retryAt === null || first.retryAt <= clock.now()) return null
    if (skipsPause && first.subState === 'waiting_for_predecessor') return null
    if (hasNode && first.subState === 'waiting_for_node') return null
    if (hasKey && first.subState === 'waiting_for_key') return null
    const isUnfunded = first.subState === 'waiting_for_funds'
    if (isUnfunded && (funds.mayRetryUnfunded() || policy.onDeferral === 'pass_over')) return null
    if (first.subState === 'fee_above_cap' && funds.mayRetryPriced()) return null
    return first.retryAt
  }

  /** `isBehind`: the chain may be ahead of the cursor. Free nonces and the cursor must not rely on a low count. */
  function findWanted(
    view: ChainView | null,
    { hasFree, isBehind }: { readonly hasFree: boolean; readonly isBehind: boolean },
  ): CountsToRead {
    return {
      head: view !== null && (isBehind || hasFree) ? view.head.number : null,
      // Without the state of that block, a used nonce is skipped for longer.
      mustHaveHead: false,
      latest: hasFree,
      finalHeight: view !== null && hasFree ? finalHeight(view, ports.finality()) : null,
    }
  }

  /** Fills gaps with empty transactions if the queue has nothing ready for them. */
  async function prepareFills(
    { ledger, reserved }: QueueScene,
    coming: number,
    counts: AccountCounts | null,
    context: PrepareContext,
  ): Promise<readonly Preparation[]> {
    const gaps = findGaps(ledger.recyclable, counts, findHighest({ unmined: ledger.unmined.values(), reserved }))
    const open = gaps.slice(coming, coming + ports.batch)
    if (open.length === 0) return []
    telemetry.log('info', 'filling nonce gaps with empty transactions', { ...fields, nonces: open.join() })
    return await prepareTransactions(chain, await insertFills(ports, lease.lane, open), context)
  }

  return {
    wake: () => {
      mayHaveMore = true
    },
    gapsChanged: () => {
      gapsTried = false
    },
    predecessorMined: () => {
      isFreed = true
    },
    nodeAnswers: () => {
      isNodeBack = true
      holdUntil = 0
      mayHaveMore = true
    },
    keyAnswers: () => {
      isKeyBack = true
      holdUntil = 0
      mayHaveMore = true
    },
    hold: (until) => {
      holdUntil = until
    },
    goOn: () => {
      holdUntil = 0
      mayHaveMore = true
    },
    heldUntil: () => holdUntil,
    isPreparing: () => preparing,
    wantsPlace: () => preparing || (mayHaveMore && (isFreed || clock.now() >= holdUntil)),
    isIdle: () => !preparing && !mayHaveMore && clock.now() >= holdUntil,
    passed: () => {
      preparing = false
    },
    advance,
  }
}

function isReadyToGo({ type, tx }: Preparation): boolean {
  return type === 'ready' && !isFill(tx.intent)
}
