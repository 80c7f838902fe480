/**
 * What others ask of a lane's owner: nonces to sign with themselves, and resets of the cursor. Any node takes such a
 * request and stores it; only the owner answers, in its cycles and under its fence, because nonces come from one cursor.
 *
 * The rows are read when the owner is told, when a lock runs out, and after every load; between two readings nobody but
 * the owner and the holders changes them, and each is held to its version when it is written. What a decision needs from
 * the chain is asked beside the cycles and comes back as a signal: the account's counts, which tell whether a nonce whose
 * lock ran out was used after all, and whose the transaction is that a holder named.
 */

import {
  assessInclusion,
  type ChainView,
  type Finality,
  finalHeight,
  type Inclusion,
} from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import { type CancelAllStep, planCancelAll } from '../../core/lane/cancel-all.ts'
import type { Lease } from '../../core/lane/lane.ts'
import { decideReset, type NonceReset } from '../../core/lane/nonce-reset.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { ReservationEvent, ReservationId } from '../../core/lane/reservation.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'
import type { LaneWrite, Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type CountsSince, findUsable } from '../gaps/free-nonces.ts'
import type { Ledger } from '../lane/lane-draft.ts'
import { findHighest } from '../lane/lane-room.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import { chooseGrants } from './choose-grants.ts'
import { createNamedHashes } from './named-hashes.ts'
import { awaitsYield, isLapsed, isLocked, type ReservedNonce, toReservedNonce } from './open-reservation.ts'
import {
  createRequestDraft,
  emptyWrite,
  type RequestDraft,
  type Storable,
  settleReservations,
} from './request-draft.ts'
import { alarmDueAt, createReservationAlarms } from './reservation-alarms.ts'

export interface LaneRequests {
  /** Reads what is asked, if it may have changed. Throws StoreUnavailable. */
  refresh(): Promise<void>
  /** Forgets what was read: the next refresh reads again. */
  forget(): void
  /** Takes what concerns requests out of a cycle's signals. */
  take(signals: readonly LaneSignal[]): void
  /** The next answer that can be stored; null where there is none, or where the chain is asked first. */
  decide(ledger: Ledger, context: DecideContext): Storable | null
  /** The answer that was decided last is stored. */
  stored(): void
  /** The empty transaction that took this nonce from its holder is final. */
  filled(nonce: number): void
  held(): readonly ReservedNonce[]
  /** The order that cancels everything in flight and is not over: no nonce is given out meanwhile. Null where there is none. */
  cancelling(): NonceReset | null
  stop(): void
}

export interface DecideContext {
  /** How many more nonces may be out, and how many at one time. */
  readonly slots: number
  readonly window: number
  /** Since when the chain makes blocks without a break; null while it does not. */
  readonly movingSince: number | null
  readonly isPaused: boolean
  readonly policy: Policy
  /** The cursor alone does not tell the next nonce: there is none yet, or somebody else uses the key too. */
  readonly followsChain: boolean
  readonly view: ChainView | null
}

interface Ports {
  readonly lease: Lease
  readonly store: Pick<Store, 'readLaneRequests' | 'readQueue'>
  readonly chain: Pick<Chain, 'getTransactionCount' | 'findTransaction' | 'findTransactionsAnywhere'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly retryMs: number
  /** What one tenant may hold of the window. */
  readonly sharePercent: number
  finality(): Finality
  watch(reservations: readonly OpenReservation[]): void
  lookUp(id: ReservationId): void
  post(signal: LaneSignal): void
}

/** The local clock may be ahead of the database's, which alone says that a lock has run out. */
const LATE_MS = 50

export function createLaneRequests(ports: Ports): LaneRequests {
  const { lease, store, clock, telemetry } = ports
  let open: ReadonlyMap<ReservationId, OpenReservation> = new Map()
  let resets: readonly NonceReset[] = []
  let held: readonly ReservedNonce[] = []
  let isRead = false
  let isStopped = false
  let counts: CountsSince | null = null
  let counting = false
  /** The height at which some lapsed nonce was found used, but not finally. */
  let unsettledAt: number | null = null
  let events: { readonly id: ReservationId; readonly event: ReservationEvent }[] = []
  let draft: RequestDraft | null = null
  const putOff = new Map<Hash, Inclusion>()
  const named = createNamedHashes({ ...ports, lane: lease.lane, onVerdict: recheck })
  const alarms = createReservationAlarms({ ...ports, lane: lease.lane, wake: () => ports.post({ type: 'tick' }) })
  let cancelTimer = (): void => {}
  let cancelAlarm = (): void => {}
  const fields = { chainId: lease.lane.chainId, signer: lease.lane.signer }

  async function refresh(): Promise<void> {
    if (isRead) return
    isRead = true
    const asked = await store.readLaneRequests(lease.lane).catch((error: unknown) => {
      isRead = false
      throw error
    })
    settle(asked.reservations, asked.resets)
  }

  function settle(reservations: readonly OpenReservation[], unanswered: readonly NonceReset[]): void {
    // Read while the lane was being stopped: another may run it by now, and watches what it has.
    if (isStopped) return
    open = new Map(reservations.map((reservation) => [reservation.id, reservation]))
    resets = unanswered
    held = reservations.flatMap(toReservedNonce)
    named.keepOnly(reservations)
    ports.watch(
      reservations.map((each) => ({ ...each, hashes: each.hashes.filter((hash) => !named.isWrong(each.id, hash)) })),
    )
    cancelTimer()
    const locks = reservations.filter(isLocked).map(({ lockedUntil }) => lockedUntil)
    if (locks.length === 0) return
    cancelTimer = wakeAt(Math.min(...locks), 'asked')
  }

  function take(signals: readonly LaneSignal[]): void {
    const at = clock.now()
    for (const signal of signals) {
      if (signal.type === 'asked') isRead = false
      if (signal.type === 'counts') {
        counting = false
        counts = signal.counts
      }
      if (signal.type === 'inclusions') for (const { txId, inclusion } of signal.inclusions) include(txId, inclusion)
      if (signal.type === 'withdrawn' && open.has(signal.txId))
        events.push({ id: signal.txId, event: { type: 'inclusion.reorged', at, blockHash: signal.blockHash } })
      if (signal.type === 'deep' && open.has(signal.txId))
        events.push({ id: signal.txId, event: { type: 'finality.reached', at, blockHash: signal.blockHash } })
      if (signal.type === 'nonce.lost' && open.has(signal.txId))
        events.push({ id: signal.txId, event: { type: 'nonce.lost', at, nonce: signal.nonce } })
    }
  }

  function include(id: ReservationId, inclusion: Inclusion): void {
    const reservation = open.get(id)
    if (reservation === undefined) return
    if (named.isRight(reservation, inclusion.txHash))
      events.push({ id, event: { type: 'inclusion.seen', at: clock.now(), inclusion } })
    else putOff.set(inclusion.txHash, inclusion)
  }

  /** An inclusion that was put off until it was known whose it is comes back as if it were new. */
  function recheck(id: ReservationId, hash: Hash, verdict: 'right' | 'wrong' | 'unknown'): void {
    const inclusion = putOff.get(hash)
    putOff.delete(hash)
    if (verdict === 'right' && inclusion) ports.post({ type: 'inclusions', inclusions: [{ txId: id, inclusion }] })
    if (verdict === 'wrong') ports.post({ type: 'asked' })
    // Not at once: the node that has the receipt may go on not having the transaction.
    if (verdict === 'unknown') clock.schedule(ports.retryMs, () => ports.lookUp(id))
  }

  function decide(ledger: Ledger, context: DecideContext): Storable | null {
    if (open.size === 0 && resets.length === 0) {
      // Asked for by somebody who has gone since: whoever comes next needs them as they are then.
      counts = null
      return null
    }
    const reset = decideFirstReset(ledger, context.policy)
    if (reset !== null) return reset
    const next = createRequestDraft({
      ledger,
      open,
      free: counts === null ? [] : findUsable(ledger.recyclable, counts),
      firstNonce: context.followsChain ? (counts?.pending ?? 0) : 0,
    })
    for (const { id, event } of events) next.apply(id, event)
    events = []
    if (context.view !== null) assess(next, context.view)
    const asksChain = lapse(next, context.view?.head.number ?? null, listNonces(ledger))
    raiseAlarms(next, ledger, context)
    const asksCount = grantAll(next, context, ledger.recyclable.length > 0)
    const needsReset = context.view !== null && findAnchored() === null && isResetDue(ledger, context.policy)
    counts = null
    if (asksChain || asksCount || needsReset) askCounts(context.view, listNonces(ledger))
    draft = next.changedIds().size === 0 ? null : next
    return draft
  }

  /**
   * What frees a nonce, or moves the cursor back, must not go by a count from before the blocks that are known: a nonce
   * that is used would be given out again.
   */
  function findAnchored(): CountsSince | null {
    return counts?.head === null ? null : counts
  }

  function planFirst(reset: NonceReset, ledger: Ledger, policy: Policy): CancelAllStep {
    if (!reset.cancelsFirst) return { type: 'reset' }
    return planCancelAll(reset, { inFlight: [...ledger.inFlight.values()], reservations: [...open.values()], policy })
  }

  function isResetDue(ledger: Ledger, policy: Policy): boolean {
    const [reset] = resets
    return reset !== undefined && planFirst(reset, ledger, policy).type === 'reset'
  }

  function decideFirstReset(ledger: Ledger, policy: Policy): Storable | null {
    const [reset] = resets
    if (reset === undefined) return null
    const step = planFirst(reset, ledger, policy)
    if (step.type === 'refuse') return refuseReset(reset, step.why, ledger)
    if (step.type === 'note') return beginCancelling(reset, step.txIds, ledger)
    const seen = findAnchored()
    if (step.type === 'wait' || seen === null) return null
    const inFlight = [...ledger.inFlight.values()]
    const verdict = decideReset(seen.latest, { inFlight, reservations: [...open.values()] })
    if (verdict.type === 'refused') return refuseReset(reset, verdict.why, ledger)
    resets = resets.slice(1)
    counts = null
    draft = null
    const { next } = verdict
    const cancelled = reset.txIds === null ? {} : { transactions: reset.txIds.length }
    const detail = { ...nameOrder(reset), before: ledger.cursor, after: next, ...cancelled }
    const notes = [{ type: 'cursor.reset', cause: 'operator', detail }]
    const answer = { id: reset.id, state: 'DONE', refusal: null } as const
    const write = { ...emptyWrite(lease), cursor: { expected: ledger.cursor, next }, notes, reset: answer }
    return asStorable(write, { ...ledger, cursor: next, recyclable: [] })
  }

  function refuseReset(reset: NonceReset, why: string, ledger: Ledger): Storable {
    resets = resets.slice(1)
    counts = null
    draft = null
    const notes = [{ type: 'cursor.reset_refused', cause: 'operator', detail: { ...nameOrder(reset), why } }]
    const answer = { id: reset.id, state: 'REFUSED', refusal: why } as const
    return asStorable({ ...emptyWrite(lease), notes, reset: answer }, ledger)
  }

  /** From here on the order is known to every owner to come; the transactions themselves are told in the next cycle. */
  function beginCancelling(reset: NonceReset, txIds: readonly TxId[], ledger: Ledger): Storable {
    resets = [{ ...reset, state: 'CANCELLING', txIds }, ...resets.slice(1)]
    draft = null
    const detail = { ...nameOrder(reset), transactions: txIds.length }
    const notes = [{ type: 'lane.cancelling', cause: 'operator', detail }]
    const answer = { id: reset.id, state: 'CANCELLING', refusal: null, txIds } as const
    return asStorable({ ...emptyWrite(lease), notes, reset: answer }, ledger)
  }

  function assess(next: RequestDraft, view: ChainView): void {
    const at = clock.now()
    for (const { id, inclusion } of next.list()) {
      if (inclusion === null) continue
      const { blockHash } = inclusion
      const status = assessInclusion(inclusion, view, ports.finality())
      if (status.type === 'reorged') next.apply(id, { type: 'inclusion.reorged', at, blockHash })
      if (status.type === 'unknown') ports.lookUp(id)
      if (status.type === 'final') next.apply(id, { type: 'finality.reached', at, blockHash })
    }
  }

  /** True where the chain must be asked first. What it has used, but not finally, waits for the next block. */
  function lapse(next: RequestDraft, head: number | null, sent: ReadonlySet<number>): boolean {
    let waits = false
    const seen = findAnchored()
    const isOver = (each: OpenReservation) => awaitsYield(each) || isLapsed(each, (nonce) => sent.has(nonce))
    for (const reservation of next.list().filter(isOver)) {
      if (reservation.nonce !== null && seen === null) {
        // Until a block is followed there is nothing to ask at; the first one wakes the lane.
        waits ||= head !== null && head !== unsettledAt
        continue
      }
      const at = clock.now()
      const { latest, final } = seen ?? { latest: 0, final: null }
      const isFree = awaitsYield(reservation) && reservation.nonce !== null && latest <= reservation.nonce
      const event = isFree
        ? ({ type: 'reservation.yielded', at, latestCount: latest } as const)
        : ({ type: 'reservation.lapsed', at, latestCount: latest, finalCount: final } as const)
      if (!next.apply(reservation.id, event)) unsettledAt = head
    }
    return waits
  }

  function raiseAlarms(next: RequestDraft, ledger: Ledger, { slots, policy, movingSince }: DecideContext): void {
    const { stuckAfterMs } = policy
    const highestSent = findHighest({ inFlight: ledger.inFlight.values(), reserved: [] })
    const scene = { stuckAfterMs, movingSince, isFull: slots <= 0, highestSent }
    const at = clock.now()
    for (const { id, cause } of alarms.find(next.list(), scene))
      next.apply(id, { type: 'reservation.alarmed', at, cause })
    cancelAlarm()
    const times = next.list().flatMap((each) => alarmDueAt(each, scene) ?? [])
    const later = times.filter((time) => time > at)
    if (later.length > 0) cancelAlarm = wakeAt(Math.min(...later), 'tick')
  }

  function wakeAt(time: number, type: 'tick' | 'asked'): () => void {
    const delayMs = Math.max(LATE_MS, time - clock.now() + LATE_MS)
    return clock.schedule(Math.min(delayMs, 2 ** 31 - 1), () => ports.post({ type }))
  }

  function grantAll(next: RequestDraft, context: DecideContext, hasFree: boolean): boolean {
    const { slots, window, isPaused, followsChain } = context
    const { slotHeldUntil } = context.policy
    const chosen = chooseGrants(next.list(), { slots, window, slotHeldUntil, sharePercent: ports.sharePercent })
    if (isPaused || chosen.length === 0) return false
    if ((followsChain || hasFree) && counts === null) return true
    for (const id of chosen) next.grant(id, clock.now())
    return false
  }

  function askCounts(view: ChainView | null, sent: ReadonlySet<number>): void {
    if (counting) return
    counting = true
    readCounts(view, sent).then(
      (seen) => ports.post({ type: 'counts', counts: seen }),
      (error: unknown) => {
        counting = false
        telemetry.log('warn', 'could not read the transaction counts of an account; retrying', { ...fields, error })
        clock.schedule(ports.retryMs, () => ports.post({ type: 'asked' }))
      },
    )
  }

  function tellNote({ type, cause, detail }: HistoryNote): void {
    telemetry.count('drover_reservations_total', { event: type })
    if (type !== 'reservation.stuck') return
    telemetry.count('drover_alarms_total', { cause: `reservation_${cause}` })
    telemetry.log('warn', 'a reserved nonce blocks a signer', { ...fields, cause, ...detail })
  }

  async function readCounts(view: ChainView | null, sent: ReadonlySet<number>): Promise<CountsSince> {
    const { signer } = lease.lane
    const height = view === null ? null : finalHeight(view, ports.finality())
    const isOver = (each: OpenReservation) => awaitsYield(each) || isLapsed(each, (nonce) => sent.has(nonce))
    const [latest, atHead, pending, final] = await Promise.all([
      ports.chain.getTransactionCount(signer, 'latest'),
      // At the very height that is followed: a node that is behind cannot answer, instead of answering with the past.
      view === null ? 0 : ports.chain.getTransactionCount(signer, view.head.number),
      ports.chain.getTransactionCount(signer, 'pending'),
      height !== null && height >= 0 && [...open.values()].some(isOver)
        ? ports.chain.getTransactionCount(signer, height)
        : null,
    ])
    return { latest: Math.max(latest, atHead), pending, final, head: view?.head.number ?? null }
  }

  return {
    refresh,
    forget: () => {
      isRead = false
      // The cycle that was to take the answer may have broken.
      counting = false
    },
    take,
    decide,
    stored: () => {
      if (draft === null) return
      for (const note of draft.toWrite(lease).notes) tellNote(note)
      settle(settleReservations(draft), resets)
      draft = null
    },
    filled: (nonce) => {
      const filled = [...open.values()].find((each) => each.nonce === nonce && each.yieldedAt !== null)
      if (filled !== undefined) events.push({ id: filled.id, event: { type: 'nonce.lost', at: clock.now(), nonce } })
    },
    held: () => held,
    cancelling: () => resets.find(({ state }) => state === 'CANCELLING') ?? null,
    stop: () => {
      isStopped = true
      cancelTimer()
      cancelAlarm()
    },
  }
}

function listNonces({ inFlight }: Ledger): ReadonlySet<number> {
  return new Set([...inFlight.values()].map(({ nonce }) => nonce))
}

function nameOrder({ id, actor, reason }: NonceReset) {
  return { resetId: id, actor, reason }
}

function asStorable(write: LaneWrite, after: Ledger): Storable {
  return { toWrite: () => write, settle: () => after, changed: () => [], effects: () => [] }
}
