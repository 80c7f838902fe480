/**
 * How far a lane sends ahead, and what it does if a node did not keep what it accepted.
 *
 * A node's answer to bytes proves little: geth answers with a hash although its pool refused. The account's pending
 * count does prove something: it covers what can be mined and nothing else. So the lane looks at the pool, with one
 * round trip each time: after a batch, if the window is at least half full and could grow; and after a block that had
 * room and did not include the lowest nonce. If everything is there the window grows. If not, it shrinks to what is
 * there, and missing bytes are sent again from the lowest on, as far as the window reaches. The rest follows as blocks
 * make room.
 *
 * A pool takes a moment to sort in new bytes, so a shortfall right after a batch is checked twice. And a node that
 * shows nothing at all may hide its pool: then only blocks prove something, by including the lowest nonce or by passing
 * without it.
 */
import type { Policy } from '../../core/lane/policy.ts'
import { type Loss, mayWiden, type Window, windowLimits } from '../../core/lane/window.ts'
import { type InFlight, isPreconfirmed } from '../../core/transaction/transaction.ts'
import type { Block } from '../../ports/chain.ts'
import type { AccountWatch } from '../balance/account-watch.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import { findGapStart, findPoolLimit } from './answered-losses.ts'
import { hadRoom } from './block-room.ts'
import { judgeLook } from './judge-look.ts'
import { createPoolWatch, type PoolWatchPorts } from './pool-watch.ts'
import { createResendPace } from './resend-pace.ts'
import { isOut, listUnmined } from './sent-run.ts'
import { createWindowKeeper } from './window-keeper.ts'

export interface LaneWindow {
  /** The state that the last owner left. Only the first call counts: after that this node knows better. */
  recall(stored: Window | null): void
  /** How many unmined ones may be out now. */
  size(policy: Policy): number
  /** After a load, ALLOCATED bytes may not have been sent: they are sent again, as far as the window reaches. */
  takeOver(draft: LaneDraft, policy: Policy): void
  /** Nodes have answered for a batch, and the draft includes that. */
  answered(draft: LaneDraft, answers: Extract<LaneSignal, { type: 'answers' }>['answers'], scene: WindowScene): void
  /** Blocks were added, and the draft includes their contents. */
  passed(draft: LaneDraft, blocks: readonly Block[], scene: WindowScene): void
  /** Draws conclusions from a look at the pool, and claims what has to be sent again. */
  adjust(draft: LaneDraft, scene: WindowScene): void
}

export interface WindowScene {
  readonly policy: Policy
  /** Null until a block was seen. */
  readonly head: number | null
  /** A nonce below is free or reserved, so nothing can be concluded about this one. */
  isBlocked(nonce: number): boolean
}

interface WindowPorts extends PoolWatchPorts {
  readonly account: Pick<AccountWatch, 'suspectCode' | 'isDelegated'>
}

/** Blocks that pass over bytes that a node holds before they are sent again, so other nodes get them too. */
const PATIENCE_BLOCKS = 3

export function createLaneWindow(ports: WindowPorts): LaneWindow {
  const { clock, account } = ports
  const keeper = createWindowKeeper(ports)
  const pool = createPoolWatch(ports)
  const pace = createResendPace()
  /** From this nonce on nothing is in the pool as far as is known; null: everything that was sent is. */
  let missingFrom: number | null = null
  /** When the last block was seen: bytes sent by then could be in the next one. */
  let blockSeenAt: number | null = null
  /** The node does not show its pool: if everything up to this nonce is mined without a loss, that proves as much. */
  let unseenTo: number | null = null
  /** The lowest nonce that a node holds and blocks pass over, and how many blocks have. */
  let passedOver: { readonly nonce: number; readonly blocks: number } | null = null

  function lose(policy: Policy, loss: Loss, from: number): void {
    keeper.narrow(policy, loss)
    missingFrom = missingFrom === null ? from : Math.min(missingFrom, from)
    unseenTo = null
    // Nodes keep one transaction of an account with delegated code: that may be the reason.
    account.suspectCode()
  }

  function conclude(draft: LaneDraft, scene: WindowScene, unmined: readonly InFlight[]): void {
    const sighting = pool.takeSighting()
    if (sighting === null) return
    const { cause, run, look } = sighting
    const verdict = judgeLook(run, look)
    const lowest = unmined[0]?.nonce
    if (verdict.type === 'unclear') return
    if (verdict.type === 'all_kept') {
      if (cause === 'block') holdOut(draft, scene, unmined[0], run.lowest)
      else keeper.widen(scene.policy, run.highest - run.lowest + 1)
      return
    }
    if (verdict.kept === 0 && cause !== 'block') unseenTo = run.highest
    else if (cause === 'batch') pool.lookAgain(run)
    // Below the lowest: mined meanwhile, as far as is known here.
    else if (lowest !== undefined && verdict.from >= lowest)
      lose(scene.policy, { kept: verdict.kept, reason: 'dropped' }, verdict.from)
  }

  /** A node holds it and blocks with room pass over it: other nodes may have lost it. A higher price is no help. */
  function holdOut(draft: LaneDraft, { head }: WindowScene, tx: InFlight | undefined, asked: number): void {
    if (tx === undefined || tx.nonce !== asked || head === null) return
    passedOver = { nonce: asked, blocks: passedOver?.nonce === asked ? passedOver.blocks + 1 : 1 }
    if (passedOver.blocks < PATIENCE_BLOCKS || !pace.take([asked], head, asked)) return
    draft.apply(tx, { type: 'resubmit.claimed', at: clock.now() })
  }

  function resendMissing(draft: LaneDraft, { policy, head }: WindowScene, unmined: readonly InFlight[]): void {
    if (missingFrom === null || head === null) return
    const from = missingFrom
    const reach = unmined.slice(0, keeper.size(policy))
    const missing = reach.filter((tx) => tx.nonce >= from && !tx.suspended && mayGoAgain(tx))
    const nonces = missing.map(({ nonce }) => nonce)
    if (pace.take(nonces, head, unmined[0]?.nonce ?? from)) {
      for (const tx of missing) draft.apply(tx, { type: 'resubmit.claimed', at: clock.now() })
      missingFrom = unmined[reach.length]?.nonce ?? null
    } else if (!unmined.some((tx) => tx.nonce >= from)) missingFrom = null
  }

  function proveByBlocks(policy: Policy, unmined: readonly InFlight[]): void {
    if (unseenTo === null || (unmined[0]?.nonce ?? Number.POSITIVE_INFINITY) <= unseenTo) return
    unseenTo = null
    keeper.widen(policy, keeper.size(policy))
  }

  return {
    recall: keeper.recall,
    size: keeper.size,
    takeOver: (draft, policy) => {
      const unmined = listUnmined(draft)
      const size = keeper.size(policy)
      for (const [index, tx] of unmined.entries()) {
        if (tx.state !== 'ALLOCATED') continue
        if (index < size) draft.apply(tx, { type: 'resubmit.claimed', at: clock.now() })
        else missingFrom ??= tx.nonce
      }
    },
    answered: (draft, answers, { policy, head }) => {
      const unmined = listUnmined(draft)
      const [lowest] = unmined
      if (lowest === undefined) return
      const full = findPoolLimit(answers, draft)
      if (full !== null) {
        lose(policy, { kept: full > lowest.nonce ? full - lowest.nonce : null, reason: 'pool_full' }, full)
        // It was tried at this head already.
        if (full === lowest.nonce && head !== null) pace.take([full], head, full)
      }
      const gap = findGapStart(answers, draft, unmined)
      if (gap !== null) lose(policy, { kept: gap.kept, reason: 'nonce_gap' }, gap.from)
      const limits = windowLimits(policy.maxInFlight)
      const mayGrow = mayWiden(keeper.current(policy), limits, unmined.length, clock.now())
      if (mayGrow || missingFrom !== null) pool.look(unmined, missingFrom, 'batch')
    },
    passed: (draft, blocks, scene) => {
      const sentBy = blockSeenAt
      if (blocks.length > 0) blockSeenAt = clock.now()
      const unmined = listUnmined(draft)
      const [lowest] = unmined
      if (lowest === undefined || sentBy === null || scene.isBlocked(lowest.nonce) || isPreconfirmed(lowest)) return
      if (lowest.suspended || lowest.lastSubmitAt === null || lowest.lastSubmitAt > sentBy) return
      if (!blocks.some((block) => hadRoom(block, lowest))) return
      if (isOut(lowest)) pool.look(unmined, missingFrom, 'block')
      // No node has confirmed that it has it: there is nothing to query.
      else if (mayGoAgain(lowest)) missingFrom = lowest.nonce
    },
    adjust: (draft, scene) => {
      const unmined = listUnmined(draft)
      conclude(draft, scene, unmined)
      proveByBlocks(scene.policy, unmined)
      pool.goOn(unmined, missingFrom)
      resendMissing(draft, scene, unmined)
      keeper.store(draft, scene.policy)
    },
  }
}

/** Bytes refused for a reason of their own (price, funds) wait for their retry; those that found no room go again. */
function mayGoAgain(tx: InFlight): boolean {
  return tx.refusals === 0 || tx.error?.code === 'pool_full'
}
