/**
 * Runs one lane while its lease is held: load, decide, save, act, in cycles that never overlap.
 *
 * Everything that happens (a wake-up, answers from nodes, a block, time) arrives as a signal. A cycle takes all that
 * arrived, moves transactions by the pure transition (lane-decisions.ts), stores the result in one fenced write
 * (lane-storage.ts), and only then acts: sends bytes, raises alarms (lane-actions.ts). Slow things (preparing, sending)
 * run beside the cycles and come back as signals. A lane keeps nothing that the store does not have.
 */
import type { Lease } from '../../core/lane/lane.ts'
import { nextDueAt } from '../cluster/keep-alive.ts'
import { createLaneActions } from './lane-actions.ts'
import { createLaneContext } from './lane-context.ts'
import { createLaneDecisions } from './lane-decisions.ts'
import { createLaneDraft } from './lane-draft.ts'
import { createLaneInbox } from './lane-inbox.ts'
import type { LanePorts } from './lane-ports.ts'
import { createLaneRetry } from './lane-retry.ts'
import { hasGap, type Sent } from './lane-room.ts'
import type { LaneRunner, LaneSignal } from './lane-runner.ts'
import { createLaneStorage } from './lane-storage.ts'
import type { Ledger } from './ledger.ts'

const MAX_HOLD_MS = 100

export function createLane(lease: Lease, ports: LanePorts): LaneRunner {
  const runner: LaneRunner = {
    lease,
    finalityOf: (intent) => intent.finality ?? ports.policy().finality ?? ports.settings.finality,
    inFlight: () => state.ledger?.inFlight.values() ?? null,
    post,
    stop,
  }
  const { clock, telemetry } = ports
  const inbox = createLaneInbox()
  const context = createLaneContext(runner, ports)
  const { parts, state, fields } = context
  const { funds, queue, requests, window } = parts
  const retry = createLaneRetry(clock)
  const storage = createLaneStorage(context, { actions: createLaneActions(context), retry, reload, halt })
  const decisions = createLaneDecisions(context, storage)
  let cycling: Promise<void> | null = null
  let cancelTick = (): void => {}
  let cancelHold: (() => void) | null = null

  function post(signal: LaneSignal): void {
    if (state.stopped) return
    if (signal.type === 'chain' && isAtRest()) {
      state.view = signal.view
      return
    }
    // Another pass follows the current one: a cycle of its own would only walk over everything in flight.
    if (signal.type === 'work' && state.ledger !== null && queue.isPreparing()) queue.wake()
    else {
      inbox.put(signal)
      if (isDue()) cycling ??= runCycles()
      else holdBriefly()
    }
  }

  /** That nodes took what was sent can wait for the pass that is about to return: one write stores both. */
  function isDue(): boolean {
    return inbox.isUrgent() || (!inbox.isEmpty() && !queue.isPreparing())
  }

  function holdBriefly(): void {
    cancelHold ??= clock.schedule(MAX_HOLD_MS, () => post({ type: 'tick' }))
  }

  function takeSignals(): readonly LaneSignal[] {
    cancelHold?.()
    cancelHold = null
    return inbox.takeAll()
  }

  /** A block changes nothing for it. True for most lanes of a large node, so this must stay cheap. */
  function isAtRest(): boolean {
    const { ledger } = state
    if (cycling !== null || ledger === null || state.isBehindChain) return false
    if (ledger.inFlight.size > 0 || ledger.recyclable.length > 0) return false
    return requests.isIdle() && queue.isIdle() && funds.isIdle() && parts.counts.isIdle()
  }

  async function runCycles(): Promise<void> {
    // Lets signals that arrive in the same turn share a cycle.
    await Promise.resolve()
    while (!state.stopped && isDue() && retry.remainingMs() <= 0) {
      await cycle(takeSignals()).catch((error: unknown) => {
        // A lane that fails affects no other lane: it starts again from what the store has.
        telemetry.log('error', 'lane failed; reloading it', { ...fields, error })
        queue.passed()
        reload()
        retry.pause()
      })
    }
    // In the same step as the last look at the inbox: a signal that arrived in between would start nothing.
    cycling = null
    if (state.stopped) return
    if (!inbox.isEmpty() && !isDue()) holdBriefly()
    scheduleTick()
  }

  async function cycle(signals: readonly LaneSignal[]): Promise<void> {
    telemetry.count('drover_lane_cycles_total')
    for (const signal of signals) if (signal.type === 'amended') await storage.reread(signal.txIds)
    const isLoaded = state.ledger === null
    if (isLoaded && !(await storage.load())) return inbox.putBack(signals)
    if (state.ledger === null) return
    const draft = createLaneDraft(state.ledger, ports.policy())
    await decisions.decide(draft, signals, state.ledger, isLoaded)
    if (!draft.isEmpty()) await storage.save(draft)
    funds.look(draft, context.headNumber())
    requests.take(signals)
    await answerRequests()
    advanceQueue()
  }

  /** After everything else, so it sees the ledger as it is stored. */
  async function answerRequests(): Promise<void> {
    if (state.stopped || state.ledger === null) return
    try {
      await requests.refresh()
    } catch (error) {
      telemetry.log('warn', 'could not read the requests to a lane; retrying', { ...fields, error })
      inbox.put({ type: 'asked' })
      return retry.pause()
    }
    const policy = ports.policy()
    const answer = requests.decide(state.ledger, {
      slots: context.slotsBeside(sentOf(state.ledger)),
      window: window.size(policy),
      queueWaits: queue.wantsPlace(),
      waiting: parts.keptWaiting.find(),
      policy,
      isPaused: ports.isPaused() || requests.cancelling() !== null,
      followsChain: state.ledger.cursor === null || policy.externalUse,
      view: state.view,
      movingSince: ports.movingSince(),
    })
    if (answer === null || !(await storage.save(answer))) return
    requests.stored()
    // Freed nonces can be reserved at once, and the next reset answered.
    inbox.put({ type: 'tick' })
    queue.wake()
    queue.gapsChanged()
  }

  function advanceQueue(): void {
    const { ledger, view } = state
    if (state.stopped || ledger === null || ports.isPaused()) return
    const reserved = context.reserved()
    const fillsOnly = requests.cancelling() !== null
    if (fillsOnly && !hasGap(ledger, reserved) && !reserved.some(({ isYielded }) => isYielded)) return
    const slots = context.queueSlotsBeside(sentOf(ledger))
    queue.advance({ ledger, reserved, slots, policy: ports.policy(), view, fillsOnly })
  }

  function reload(): void {
    state.ledger = null
    inbox.put({ type: 'work' })
  }

  function scheduleTick(): void {
    cancelTick()
    const pauseMs = retry.remainingMs()
    const delayMs = pauseMs > 0 ? pauseMs : findDelay()
    if (delayMs !== null) cancelTick = clock.schedule(delayMs, () => post({ type: 'tick' }))
  }

  /** Until time alone changes something; null if only a signal can. */
  function findDelay(): number | null {
    if (state.ledger === null) return null
    const now = clock.now()
    const policy = ports.policy()
    const holdUntil = queue.heldUntil() > now ? queue.heldUntil() : null
    const around = { window: window.size(policy), holdUntil, movingSince: ports.movingSince() }
    const waits = nextDueAt(state.ledger.unmined.values(), policy, around)
    const replaces = parts.replacer.nextDueAt(state.ledger.unmined.values(), policy)
    const reservation = parts.keptWaiting.nextDueAt(policy.stuckAfterMs)
    const dues = [waits, replaces, reservation].filter((each) => each !== null)
    return dues.length === 0 ? null : Math.max(1, Math.min(...dues) - now)
  }

  function halt(): void {
    state.stopped = true
    cancelTick()
    cancelHold?.()
    parts.counts.stop()
    requests.stop()
    parts.problems.leave()
    ports.tracker.forget(runner)
  }

  async function stop(): Promise<void> {
    halt()
    while (cycling !== null) await cycling
  }

  return runner
}

function sentOf({ inFlight, unmined }: Ledger): Sent {
  return { unmined: unmined.values(), count: inFlight.size }
}
