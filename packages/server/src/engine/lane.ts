/**
 * Runs one lane while its lease is held: load, decide, save, act, in cycles that never overlap.
 *
 * Whatever happens (a wake-up, answers from nodes, a block, time) arrives as a signal. A cycle takes all that arrived,
 * moves transactions by the pure transition, stores the result in one fenced write, and only then acts: sends bytes,
 * raises alarms. Slow things (preparing, sending) run beside the cycles and come back as signals. Nothing is remembered
 * that the store does not have, so a write whose fate is unknown is cured by loading the lane again.
 */
import { assessInclusion, type ChainView, type Finality, listConfirmations } from '../core/finality.ts'
import type { Lease } from '../core/lane.ts'
import type { Policy } from '../core/policy.ts'
import { type InFlight, type Intent, inclusionOf, type TxId } from '../core/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Signer } from '../ports/signer.ts'
import { type Store, StoreUnavailable } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { allocateNonces } from './allocate.ts'
import type { Broadcaster } from './broadcaster.ts'
import type { InclusionTracker } from './inclusion-tracker.ts'
import { keepAlive, nextDueAt } from './keep-alive.ts'
import { createLaneDraft, type LaneDraft, type Ledger } from './lane-draft.ts'
import { createLaneInbox } from './lane-inbox.ts'
import type { LaneRunner, LaneSignal } from './lane-runner.ts'
import { type Preparation, type PrepareContext, prepareTransactions } from './prepare.ts'
import { tellTransition } from './tell-transition.ts'
import type { Writer } from './writer.ts'

export interface LanePorts {
  readonly store: Store
  readonly writer: Writer
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly broadcaster: Broadcaster
  readonly tracker: InclusionTracker
  readonly settings: { readonly finality: Finality; readonly prepareBatch: number; readonly prepareRetryMs: number }
  policy(): Policy
  isPaused(): boolean
  /** False once the lease may be somebody else's. */
  mayAct(): boolean
  /** A transaction of this lane cannot advance: somebody must decide. */
  onStuck(txId: TxId, isOurs: () => boolean): void
  /** The lease is gone; the lane has stopped by itself. */
  onFenced(): void
}

export function createLane(lease: Lease, ports: LanePorts): LaneRunner {
  const { store, writer, chain, clock, telemetry, broadcaster, tracker, settings } = ports
  const inbox = createLaneInbox()
  let ledger: Ledger | null = null
  let ready: readonly Preparation[] = []
  let chainCount: number | null = null
  let view: ChainView | null = null
  let queueMayHaveMore = true
  let preparing = false
  let holdUntil = 0
  let predecessorMined = false
  /** Failures since the last write that was stored, and until when the next one is put off, by the monotonic clock. */
  let failures = 0
  let resumeAt = Number.NEGATIVE_INFINITY
  let cycling: Promise<void> | null = null
  let stopped = false
  let cancelTick = (): void => {}
  let sending: Promise<void> = Promise.resolve()
  const alarmed = new Set<TxId>()
  const fields = { chainId: lease.lane.chainId, signer: lease.lane.signer, fence: lease.fence }

  function post(signal: LaneSignal): void {
    if (stopped) return
    inbox.put(signal)
    cycling ??= runCycles()
  }

  async function runCycles(): Promise<void> {
    // Lets signals that arrive in the same turn share a cycle.
    await Promise.resolve()
    while (!stopped && !inbox.isEmpty() && clock.monotonic() >= resumeAt) {
      await cycle(inbox.takeAll()).catch((error: unknown) => {
        // A lane that breaks takes no other along: it starts over from what the store has.
        telemetry.log('error', 'a cycle of a lane broke; loading it again', { ...fields, error })
        preparing = false
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
      holdUntil = 0
    }
    const loaded = ledger === null
    if (ledger === null && !(await load())) return inbox.putBack(signals)
    if (ledger === null) return
    const draft = createLaneDraft(ledger, ports.policy())
    if (loaded) recover(draft)
    for (const signal of signals) take(signal, draft)
    keepAlive(draft, clock.now(), ports.policy())
    await allocate(draft)
    if (!draft.isEmpty()) await save(draft)
    prepareMore()
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
      ready = []
      queueMayHaveMore = true
      tracker.adopt(runner, lane.inFlight)
      // The node that called it stuck may have died before it told anybody.
      for (const tx of lane.inFlight) {
        if (tx.state === 'STUCK' && !alarmed.has(tx.id)) raiseAlarm(tx.id, tx.error?.code ?? tx.subState)
      }
      return true
    } catch (error) {
      telemetry.log('warn', 'a lane could not be loaded; trying again', { ...fields, error })
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
    for (const tx of draft.inFlight()) {
      if (tx.state === 'ALLOCATED') draft.apply(tx, { type: 'resubmit.claimed', at: clock.now() })
    }
    if (view !== null) assess(draft, view, null)
  }

  function take(signal: LaneSignal, draft: LaneDraft): void {
    const at = clock.now()
    switch (signal.type) {
      case 'work':
        queueMayHaveMore = true
        return
      case 'answers':
        for (const { txId, hash, outcome } of signal.answers) {
          const tx = draft.current(txId)
          if (tx) draft.apply(tx, { type: 'broadcast.answered', at, hash, outcome })
        }
        return
      case 'inclusions':
        // What waited for a predecessor may go on, also if it is being prepared at this moment.
        predecessorMined = true
        for (const { txId, inclusion } of signal.inclusions) {
          const tx = draft.current(txId)
          if (tx) draft.apply(tx, { type: 'inclusion.seen', at, inclusion })
        }
        return
      case 'chain':
        view = signal.view
        assess(draft, signal.view, signal.forkFrom)
        return
      case 'deep':
      case 'withdrawn': {
        const tx = draft.current(signal.txId)
        const { blockHash } = signal
        if (tx === undefined) return
        if (signal.type === 'withdrawn') draft.apply(tx, { type: 'inclusion.reorged', at, blockHash })
        else draft.apply(tx, { type: 'finality.reached', at, blockHash, confirmations: signal.confirmations })
        return
      }
      case 'nonce.lost': {
        const tx = draft.current(signal.txId)
        if (tx) draft.apply(tx, { type: 'nonce.lost', at, nonce: signal.nonce })
        // It may stand in line again.
        queueMayHaveMore = true
        return
      }
      case 'prepared':
        preparing = false
        ready = signal.preparations
        chainCount = signal.chainCount
        return
      case 'prepare.held':
        preparing = false
        holdUntil = signal.until
        return
      case 'prepare.failed':
        preparing = false
        holdUntil = at + settings.prepareRetryMs
        return
      case 'expired':
        for (const tx of signal.transactions) draft.apply(tx, { type: 'deadline.passed', at })
        return
      case 'amended':
      case 'tick':
        return
    }
  }

  /** One look at the chain for every mined transaction of the lane: final, withdrawn, or on a new fork. */
  function assess(draft: LaneDraft, chainView: ChainView, forkFrom: number | null): void {
    const at = clock.now()
    for (const tx of draft.inFlight()) {
      const inclusion = inclusionOf(tx)
      if (inclusion === null) continue
      const { blockHash } = inclusion
      const finality = finalityOf(tx.intent)
      const status = assessInclusion(inclusion, chainView, finality)
      if (status.type === 'reorged') draft.apply(tx, { type: 'inclusion.reorged', at, blockHash })
      else if (status.type === 'unknown') tracker.lookUp(tx.id)
      else {
        if (forkFrom !== null && inclusion.blockNumber < forkFrom) {
          const confirmations = listConfirmations(inclusion.blockNumber, chainView, finality)
          draft.apply(tx, { type: 'confirmations.replaced', at, blockHash, confirmations })
        }
        if (status.type === 'final') {
          draft.apply(tx, { type: 'finality.reached', at, blockHash, confirmations: status.confirmations })
        }
      }
    }
  }

  async function allocate(draft: LaneDraft): Promise<void> {
    if (ready.length === 0 || ledger === null) return
    const preparations = ready
    ready = []
    const result = await allocateNonces(draft, preparations, {
      lease,
      ledger,
      chainCount,
      policy: ports.policy(),
      now: clock.now(),
      retryMs: settings.prepareRetryMs,
      signer: ports.signer,
    })
    if (result.holdUntil !== null) holdUntil = result.holdUntil
    if (result.signingError !== null) {
      telemetry.log('error', 'signing failed; no nonce was taken', { ...fields, error: result.signingError })
    }
  }

  async function save(draft: LaneDraft): Promise<void> {
    const write = draft.toWrite(lease)
    const result = await writer.write(write).catch((error: unknown) => {
      // The writer gives up only at shutdown: the next owner finds what was stored and goes on from there.
      if (error instanceof StoreUnavailable) return null
      throw error
    })
    if (result === null) return halt()
    switch (result.type) {
      case 'written':
        failures = 0
        ledger = draft.settle(result.versions)
        for (const stored of write.saves) tellTransition(telemetry, stored)
        act(draft)
        return
      case 'fenced':
        telemetry.count('drover_fence_refusals_total', { operation: 'write' })
        telemetry.log('warn', 'the lease of a lane was lost; nothing was written', fields)
        halt()
        ports.onFenced()
        return
      case 'stale':
        telemetry.count('drover_lane_reloads_total', { cause: 'stale' })
        reload()
        // Somebody else's change is met once; what stays stale after a fresh load must not spin.
        if (failures++ > 0) backOff()
        return
      case 'refused':
        telemetry.count('drover_lane_reloads_total', { cause: 'refused' })
        telemetry.log('error', 'the database refused a write of a lane', { ...fields, detail: result.detail })
        holdUntil = clock.now() + settings.prepareRetryMs
        reload()
        backOff()
        return
    }
  }

  function reload(): void {
    ledger = null
    inbox.put({ type: 'work' })
  }

  function act(draft: LaneDraft): void {
    const toSend = new Map<TxId, InFlight>()
    for (const { txId, effect } of draft.effects()) {
      const tx = ledger?.inFlight.get(txId)
      if (effect.type === 'broadcast' && tx && !tx.suspended && inclusionOf(tx) === null) toSend.set(txId, tx)
      if (effect.type === 'lookup') tracker.lookUp(txId)
      if (effect.type === 'alarm') raiseAlarm(txId, effect.cause)
    }
    // Stopped while the write was under way: the next owner sends, and nobody here watches any more.
    if (stopped) return
    tracker.update(runner, draft.changed())
    if (toSend.size > 0) send([...toSend.values()].sort((a, b) => a.nonce - b.nonce))
  }

  function raiseAlarm(txId: TxId, cause: string): void {
    alarmed.add(txId)
    telemetry.count('drover_alarms_total', { cause })
    telemetry.log('warn', 'a transaction is stuck', { ...fields, txId, cause })
    ports.onStuck(txId, () => !stopped)
  }

  /** Batches of one lane leave one after the other, so that its nonces reach a node in order. */
  function send(transactions: readonly InFlight[]): void {
    const attempts = transactions.flatMap((tx) => {
      const attempt = tx.attempts.at(-1)
      return attempt === undefined ? [] : [{ txId: tx.id, raw: attempt.raw, hash: attempt.hash }]
    })
    const again = transactions.filter((tx) => tx.submitCount > 0).length
    sending = sending.then(async () => {
      const answer = await broadcaster.send({ attempts, maySend: () => !stopped && ports.mayAct() })
      if (again > 0) telemetry.count('drover_resubmits_total', { result: answer.type }, again)
      if (answer.type === 'withheld') return
      post({
        type: 'answers',
        answers: attempts.flatMap(({ txId, hash }, index) => {
          const outcome = answer.outcomes[index]
          return outcome === undefined ? [] : [{ txId, hash, outcome }]
        }),
      })
    })
  }

  function prepareMore(): void {
    if (preparing || stopped || ledger === null || !queueMayHaveMore || ports.isPaused()) return
    if (clock.now() < holdUntil && !predecessorMined) return
    const policy = ports.policy()
    const free = Math.min(settings.prepareBatch, policy.maxInFlight - ledger.inFlight.size)
    if (free <= 0) return
    preparing = true
    const predecessorsPending = [...ledger.inFlight.values()].some((tx) => inclusionOf(tx) === null)
    const isFreed = predecessorMined || !predecessorsPending
    if (predecessorMined) holdUntil = 0
    predecessorMined = false
    const needsCount = ledger.cursor === null || policy.externalUse
    prepare(free, { policy, predecessorsPending }, isFreed, needsCount).then(post, (error: unknown) => {
      telemetry.log('warn', 'the queue of a lane could not be prepared; trying again', { ...fields, error })
      post({ type: 'prepare.failed' })
    })
  }

  async function prepare(
    limit: number,
    context: PrepareContext,
    isFreed: boolean,
    needsCount: boolean,
  ): Promise<LaneSignal> {
    queueMayHaveMore = false
    const queued = await store.readQueue(lease.lane, limit)
    const first = queued[0]
    if (first === undefined) return { type: 'prepared', preparations: [], chainCount: null }
    queueMayHaveMore = true
    // What waited for a predecessor is tried as soon as one is mined or none is left, whatever pause it had.
    const mayGo = isFreed && first.subState === 'waiting_for_predecessor'
    if (first.retryAt !== null && first.retryAt > clock.now() && !mayGo) {
      return { type: 'prepare.held', until: first.retryAt }
    }
    const [preparations, count] = await Promise.all([
      prepareTransactions(chain, queued, context),
      needsCount ? chain.getTransactionCount(lease.lane.signer, 'pending') : null,
    ])
    return { type: 'prepared', preparations, chainCount: count }
  }

  function scheduleTick(): void {
    cancelTick()
    const pauseMs = resumeAt - clock.monotonic()
    if (pauseMs > 0) cancelTick = clock.schedule(pauseMs, () => post({ type: 'tick' }))
    if (pauseMs > 0 || ledger === null) return
    const now = clock.now()
    const due = nextDueAt([...ledger.inFlight.values()], ports.policy(), holdUntil > now ? holdUntil : null)
    if (due !== null) cancelTick = clock.schedule(Math.max(1, due - now), () => post({ type: 'tick' }))
  }

  function halt(): void {
    stopped = true
    cancelTick()
    tracker.forget(runner)
  }

  function finalityOf(intent: Intent): Finality {
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
