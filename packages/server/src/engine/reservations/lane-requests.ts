/**
 * Requests to a lane's owner: nonces for callers that sign themselves, and resets of the cursor. Any node accepts such
 * a request and stores it. Only the owner answers, in its cycles and under its fence, because nonces come from one
 * cursor.
 *
 * The owner reads the rows when it is notified, when a lock runs out, and after every load. Between two readings only
 * the owner and the holders change them, and each write is bound to a version. What a decision needs from the chain is
 * queried outside the cycles and returns as a signal: the account's counts, which show whether a nonce whose lock ran
 * out was used after all, and whose transaction a holder reported.
 */

import type { ChainView, Finality } from '../../core/chain/finality.ts'
import type { Lease } from '../../core/lane/lane.ts'
import type { NonceReset } from '../../core/lane/nonce-reset.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { ReservationEvent, ReservationId } from '../../core/lane/reservation.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { findGaps, findUsable } from '../gaps/free-nonces.ts'
import { findHighest } from '../lane/lane-room.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import type { Ledger } from '../lane/ledger.ts'
import { answerReset, isResetDue } from './answer-reset.ts'
import { chooseGrants } from './choose-grants.ts'
import type { KeptSince } from './kept-waiting.ts'
import { createNamedInclusions } from './named-inclusions.ts'
import { isLocked, type ReservedNonce, toReservedNonce } from './open-reservation.ts'
import { createRequestCounts } from './request-counts.ts'
import { createRequestDraft, type RequestDraft, type Storable, settleReservations } from './request-draft.ts'
import { createReservationAlarms } from './reservation-alarms.ts'
import { assessReservations, isOver, lapseReservations } from './settle-reservations.ts'
import { createTurns, type Turns } from './take-turns.ts'

export interface LaneRequests {
  /** Reads the requests, if they may have changed. Throws StoreUnavailable. */
  refresh(): Promise<void>
  /** Forgets what was read: the next refresh reads again. */
  forget(): void
  /** Takes what concerns requests out of a cycle's signals. */
  take(signals: readonly LaneSignal[]): void
  /** The next answer that can be stored; null if there is none, or if the chain must be queried first. */
  decide(ledger: Ledger, context: DecideContext): Storable | null
  /** The answer that was decided last is stored. */
  stored(): void
  /** The empty transaction that took this nonce from its holder is final. */
  filled(nonce: number): void
  held(): readonly ReservedNonce[]
  /** A pass of the queue has returned while there was room: whose turn is it? */
  readonly queuePassed: Turns['queuePassed']
  /** Callers wait for a nonce. */
  isAsked(): boolean
  /** No request is open. */
  isIdle(): boolean
  /** Slots that the queue leaves free: they are granted as soon as the account's counts have arrived. */
  slotsKept(): number
  /** The unfinished order that cancels everything in flight: no nonce is given out meanwhile. Null if there is none. */
  cancelling(): NonceReset | null
  stop(): void
}

export interface DecideContext {
  /** How many more nonces may be outstanding, and how many at once. */
  readonly slots: number
  readonly window: number
  /** There may be a transaction in the queue that can go. */
  readonly queueWaits: boolean
  /** Since when reservations have kept others waiting; null: nobody waits. */
  readonly waiting: KeptSince | null
  /** Since when the chain makes blocks without a break; null while it does not. */
  readonly movingSince: number | null
  readonly isPaused: boolean
  readonly policy: Policy
  /** The cursor alone does not give the next nonce: there is none yet, or someone else uses the key too. */
  readonly followsChain: boolean
  readonly view: ChainView | null
}

interface Ports {
  readonly lease: Lease
  readonly store: Pick<Store, 'readLaneRequests'>
  readonly chain: Pick<Chain, 'getTransactionCount' | 'findTransaction' | 'findTransactionsAnywhere'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly retryMs: number
  /** One tenant's share of the window. */
  readonly sharePercent: number
  finality(): Finality
  watch(reservations: readonly OpenReservation[]): void
  lookUp(id: ReservationId): void
  post(signal: LaneSignal): void
}

/** The local clock may be ahead of the database's, and only the database decides that a lock has run out. */
const LATE_MS = 50

export function createLaneRequests(ports: Ports): LaneRequests {
  const { lease, store, clock, telemetry } = ports
  const { lane } = lease
  let open: ReadonlyMap<ReservationId, OpenReservation> = new Map()
  let resets: readonly NonceReset[] = []
  let held: readonly ReservedNonce[] = []
  let isRead = false
  let isStopped = false
  /** The height at which some lapsed nonce was found used, but not yet final. */
  let unsettledAt: number | null = null
  let events: { readonly id: ReservationId; readonly event: ReservationEvent }[] = []
  let draft: RequestDraft | null = null
  /** Grants that wait for the counts of the account. */
  let grantsDue = 0
  /** The tenants that the draft grants nonces to. */
  let granting: readonly string[] = []
  const turns = createTurns()
  const counts = createRequestCounts({ ...ports, lane })
  const named = createNamedInclusions({ ...ports, lane })
  const alarms = createReservationAlarms({ ...ports, lane, wake: () => ports.post({ type: 'tick' }) })
  let cancelTimer = (): void => {}
  let cancelAlarm = (): void => {}

  async function refresh(): Promise<void> {
    if (isRead) return
    isRead = true
    const asked = await store.readLaneRequests(lane).catch((error: unknown) => {
      isRead = false
      throw error
    })
    settle(asked.reservations, asked.resets)
  }

  function settle(reservations: readonly OpenReservation[], unanswered: readonly NonceReset[]): void {
    // Read while the lane was being stopped: another node may run it by now and watch its transactions.
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
    if (locks.length > 0) cancelTimer = wakeAt(Math.min(...locks), 'asked')
  }

  function take(signals: readonly LaneSignal[]): void {
    const at = clock.now()
    for (const signal of signals) {
      if (signal.type === 'asked') isRead = false
      if (signal.type === 'counts') counts.set(signal.counts)
      if (signal.type === 'inclusions') {
        for (const { txId, inclusion } of signal.inclusions) {
          const reservation = open.get(txId)
          if (reservation !== undefined && named.accept(reservation, inclusion))
            events.push({ id: txId, event: { type: 'inclusion.seen', at, inclusion } })
        }
      }
      if (signal.type === 'withdrawn' && open.has(signal.txId))
        events.push({ id: signal.txId, event: { type: 'inclusion.reorged', at, blockHash: signal.blockHash } })
      if (signal.type === 'deep' && open.has(signal.txId))
        events.push({ id: signal.txId, event: { type: 'finality.reached', at, blockHash: signal.blockHash } })
      if (signal.type === 'nonce.lost' && open.has(signal.txId))
        events.push({ id: signal.txId, event: { type: 'nonce.lost', at, nonce: signal.nonce } })
    }
  }

  function decide(ledger: Ledger, context: DecideContext): Storable | null {
    if (open.size === 0 && resets.length === 0) {
      // The request that needed them is gone, and the next one needs fresh counts.
      counts.clear()
      grantsDue = 0
      return null
    }
    return decideReset(ledger, context) ?? decideReservations(ledger, context)
  }

  function decideReset(ledger: Ledger, { policy }: DecideContext): Storable | null {
    const latestCount = counts.anchored()?.latest ?? null
    const answered = answerReset(resets, { lease, ledger, reservations: [...open.values()], policy, latestCount })
    if (answered === null) return null
    // A reset that cancels first is not finished: it continues with the same counts.
    if (answered.resets.length < resets.length) counts.clear()
    resets = answered.resets
    draft = null
    return answered.answer
  }

  function decideReservations(ledger: Ledger, context: DecideContext): Storable | null {
    const { view, policy } = context
    const seen = counts.current()
    const next = createRequestDraft({
      ledger,
      open,
      free: seen === null ? [] : findUsable(ledger.recyclable, seen),
      firstNonce: context.followsChain ? (seen?.pending ?? 0) : 0,
    })
    for (const { id, event } of events) next.apply(id, event)
    events = []
    const at = clock.now()
    if (view !== null) assessReservations(next, { view, finality: ports.finality(), at, lookUp: ports.lookUp })
    const sent = new Set([...ledger.inFlight.values()].map(({ nonce }) => nonce))
    const head = view?.head.number ?? null
    const wasUnsettledAt = unsettledAt
    const lapsed = lapseReservations(next, { counts: counts.anchored(), sent, at })
    if (lapsed.isUnsettled) unsettledAt = head
    raiseAlarms(next, context)
    // Until a block is followed there is no height to query at: the first block wakes the lane. So does the next block,
    // if a nonce is used but not yet final.
    const lapseNeeds = lapsed.needsCounts && head !== null && head !== wasUnsettledAt
    grantsDue = grantAll(next, context, ledger)
    const reservations = [...open.values()]
    const resetNeeds =
      view !== null && counts.anchored() === null && isResetDue(resets, { lease, ledger, reservations, policy })
    counts.clear()
    if (lapseNeeds || grantsDue > 0 || resetNeeds)
      counts.ask(
        view,
        reservations.some((each) => isOver(each, sent)),
      )
    draft = next.changedIds().size === 0 ? null : next
    return draft
  }

  function raiseAlarms(next: RequestDraft, { policy, movingSince, waiting }: DecideContext): void {
    const scene = { stuckAfterMs: policy.stuckAfterMs, movingSince, waiting }
    const at = clock.now()
    for (const { id, cause } of alarms.find(next.list(), scene))
      next.apply(id, { type: 'reservation.alarmed', at, cause })
    cancelAlarm()
    const dueAt = alarms.nextDueAt(next.list(), scene)
    if (dueAt !== null) cancelAlarm = wakeAt(dueAt, 'tick')
  }

  function wakeAt(time: number, type: 'tick' | 'asked'): () => void {
    const delayMs = Math.max(LATE_MS, time - clock.now() + LATE_MS)
    return clock.schedule(Math.min(delayMs, 2 ** 31 - 1), () => ports.post({ type }))
  }

  /** Returns how many have to wait for the counts of the account. */
  function grantAll(next: RequestDraft, context: DecideContext, { unmined, recyclable }: Ledger): number {
    const { window, queueWaits, isPaused, followsChain } = context
    granting = []
    if (isPaused) return 0
    const [gap = null] = findGaps(recyclable, null, findHighest({ unmined: unmined.values(), reserved: [] }))
    const slots = turns.forCallers({ slots: Math.max(0, context.slots), queueWaits, gap })
    const { slotHeldUntil } = context.policy
    const room = { slots, window, slotHeldUntil, sharePercent: ports.sharePercent, served: turns.served() }
    const chosen = chooseGrants(next.list(), room)
    if ((followsChain || recyclable.length > 0) && counts.current() === null) return chosen.length
    for (const id of chosen) next.grant(id, clock.now())
    granting = chosen.flatMap((id) => open.get(id)?.tenant ?? [])
    return 0
  }

  function logNote({ type, cause, detail }: HistoryNote): void {
    telemetry.count('drover_reservations_total', { event: type })
    if (type !== 'reservation.stuck') return
    telemetry.count('drover_alarms_total', { cause: `reservation_${cause}` })
    const { chainId, signer } = lane
    telemetry.log('warn', 'a reserved nonce blocks a signer', { chainId, signer, cause, ...detail })
  }

  return {
    refresh,
    forget: () => {
      isRead = false
      counts.forgetAsked()
    },
    take,
    decide,
    stored: () => {
      if (draft === null) return
      turns.granted(granting)
      for (const note of draft.toWrite(lease).notes) logNote(note)
      settle(settleReservations(draft), resets)
      draft = null
    },
    filled: (nonce) => {
      const filled = [...open.values()].find((each) => each.nonce === nonce && each.yieldedAt !== null)
      if (filled !== undefined) events.push({ id: filled.id, event: { type: 'nonce.lost', at: clock.now(), nonce } })
    },
    held: () => held,
    queuePassed: turns.queuePassed,
    isAsked: () => [...open.values()].some(({ state, isExpired }) => state === 'REQUESTED' && !isExpired),
    isIdle: () => isRead && open.size === 0 && resets.length === 0,
    slotsKept: () => (counts.areComing() ? grantsDue : 0),
    cancelling: () => resets.find(({ state }) => state === 'CANCELLING') ?? null,
    stop: () => {
      isStopped = true
      cancelTimer()
      cancelAlarm()
    },
  }
}
