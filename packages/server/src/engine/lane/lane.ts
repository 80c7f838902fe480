/**
 * Runs one lane while its lease is held: load, decide, save, act, in cycles that never overlap.
 *
 * Whatever happens (a wake-up, answers from nodes, a block, time) arrives as a signal. A cycle takes all that arrived,
 * moves transactions by the pure transition, stores the result in one fenced write, and only then acts: sends bytes,
 * raises alarms. Slow things (preparing, sending) run beside the cycles and come back as signals. Nothing is remembered
 * that the store does not have, so a write whose fate is unknown is cured by loading the lane again.
 */

import type { ChainView, Finality } from '../../core/chain/finality.ts'
import { awaitsCancel } from '../../core/lane/cancel-all.ts'
import type { Lease } from '../../core/lane/lane.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { fillsOrdered, isFill } from '../../core/transaction/fill.ts'
import { type InFlight, type Intent, isTerminal, type TxId } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Signer } from '../../ports/signer.ts'
import { type LaneWrite, type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BalanceReader } from '../balance/balance-reader.ts'
import { createLaneProblems } from '../balance/lane-problems.ts'
import { createCountWatch } from '../chain-counts/count-watch.ts'
import { keepAlive, nextDueAt } from '../cluster/keep-alive.ts'
import { assessInclusions } from '../follow/assess-inclusions.ts'
import { noteFinalReorg } from '../follow/final-reorg.ts'
import { createHealthNotes } from '../follow/health-notes.ts'
import type { InclusionTracker } from '../follow/inclusion-tracker.ts'
import { findUsed } from '../gaps/free-nonces.ts'
import { createGapWatch } from '../gaps/gap-watch.ts'
import { createReplacer } from '../replace/replacer.ts'
import { createLaneRequests } from '../reservations/lane-requests.ts'
import type { ReservedNonce } from '../reservations/open-reservation.ts'
import type { Storable } from '../reservations/request-draft.ts'
import { createLaneWindow } from '../window/lane-window.ts'
import type { Writer } from '../write/writer.ts'
import { allocateNonces } from './allocate.ts'
import { applySignal } from './apply-signal.ts'
import type { Broadcaster } from './broadcaster.ts'
import { createLaneDraft, type LaneDraft, type Ledger } from './lane-draft.ts'
import { createLaneFunds } from './lane-funds.ts'
import { createLaneInbox } from './lane-inbox.ts'
import { createLaneQueue } from './lane-queue.ts'
import {
  countSlots,
  findHighest,
  findLowestReserved,
  findLowestSent,
  findOverdueReservation,
  hasGap,
  isBlocked,
  nextReservationAlarm,
} from './lane-room.ts'
import type { LaneRunner, LaneSignal } from './lane-runner.ts'
import { createLaneSender } from './lane-sender.ts'
import { tellTransitions } from './tell-transition.ts'

export interface LanePorts {
  readonly store: Store
  readonly writer: Writer
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Telemetry
  readonly broadcaster: Broadcaster
  readonly tracker: InclusionTracker
  readonly balances: BalanceReader
  readonly settings: {
    readonly finality: Finality
    readonly prepareBatch: number
    readonly prepareRetryMs: number
    /** The chain's cap on the fee of one transaction; null only where an operator wrote `none`. */
    readonly maxTxFeeWei: bigint | null
    /** What one tenant may hold of the window, in reserved nonces. */
    readonly sharePercent: number
    /** How old the balance that is known of the account may get. */
    readonly balanceIntervalMs: number
  }
  policy(): Policy
  isPaused(): boolean
  /** Since when the chain makes blocks without a break; null while it does not. */
  movingSince(): number | null
  /** False once the lease may be somebody else's. */
  mayAct(): boolean
  /** A transaction of this lane cannot advance: somebody must decide. */
  onStuck(txId: TxId, isOurs: () => boolean): void
  /** The lease is gone; the lane has stopped by itself. */
  onFenced(): void
}

export function createLane(lease: Lease, ports: LanePorts): LaneRunner {
  const { store, writer, chain, clock, telemetry, tracker, settings } = ports
  const inbox = createLaneInbox()
  let ledger: Ledger | null = null
  let ready: Extract<LaneSignal, { type: 'prepared' }> | null = null
  let view: ChainView | null = null
  /** Writes with new nonces that were refused in a row: the bytes may have been signed before, so the next ones differ. */
  let variation = 0
  /** Failures since the last write that was stored, and until when the next one is put off, by the monotonic clock. */
  let failures = 0
  let resumeAt = Number.NEGATIVE_INFINITY
  let cycling: Promise<void> | null = null
  let stopped = false
  let cancelTick = (): void => {}
  const alarmed = new Set<TxId>()
  const fields = { chainId: lease.lane.chainId, signer: lease.lane.signer, fence: lease.fence }
  const beside = { chain, clock, telemetry, lane: lease.lane, wake: () => post({ type: 'tick' }) }
  const { balanceIntervalMs } = settings
  const funds = createLaneFunds({ ...beside, balances: ports.balances, balanceIntervalMs })
  const problems = createLaneProblems({ telemetry, lane: lease.lane })
  const { maxTxFeeWei: chainMaxFeeWei } = settings
  const replacer = createReplacer({ ...beside, signer: ports.signer, chainMaxFeeWei })
  const gaps = createGapWatch(beside)
  const counts = createCountWatch(beside)
  const healthNotes = createHealthNotes()
  const window = createLaneWindow({ ...beside, account: funds.account })
  const queue = createLaneQueue({
    ...{ ...ports, lease, funds, post, batch: settings.prepareBatch, chainMaxFeeWei },
    finality: () => finalityOf({ finality: null }),
  })
  const send = createLaneSender({ ...ports, post, hasStopped: () => stopped })
  const requests = createLaneRequests({
    ...{ lease, store, chain, clock, telemetry, post, retryMs: settings.prepareRetryMs },
    sharePercent: settings.sharePercent,
    finality: () => finalityOf({ finality: null }),
    watch: (reservations) => tracker.follow(runner, reservations),
    lookUp: tracker.lookUp,
  })

  function post(signal: LaneSignal): void {
    if (stopped) return
    // The pass that is under way is followed by another one: a cycle of its own would only walk over all that is in flight.
    if (signal.type === 'work' && ledger !== null && queue.isPreparing()) queue.wake()
    else {
      inbox.put(signal)
      cycling ??= runCycles()
    }
  }

  async function runCycles(): Promise<void> {
    // Lets signals that arrive in the same turn share a cycle.
    await Promise.resolve()
    while (!stopped && !inbox.isEmpty() && clock.monotonic() >= resumeAt) {
      await cycle(inbox.takeAll()).catch((error: unknown) => {
        // A lane that breaks takes no other along: it starts over from what the store has.
        telemetry.log('error', 'lane failed; reloading it', { ...fields, error })
        queue.passed()
        reload()
        backOff()
      })
    }
    // In the same step as the last look at the inbox: a signal that came in between would start nothing.
    cycling = null
    if (!stopped) scheduleTick()
  }

  async function cycle(signals: readonly LaneSignal[]): Promise<void> {
    if (signals.some((signal) => signal.type === 'amended')) {
      ledger = null
      queue.goOn()
    }
    const loaded = ledger === null
    if (ledger === null && !(await load())) return inbox.putBack(signals)
    if (ledger === null) return
    const draft = createLaneDraft(ledger, ports.policy())
    if (loaded) recover(draft)
    for (const signal of signals) take(signal, draft)
    if (funds.applyBalance(draft)) queue.goOn()
    counts.checkDrift(draft, { ledger, reserved: requests.held(), policy: ports.policy() })
    closeGaps(draft)
    const scene = look()
    window.adjust(draft, scene)
    keepAlive(draft, clock.now(), scene.policy, {
      window: window.size(scene.policy),
      lowestReserved: findLowestReserved(reserved()),
      movingSince: ports.movingSince(),
    })
    healthNotes.tell(draft)
    cancelAll(draft)
    await replacer.replace(draft, { ...scene, head: view?.head ?? null })
    await allocate(draft)
    mindProblems(draft, ledger)
    if (!draft.isEmpty()) await save(draft)
    funds.look(draft, headNumber())
    requests.take(signals)
    await answerRequests()
    advanceQueue()
  }

  /** What an order to cancel everything is about; said to each once, and found again after a restart or a takeover. */
  function cancelAll(draft: LaneDraft): void {
    const order = requests.cancelling()
    if (order === null) return
    const by = { actor: order.actor, reason: order.reason }
    for (const tx of draft.inFlight()) {
      if (awaitsCancel(tx, order)) draft.apply(tx, { type: 'operator.cancelled', at: clock.now(), by })
    }
  }

  function mindProblems(draft: LaneDraft, { cursor }: Ledger): void {
    const [now, policy] = [clock.now(), ports.policy()]
    const overdueReservation = findOverdueReservation(reserved(), now - policy.stuckAfterMs)
    problems.update(draft, { now, policy, funds, overdueReservation, hasSent: cursor !== null })
  }

  /** After everything else, so that it finds the ledger as it is stored. */
  async function answerRequests(): Promise<void> {
    if (stopped || ledger === null) return
    try {
      await requests.refresh()
    } catch (error) {
      telemetry.log('warn', 'could not read the requests to a lane; retrying', { ...fields, error })
      inbox.put({ type: 'asked' })
      return backOff()
    }
    const followsChain = ledger.cursor === null || ports.policy().externalUse
    const slots = slotsBeside(ledger.inFlight.values())
    const policy = ports.policy()
    const isPaused = ports.isPaused() || requests.cancelling() !== null
    const answer = requests.decide(ledger, {
      ...{ slots, window: window.size(policy), policy, isPaused, followsChain, view },
      movingSince: ports.movingSince(),
    })
    if (answer === null || !(await save(answer))) return
    requests.stored()
    // What was freed may be reserved at once, and the next reset be answered.
    inbox.put({ type: 'tick' })
    queue.wake()
    queue.gapsChanged()
  }

  /** Rebuilds everything from the store. A store that does not answer is asked again by the next tick. */
  async function load(): Promise<boolean> {
    try {
      const lane = await store.loadLane(lease.lane)
      if (stopped) return false
      ledger = {
        cursor: lane.cursor,
        inFlight: new Map(lane.inFlight.map((tx) => [tx.id, tx])),
        recyclable: lane.recyclable,
      }
      ready = null
      window.recall(lane.window)
      queue.wake()
      funds.recall(lane.seen)
      problems.recall(lane.seen.problems)
      tracker.adopt(runner, lane.inFlight)
      requests.forget()
      await requests.refresh()
      // The node that called it stuck may have died before it told anybody.
      for (const tx of lane.inFlight) {
        if (tx.state === 'STUCK' && !alarmed.has(tx.id)) raiseAlarm(tx.id, tx.error?.code ?? tx.subState)
      }
      return true
    } catch (error) {
      telemetry.log('warn', 'could not load a lane; retrying', { ...fields, error })
      ledger = null
      backOff()
      return false
    }
  }

  /** What arrives meanwhile is kept. */
  function backOff(): void {
    failures++
    resumeAt = clock.monotonic() + Math.min(2_000, 100 * 2 ** Math.min(failures, 5))
  }

  /** After a takeover nobody knows whether these bytes were ever sent: claim them and send them again. */
  function recover(draft: LaneDraft): void {
    window.takeOver(draft, ports.policy())
    if (view !== null) assess(draft, view, null)
  }

  function take(signal: LaneSignal, draft: LaneDraft): void {
    const at = clock.now()
    applySignal(draft, signal, at)
    switch (signal.type) {
      case 'work':
      case 'nonce.lost':
        // What lost its nonce may stand in line again.
        queue.wake()
        return
      case 'answers':
        window.answered(draft, signal.answers, look())
        return
      case 'expired':
        // It may be what held the line.
        funds.left(signal.transactions.map(({ id }) => id))
        queue.goOn()
        return
      case 'inclusions':
        funds.paid(draft, signal.inclusions)
        queue.predecessorMined()
        return
      case 'balance.due':
        funds.due()
        return
      case 'chain':
        view = signal.view
        assess(draft, signal.view, signal.forkFrom)
        // Blocks that took the place of others passed nothing over that they could have known.
        window.passed(draft, signal.forkFrom === null ? (signal.added ?? []) : [], look())
        funds.watch(draft, headNumber())
        // As it was before this block, which may have ended the last of it.
        counts.look(headNumber(), (ledger?.inFlight.size ?? 0) + requests.held().length > 0)
        // Whether a free nonce can be used, or must be filled, may change with every block.
        queue.gapsChanged()
        if (ledger !== null && hasGap(ledger, reserved())) queue.wake()
        return
      case 'prepared':
        queue.passed()
        ready = signal
        if (signal.heldUntil !== null) queue.hold(signal.heldUntil)
        return
      case 'health':
        healthNotes.take(signal.health)
        if (signal.health.state === 'ok') queue.nodeAnswers()
        return
      case 'finality.broken': {
        const note = noteFinalReorg(signal.reorg, lease.lane)
        if (note !== null) draft.note(note)
        return
      }
      case 'prepare.failed':
        queue.passed()
        queue.hold(at + settings.prepareRetryMs)
    }
  }

  function assess(draft: LaneDraft, chainView: ChainView, forkFrom: number | null): void {
    assessInclusions(draft, { view: chainView, forkFrom, at: clock.now(), finalityOf, lookUp: tracker.lookUp })
  }

  async function allocate(draft: LaneDraft): Promise<void> {
    if (ready === null || ledger === null) return
    const pass = ready
    const { counts } = pass
    // While everything is cancelled nothing new takes a nonce, but a gap below has to be closed.
    const preparations = pass.preparations.filter(({ tx }) => requests.cancelling() === null || isFill(tx.intent))
    ready = null
    if (counts !== null) for (const nonce of findUsed(ledger.recyclable, counts)) draft.markNonce(nonce, 'USED')
    const result = await allocateNonces(draft, preparations, {
      ...{ lease, ledger, counts, policy: ports.policy(), slots: slotsBeside(draft.inFlight()) },
      ...{ highest: findHighest({ inFlight: ledger.inFlight.values(), reserved: reserved() }), funds: funds.account },
      yielded: reserved().flatMap(({ nonce, isYielded }) => (isYielded ? [nonce] : [])),
      ...{ now: clock.now(), retryMs: settings.prepareRetryMs, signer: ports.signer, variation, chainMaxFeeWei },
    })
    if (result.holdUntil !== null) queue.hold(result.holdUntil)
    if (result.allocated > 0) queue.gapsChanged()
    funds.settle(pass, result)
    if (result.signingError !== null) {
      telemetry.log('error', 'could not sign a transaction; no nonce was used', {
        ...fields,
        error: result.signingError,
      })
    }
  }

  /** Nonces that callers hold. One that was taken from its holder counts with the transaction that fills it. */
  function reserved(): readonly ReservedNonce[] {
    const held = requests.held()
    if (ledger === null || !held.some(({ isYielded }) => isYielded)) return held
    const sent = new Set([...ledger.inFlight.values()].map(({ nonce }) => nonce))
    return held.filter(({ nonce, isYielded }) => !(isYielded && sent.has(nonce)))
  }

  function slotsBeside(inFlight: Iterable<InFlight>): number {
    const policy = ports.policy()
    return countSlots({ inFlight, reserved: reserved() }, window.size(policy), policy)
  }

  function look() {
    return { policy: ports.policy(), head: headNumber(), isBlocked: isHeldUp }
  }

  function isHeldUp(nonce: number): boolean {
    return ledger !== null && isBlocked(nonce, ledger, reserved())
  }

  function headNumber(): number | null {
    return view?.head.number ?? null
  }

  /** What is found free is used, or filled, like any nonce that came back. */
  function closeGaps(draft: LaneDraft): void {
    const inFlight = draft.inFlight()
    const lowest = findLowestSent({ inFlight, reserved: reserved() })
    const found = gaps.find({
      ...{ policy: ports.policy(), head: headNumber(), lowest },
      isHeld: (from, to) => [...inFlight, ...reserved()].some(({ nonce }) => nonce >= from && nonce < to),
      isBlocked: lowest !== null && isHeldUp(lowest.nonce),
    })
    if (found.length === 0) return
    for (const nonce of found) draft.markNonce(nonce, 'RECYCLABLE')
    draft.note({ type: 'gap.found', cause: null, detail: { nonces: found } })
    telemetry.log('warn', 'nonce gap: a nonce below those in flight is unused', { ...fields, nonces: found.join() })
    queue.wake()
    queue.gapsChanged()
  }

  /** False: nothing was stored, and the lane has stopped or loads again. */
  async function save(draft: Storable): Promise<boolean> {
    const write = draft.toWrite(lease)
    const result = await writer.write(write).catch((error: unknown) => {
      // The writer gives up only at shutdown: the next owner finds what was stored and goes on from there.
      if (error instanceof StoreUnavailable) return null
      throw error
    })
    if (result === null) {
      halt()
      return false
    }
    switch (result.type) {
      case 'written':
        failures = 0
        if (takesNonce(write)) variation = 0
        ledger = draft.settle(result.versions)
        tellTransitions(telemetry, write.saves)
        act(draft)
        return true
      case 'fenced':
        telemetry.count('drover_fence_refusals_total', { operation: 'write' })
        telemetry.log('warn', 'lost the lease of a lane; nothing was written', fields)
        halt()
        ports.onFenced()
        return false
      case 'stale':
        telemetry.count('drover_lane_reloads_total', { cause: 'stale' })
        reload()
        // Somebody else's change is met once; what stays stale after a fresh load must not spin.
        if (failures++ > 0) backOff()
        return false
      case 'refused':
        telemetry.count('drover_lane_reloads_total', { cause: 'refused' })
        telemetry.log('error', 'the database refused a write of a lane', { ...fields, detail: result.detail })
        queue.hold(clock.now() + settings.prepareRetryMs)
        if (takesNonce(write)) variation++
        reload()
        backOff()
        return false
    }
  }

  function reload(): void {
    ledger = null
    inbox.put({ type: 'work' })
  }

  function act(draft: Storable): void {
    const toSend = new Map<TxId, InFlight>()
    const fills = new Set(draft.changed().flatMap((tx) => (isFill(tx.intent) ? [tx.id] : [])))
    const backInLine = new Set(draft.changed().flatMap((tx) => (tx.state === 'QUEUED' ? [tx.id] : [])))
    for (const { txId, effect } of draft.effects()) {
      const tx = ledger?.inFlight.get(txId)
      if (effect.type === 'broadcast' && tx) toSend.set(txId, tx)
      if (effect.type === 'lookup') tracker.lookUp(txId)
      if (effect.type === 'nonce.used' && backInLine.has(txId)) queue.wake()
      if (effect.type === 'nonce.freed') {
        queue.wake()
        // Another fill would be refused as well: not before the next block.
        if (!fills.has(txId)) queue.gapsChanged()
      }
      if (effect.type === 'alarm') raiseAlarm(txId, effect.cause)
    }
    for (const tx of draft.changed()) {
      if (isTerminal(tx) && tx.nonce !== null && fillsOrdered(tx.intent)) requests.filled(tx.nonce)
    }
    // Stopped while the write was under way: the next owner sends, and nobody here watches any more.
    if (stopped) return
    tracker.update(runner, draft.changed())
    send([...toSend.values()])
  }

  function raiseAlarm(txId: TxId, cause: string): void {
    alarmed.add(txId)
    telemetry.count('drover_alarms_total', { cause })
    telemetry.log('warn', 'a transaction is stuck', { ...fields, txId, cause, next: `drover tx explain ${txId}` })
    ports.onStuck(txId, () => !stopped)
  }

  function advanceQueue(): void {
    if (stopped || ledger === null || ports.isPaused()) return
    const fillsOnly = requests.cancelling() !== null
    if (fillsOnly && !hasGap(ledger, reserved()) && !reserved().some(({ isYielded }) => isYielded)) return
    const slots = slotsBeside(ledger.inFlight.values())
    queue.advance({ ledger, reserved: reserved(), slots, policy: ports.policy(), view, fillsOnly })
  }

  function scheduleTick(): void {
    cancelTick()
    const pauseMs = resumeAt - clock.monotonic()
    if (pauseMs > 0) cancelTick = clock.schedule(pauseMs, () => post({ type: 'tick' }))
    if (pauseMs > 0 || ledger === null) return
    const now = clock.now()
    const policy = ports.policy()
    const holdUntil = queue.heldUntil() > now ? queue.heldUntil() : null
    const around = { window: window.size(policy), holdUntil, movingSince: ports.movingSince() }
    const waits = nextDueAt(ledger.inFlight.values(), policy, around)
    const replaces = replacer.nextDueAt(ledger.inFlight.values(), policy)
    const reservation = nextReservationAlarm(requests.held(), now, policy.stuckAfterMs)
    const dues = [waits, replaces, reservation].filter((each) => each !== null)
    if (dues.length === 0) return
    const due = Math.min(...dues)
    cancelTick = clock.schedule(Math.max(1, due - now), () => post({ type: 'tick' }))
  }

  function halt(): void {
    stopped = true
    cancelTick()
    counts.stop()
    requests.stop()
    problems.leave()
    tracker.forget(runner)
  }

  function finalityOf(intent: Pick<Intent, 'finality'>): Finality {
    return intent.finality ?? ports.policy().finality ?? settings.finality
  }

  const runner: LaneRunner = {
    lease,
    finalityOf,
    post,
    stop: async () => {
      halt()
      while (cycling !== null) await cycling
    },
  }
  return runner
}

function takesNonce({ saves }: LaneWrite): boolean {
  return saves.some(({ before, tx }) => before.state === 'QUEUED' && tx.state === 'ALLOCATED')
}
