/**
 * Runs one lane while its lease is held: load, decide, save, act, in cycles that never overlap.
 *
 * Whatever happens (a wake-up, answers from nodes, a block, time) arrives as a signal. A cycle takes all that arrived,
 * moves transactions by the pure transition, stores the result in one fenced write, and only then acts: sends bytes,
 * raises alarms. Slow things (preparing, sending) run beside the cycles and come back as signals. Nothing is remembered
 * that the store does not have, so a write whose fate is unknown is cured by loading the lane again.
 */

import { maxCostInFlight } from '../core/cost.ts'
import { isFill } from '../core/fill.ts'
import { assessInclusion, type ChainView, type Finality, listConfirmations } from '../core/finality.ts'
import type { Lease } from '../core/lane.ts'
import type { Policy } from '../core/policy.ts'
import { type InFlight, type Intent, inclusionOf, type Queued, type TxId } from '../core/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Signer } from '../ports/signer.ts'
import { type Store, StoreUnavailable } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createAccountWatch } from './account-watch.ts'
import { allocateNonces } from './allocate.ts'
import { judgeBalance } from './balance-alert.ts'
import type { Broadcaster } from './broadcaster.ts'
import { type ChainCounts, findGaps, findUsed } from './free-nonces.ts'
import { createGapWatch } from './gap-watch.ts'
import type { InclusionTracker } from './inclusion-tracker.ts'
import { insertFills } from './insert-fills.ts'
import { keepAlive, nextDueAt } from './keep-alive.ts'
import { createLaneDraft, type LaneDraft, type Ledger } from './lane-draft.ts'
import { createLaneInbox } from './lane-inbox.ts'
import { createLaneRequests } from './lane-requests.ts'
import type { LaneRunner, LaneSignal } from './lane-runner.ts'
import { type Preparation, type PrepareContext, prepareTransactions } from './prepare.ts'
import { createReplacer } from './replacer.ts'
import type { Storable } from './request-draft.ts'
import { tellTransition } from './tell-transition.ts'
import type { Writer } from './writer.ts'

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
  readonly settings: {
    readonly finality: Finality
    readonly prepareBatch: number
    readonly prepareRetryMs: number
    /** Unmined transactions of one account that the chain's nodes keep. */
    readonly mempoolPerAccount: number
  }
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
  let ready: Extract<LaneSignal, { type: 'prepared' }> | null = null
  let view: ChainView | null = null
  let queueMayHaveMore = true
  let preparing = false
  let holdUntil = 0
  let predecessorMined = false
  /** What the cheapest needs that the balance did not cover, and whether those are to be tried before their time. */
  let leastUnfunded: bigint | null = null
  let retryUnfunded = true
  let readingFunds = false
  let isLow: boolean | null = null
  /** A pass for the gaps was made since the last block: it is not repeated before something changes. */
  let gapsTried = false
  /** Failures since the last write that was stored, and until when the next one is put off, by the monotonic clock. */
  let failures = 0
  let resumeAt = Number.NEGATIVE_INFINITY
  let cycling: Promise<void> | null = null
  let stopped = false
  let cancelTick = (): void => {}
  let sending: Promise<void> = Promise.resolve()
  const alarmed = new Set<TxId>()
  const fields = { chainId: lease.lane.chainId, signer: lease.lane.signer, fence: lease.fence }
  const beside = { chain, clock, telemetry, lane: lease.lane, wake: () => post({ type: 'tick' }) }
  const account = createAccountWatch(beside)
  const replacer = createReplacer({ ...beside, signer: ports.signer })
  const gaps = createGapWatch(beside)
  const requests = createLaneRequests({
    ...{ lease, store, chain, clock, telemetry, post, retryMs: settings.prepareRetryMs },
    finality: () => finalityOf({ finality: null }),
    watch: (reservations) => tracker.follow(runner, reservations),
    lookUp: tracker.lookUp,
  })

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
    minding(draft)
    closeGaps(draft)
    keepAlive(draft, clock.now(), ports.policy(), findLowestLent())
    await replacer.replace(draft, { policy: ports.policy(), head: view?.head.number ?? null, isBlocked })
    await allocate(draft)
    if (!draft.isEmpty()) await save(draft)
    requests.take(signals)
    await answerRequests()
    prepareMore()
  }

  /** After everything else, so that it finds the ledger as it is stored. */
  async function answerRequests(): Promise<void> {
    if (stopped || ledger === null) return
    try {
      await requests.refresh()
    } catch (error) {
      telemetry.log('warn', 'what is asked of a lane could not be read; trying again', { ...fields, error })
      inbox.put({ type: 'asked' })
      return backOff()
    }
    const followsChain = ledger.cursor === null || ports.policy().externalUse
    const slots = countSlots([...ledger.inFlight.values()])
    const answer = requests.decide(ledger, { slots, isPaused: ports.isPaused(), followsChain, view })
    if (answer === null || !(await save(answer))) return
    requests.stored()
    // What was freed may be lent at once, and the next reset be answered.
    inbox.put({ type: 'tick' })
    queueMayHaveMore = true
    gapsTried = false
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
      queueMayHaveMore = true
      retryUnfunded = true
      tracker.adopt(runner, lane.inFlight)
      requests.forget()
      await requests.refresh()
      // The node that called it stuck may have died before it told anybody.
      for (const tx of lane.inFlight) {
        if (tx.state === 'STUCK' && !alarmed.has(tx.id)) raiseAlarm(tx.id, tx.error?.code ?? tx.subState)
      }
      return true
    } catch (error) {
      telemetry.log('warn', 'a lane could not be loaded; trying again', { ...fields, error })
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
        if (signal.answers.some(({ outcome }) => outcome.type === 'pool_full')) account.suspectCode()
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
        watchFunds(draft)
        // Whether a free nonce can be used, or must be filled, may change with every block.
        gapsTried = false
        if (hasGap()) queueMayHaveMore = true
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
        ready = signal
        if (signal.heldUntil !== null) holdUntil = signal.heldUntil
        return
      case 'prepare.failed':
        preparing = false
        holdUntil = at + settings.prepareRetryMs
        return
      case 'expired':
        for (const tx of signal.transactions) draft.apply(tx, { type: 'deadline.passed', at })
        return
      case 'amended':
      case 'asked':
      case 'counts':
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
    if (ready === null || ledger === null) return
    const { preparations, counts, isFull, hasUnfunded, heldUntil } = ready
    ready = null
    if (counts !== null) for (const nonce of findUsed(ledger.recyclable, counts)) draft.markNonce(nonce, 'USED')
    const result = await allocateNonces(draft, preparations, {
      ...{ lease, ledger, counts, policy: ports.policy(), slots: countSlots(draft.inFlight()), highest: findHighest() },
      ...{ funds: account, now: clock.now(), retryMs: settings.prepareRetryMs, signer: ports.signer },
    })
    if (result.holdUntil !== null) holdUntil = result.holdUntil
    // What was not read in this pass is as unfunded as it was; but a pass that got somewhere may find more to do.
    if (hasUnfunded) retryUnfunded = isFull && result.allocated > 0
    if (hasUnfunded && !isFull && heldUntil === null) leastUnfunded = null
    if (result.leastUnfunded !== null && (leastUnfunded === null || result.leastUnfunded < leastUnfunded))
      leastUnfunded = result.leastUnfunded
    if (result.signingError !== null) {
      telemetry.log('error', 'signing failed; no nonce was taken', { ...fields, error: result.signingError })
    }
  }

  /** How many more may take a nonce: policy counts until they are final, a node's pool until they are mined. */
  function countSlots(inFlight: readonly InFlight[]): number {
    const lent = requests.held()
    const unmined = inFlight.filter((tx) => inclusionOf(tx) === null).length + lent.filter(isUnmined).length
    const kept = account.isDelegated() ? 1 : settings.mempoolPerAccount
    return Math.min(ports.policy().maxInFlight - inFlight.length - lent.length, kept - unmined)
  }

  /** The highest nonce that is on its way. */
  function findHighest(): number | null {
    let highest: number | null = null
    for (const tx of ledger?.inFlight.values() ?? []) if (inclusionOf(tx) === null) highest = tx.nonce
    for (const lent of requests.held()) {
      // What its holder has not used may come back: no reason yet to fill what is free below it.
      if (lent.isUsed && !lent.isMined) highest = Math.max(highest ?? lent.nonce, lent.nonce)
    }
    return highest
  }

  /** The lowest nonce that somebody else holds and that is in no block: those above wait for it. */
  function findLowestLent(): number | null {
    const nonces = requests.held().flatMap((lent) => (isUnmined(lent) ? [lent.nonce] : []))
    return nonces.length === 0 ? null : Math.min(...nonces)
  }

  function hasGap(): boolean {
    return ledger !== null && findGaps(ledger.recyclable, null, findHighest()).length > 0
  }

  function isBlocked(nonce: number): boolean {
    if (requests.held().some((lent) => isUnmined(lent) && lent.nonce < nonce)) return true
    return ledger?.recyclable.some((free) => free < nonce) ?? false
  }

  /** What is found free is used, or filled, like any nonce that came back. */
  function closeGaps(draft: LaneDraft): void {
    const inFlight = draft.inFlight()
    const lowest = inFlight.find((tx) => inclusionOf(tx) === null)
    const found = gaps.find({
      ...{ policy: ports.policy(), head: view?.head.number ?? null, lowest },
      isHeld: (from, to) => [...inFlight, ...requests.held()].some(({ nonce }) => nonce >= from && nonce < to),
      isBlocked: lowest !== undefined && isBlocked(lowest.nonce),
    })
    if (found.length === 0) return
    for (const nonce of found) draft.markNonce(nonce, 'RECYCLABLE')
    draft.note({ type: 'gap.found', cause: null, detail: { nonces: found } })
    telemetry.log('warn', "a nonce below those on their way is nobody's", { ...fields, nonces: found.join() })
    queueMayHaveMore = true
    gapsTried = false
  }

  function sumReserved(): bigint {
    let sum = 0n
    for (const tx of ledger?.inFlight.values() ?? []) if (inclusionOf(tx) === null) sum += maxCostInFlight(tx)
    return sum
  }

  /** Out of funds the lane rests, but with each block it looks whether somebody has paid in. */
  function watchFunds(draft: LaneDraft): void {
    const isShort = leastUnfunded !== null || draft.inFlight().some((tx) => tx.subState === 'waiting_for_funds')
    if (!isShort || readingFunds) return
    readingFunds = true
    account
      .readBalance(view?.head.number ?? null, sumReserved)
      .catch((error: unknown) => telemetry.log('error', 'reading a balance broke', { ...fields, error }))
      .finally(() => {
        readingFunds = false
        beside.wake()
      })
  }

  /** What was found out about the account beside the cycles. */
  function minding(draft: LaneDraft): void {
    account.lookAtCode()
    const news = account.takeNews()
    if (news === null) return
    draft.setBalance({ wei: news.wei, at: news.at })
    isLow = judgeBalance(draft, { balanceWei: news.wei, wasLow: isLow, policy: ports.policy(), telemetry, fields })
    const available = account.available()
    if (leastUnfunded !== null && available !== null && available >= leastUnfunded) {
      retryUnfunded = true
      queueMayHaveMore = true
      holdUntil = 0
    }
    if (!news.isRise) return
    for (const tx of draft.inFlight()) {
      if (tx.subState === 'waiting_for_funds') draft.apply(tx, { type: 'resubmit.claimed', at: news.at })
    }
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
        ledger = draft.settle(result.versions)
        for (const stored of write.saves) tellTransition(telemetry, stored)
        act(draft)
        return true
      case 'fenced':
        telemetry.count('drover_fence_refusals_total', { operation: 'write' })
        telemetry.log('warn', 'the lease of a lane was lost; nothing was written', fields)
        halt()
        ports.onFenced()
        return false
      case 'stale':
        isLow = null
        telemetry.count('drover_lane_reloads_total', { cause: 'stale' })
        reload()
        // Somebody else's change is met once; what stays stale after a fresh load must not spin.
        if (failures++ > 0) backOff()
        return false
      case 'refused':
        telemetry.count('drover_lane_reloads_total', { cause: 'refused' })
        telemetry.log('error', 'the database refused a write of a lane', { ...fields, detail: result.detail })
        holdUntil = clock.now() + settings.prepareRetryMs
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
    for (const { txId, effect } of draft.effects()) {
      const tx = ledger?.inFlight.get(txId)
      if (effect.type === 'broadcast' && tx && !tx.suspended && inclusionOf(tx) === null) toSend.set(txId, tx)
      if (effect.type === 'lookup') tracker.lookUp(txId)
      if (effect.type === 'nonce.freed') {
        queueMayHaveMore = true
        gapsTried = false
      }
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
    const gap = hasGap()
    if (clock.now() < holdUntil && !predecessorMined && (!gap || gapsTried)) return
    const policy = ports.policy()
    const inFlight = [...ledger.inFlight.values()]
    const slots = countSlots(inFlight)
    const limit = Math.min(settings.prepareBatch, gap ? Math.max(slots, ledger.recyclable.length) : slots)
    if (limit <= 0) return
    preparing = true
    gapsTried = gap
    const predecessorsPending = inFlight.some((tx) => inclusionOf(tx) === null)
    const isFreed = predecessorMined || !predecessorsPending
    if (predecessorMined) holdUntil = 0
    predecessorMined = false
    prepare(limit, { policy, predecessorsPending }, isFreed).then(post, (error: unknown) => {
      telemetry.log('warn', 'the queue of a lane could not be prepared; trying again', { ...fields, error })
      post({ type: 'prepare.failed' })
    })
  }

  async function prepare(limit: number, context: PrepareContext, isFreed: boolean): Promise<LaneSignal> {
    queueMayHaveMore = false
    const { policy } = context
    const recyclable = ledger?.recyclable ?? []
    // Fills that wait for funds must be seen, or others would be made in their place.
    const hasUnfunded = retryUnfunded || policy.onLackOfFunds === 'hold' || hasGap()
    const queued = await store.readQueue(lease.lane, limit, { passOverUnfunded: !hasUnfunded })
    if (queued.length > 0) queueMayHaveMore = true
    const heldUntil = findHold(queued[0], isFreed)
    const going = heldUntil === null ? queued : []
    const common = { type: 'prepared', isFull: queued.length === limit, hasUnfunded, heldUntil } as const
    if (going.length === 0 && !hasGap()) return { ...common, preparations: [], counts: null }
    const needsCount = ledger?.cursor === null || policy.externalUse || recyclable.length > 0
    const [preparations, counts] = await Promise.all([
      prepareTransactions(chain, going, context),
      needsCount ? readCounts(recyclable.length > 0) : null,
      account.readBalance(view?.head.number ?? null, sumReserved),
      account.knowCode(),
    ])
    const coming = queued.filter((tx) => isFill(tx.intent)).length + preparations.filter(isReadyToGo).length
    const fills = policy.mayReplace ? await prepareFills(coming, counts, context) : []
    return { ...common, preparations: [...fills, ...preparations], counts }
  }

  /** What waits for a predecessor is tried as soon as one is mined or none is left, whatever pause it had; or once there is money. */
  function findHold(first: Queued | undefined, isFreed: boolean): number | null {
    if (first === undefined || first.retryAt === null || first.retryAt <= clock.now()) return null
    if (isFreed && first.subState === 'waiting_for_predecessor') return null
    const isUnfunded = first.subState === 'waiting_for_funds'
    if (isUnfunded && (retryUnfunded || ports.policy().onLackOfFunds === 'pass_over')) return null
    return first.retryAt
  }

  async function readCounts(withLatest: boolean): Promise<ChainCounts> {
    const { signer } = lease.lane
    const [pending, latest] = await Promise.all([
      chain.getTransactionCount(signer, 'pending'),
      withLatest ? chain.getTransactionCount(signer, 'latest') : 0,
    ])
    return { pending, latest }
  }

  /** Gaps for which the queue has nothing that is ready are filled with nothing. */
  async function prepareFills(
    coming: number,
    counts: ChainCounts | null,
    context: PrepareContext,
  ): Promise<readonly Preparation[]> {
    const gaps = findGaps(ledger?.recyclable ?? [], counts, findHighest())
    const open = gaps.slice(coming, coming + settings.prepareBatch)
    if (open.length === 0) return []
    telemetry.log('info', 'gaps are filled with empty transactions', { ...fields, nonces: open.join() })
    return await prepareTransactions(chain, await insertFills(ports, lease.lane, open), context)
  }

  function scheduleTick(): void {
    cancelTick()
    const pauseMs = resumeAt - clock.monotonic()
    if (pauseMs > 0) cancelTick = clock.schedule(pauseMs, () => post({ type: 'tick' }))
    if (pauseMs > 0 || ledger === null) return
    const now = clock.now()
    const policy = ports.policy()
    const waits = nextDueAt(ledger.inFlight.values(), policy, holdUntil > now ? holdUntil : null)
    const replaces = replacer.nextDueAt(ledger.inFlight.values(), policy)
    const due = waits === null || replaces === null ? (waits ?? replaces) : Math.min(waits, replaces)
    if (due !== null) cancelTick = clock.schedule(Math.max(1, due - now), () => post({ type: 'tick' }))
  }

  function halt(): void {
    stopped = true
    cancelTick()
    requests.stop()
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

function isReadyToGo({ type, tx }: Preparation): boolean {
  return type === 'ready' && !isFill(tx.intent)
}

function isUnmined({ isMined }: { readonly isMined: boolean }): boolean {
  return !isMined
}
