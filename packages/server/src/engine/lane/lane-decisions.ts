/**
 * The first step of a cycle: decides, in a draft, what the signals that arrived and the time that passed change in the
 * lane. Nothing is stored or sent here.
 */
import type { ChainView } from '../../core/chain/finality.ts'
import { awaitsCancel } from '../../core/lane/cancel-all.ts'
import { isFill } from '../../core/transaction/fill.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { keepAlive } from '../cluster/keep-alive.ts'
import { assessInclusions } from '../follow/assess-inclusions.ts'
import { findUsed } from '../gaps/free-nonces.ts'
import { allocateNonces } from '../queue/allocate.ts'
import type { LaneContext } from './lane-context.ts'
import type { LaneDraft } from './lane-draft.ts'
import { findHighest, findLowestReserved, findLowestSent } from './lane-room.ts'
import type { LaneSignal } from './lane-runner.ts'
import type { LaneStorage } from './lane-storage.ts'
import type { Ledger } from './ledger.ts'
import { createSignalIntake } from './signal-intake.ts'

export interface LaneDecisions {
  /** `isLoaded`: this is the first cycle with a ledger that was just loaded. */
  decide(draft: LaneDraft, signals: readonly LaneSignal[], ledger: Ledger, isLoaded: boolean): Promise<void>
}

export function createLaneDecisions(
  context: LaneContext,
  { variation }: Pick<LaneStorage, 'variation'>,
): LaneDecisions {
  const { ports, parts, state, fields } = context
  const { clock, telemetry, settings } = ports
  const { funds, queue, requests, window } = parts
  const take = createSignalIntake(context, assess)

  async function decide(
    draft: LaneDraft,
    signals: readonly LaneSignal[],
    ledger: Ledger,
    isLoaded: boolean,
  ): Promise<void> {
    if (isLoaded) recover(draft)
    for (const signal of signals) take(signal, draft)
    if (funds.applyBalance(draft)) queue.goOn()
    // Nobody else has used the key then: the difference is what the database lost.
    const externalUse = ports.policy().externalUse && !state.isBehindChain
    parts.counts.checkDrift(draft, { ledger, reserved: requests.held(), policy: { externalUse } })
    closeGaps(draft)
    const scene = context.scene()
    window.adjust(draft, scene)
    keepAlive(draft, clock.now(), scene.policy, {
      window: window.size(scene.policy),
      lowestReserved: findLowestReserved(context.reserved()),
      movingSince: ports.movingSince(),
    })
    parts.healthNotes.note(draft)
    cancelAll(draft)
    await parts.replacer.replace(draft, { ...scene, head: state.view?.head ?? null })
    await allocate(draft, ledger)
    updateProblems(draft, ledger)
  }

  /** After a takeover it is unknown whether these bytes were ever sent: claim them and send them again. */
  function recover(draft: LaneDraft): void {
    window.takeOver(draft, ports.policy())
    if (state.view !== null) assess(draft, state.view, null)
  }

  function assess(draft: LaneDraft, view: ChainView, forkFrom: number | null): void {
    const { finalityOf } = context.runner
    assessInclusions(draft, { view, forkFrom, at: clock.now(), finalityOf, lookUp: ports.tracker.lookUp })
  }

  /** A nonce that turns out to be free is used, or filled, like any nonce that came back. */
  function closeGaps(draft: LaneDraft): void {
    const reserved = context.reserved()
    const lowest = findLowestSent({ unmined: draft.unmined(), reserved })
    const { policy, head, isBlocked } = context.scene()
    const found = parts.gaps.find({
      policy,
      head,
      lowest,
      isHeld: (from, to) => [...draft.inFlight(), ...reserved].some(({ nonce }) => nonce >= from && nonce < to),
      isBlocked: lowest !== null && isBlocked(lowest.nonce),
    })
    if (found.length === 0) return
    for (const nonce of found) draft.markNonce(nonce, 'RECYCLABLE')
    draft.note({ type: 'gap.found', cause: null, detail: { nonces: found } })
    telemetry.log('warn', 'nonce gap: a nonce below those in flight is unused', { ...fields, nonces: found.join() })
    queue.wake()
    queue.gapsChanged()
  }

  /** Applies an order to cancel everything: to each transaction once, even after a restart or a takeover. */
  function cancelAll(draft: LaneDraft): void {
    const order = requests.cancelling()
    if (order === null) return
    const by = { actor: order.actor, reason: order.reason }
    for (const tx of draft.inFlight()) {
      if (awaitsCancel(tx, order)) draft.apply(tx, { type: 'operator.cancelled', at: clock.now(), by })
    }
  }

  async function allocate(draft: LaneDraft, ledger: Ledger): Promise<void> {
    const pass = state.prepared
    if (pass === null) return
    state.prepared = null
    const { counts } = pass
    // While everything is being cancelled nothing new takes a nonce, but a gap below has to be closed.
    const preparations = pass.preparations.filter(({ tx }) => requests.cancelling() === null || isFill(tx.intent))
    if (counts !== null) for (const nonce of findUsed(ledger.recyclable, counts)) draft.markNonce(nonce, 'USED')
    const reserved = context.reserved()
    const slots = context.queueSlotsBeside({ unmined: draft.unmined(), count: draft.count() })
    const result = await allocateNonces(draft, preparations, {
      lease: context.runner.lease,
      ledger,
      counts,
      policy: ports.policy(),
      slots,
      highest: findHighest({ unmined: ledger.unmined.values(), reserved }),
      yielded: reserved.flatMap(({ nonce, isYielded }) => (isYielded ? [nonce] : [])),
      funds: funds.account,
      now: clock.now(),
      retryMs: settings.prepareRetryMs,
      signer: ports.signer,
      variation: variation(),
      chainMaxFeeWei: settings.maxTxFeeWei,
    })
    if (result.holdUntil !== null) queue.hold(result.holdUntil)
    if (result.allocated > 0) queue.gapsChanged()
    if (slots > 0 || result.allocated > 0) {
      const hasFailures = preparations.some(({ type }) => type === 'rejected' || type === 'unapproved')
      requests.queuePassed({ taken: result.allocated, hasFailures })
      if (result.allocated > 0 || !hasFailures) parts.keptWaiting.queuePassed()
    }
    funds.settle(pass, result)
    if (result.unsigned !== null || pass.heldUntil === null) state.unsigned = result.unsigned
    const error = result.signingError
    if (error === null) return
    // A key store that is away is reported once, as a problem of the lane.
    const level = error instanceof KeyStoreAway ? 'debug' : 'error'
    telemetry.log(level, 'could not sign a transaction; no nonce was used', { ...fields, error })
  }

  function updateProblems(draft: LaneDraft, ledger: Ledger): void {
    const [now, policy] = [clock.now(), ports.policy()]
    const { stuckAfterMs } = policy
    const slots = context.slotsBeside({ unmined: draft.unmined(), count: draft.count() })
    parts.keptWaiting.look({
      ledger,
      reserved: context.reserved(),
      isAsked: requests.isAsked(),
      slots,
      queueWaits: queue.wantsPlace(),
      stuckAfterMs,
    })
    const waiting = parts.keptWaiting.find()
    const overdueReservation = waiting !== null && waiting.since + stuckAfterMs <= now ? waiting : null
    const { unsigned } = state
    const [usedElsewhere, hasSent] = [parts.counts.usedElsewhere(), ledger.cursor !== null]
    parts.problems.update(draft, { now, policy, funds, overdueReservation, usedElsewhere, unsigned, hasSent })
  }

  return { decide }
}
