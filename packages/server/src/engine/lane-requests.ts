/**
 * What others ask of a lane's owner: nonces to sign with themselves, and resets of the cursor. Any node takes such a
 * request and stores it; only the owner answers, in its cycles and under its fence, because nonces come from one cursor.
 *
 * The rows are read when the owner is told, when a lock runs out, and after every load; between two readings nobody but
 * the owner and the holders changes them, and each is held to its version when it is written. What a decision needs from
 * the chain is asked beside the cycles and comes back as a signal: the account's counts, which tell whether a nonce whose
 * lock ran out was used after all, and whose the transaction is that a holder named.
 */
import { assessInclusion, type ChainView, type Finality, finalHeight, type Inclusion } from '../core/finality.ts'
import type { Hash } from '../core/hex.ts'
import type { Lease } from '../core/lane.ts'
import { decideReset, type NonceReset } from '../core/nonce-reset.ts'
import type { ReservationEvent, ReservationId } from '../core/reservation.ts'
import type { InFlight } from '../core/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { OpenReservation } from '../ports/lane-requests.ts'
import type { LaneWrite, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type AccountCounts, findUsable } from './free-nonces.ts'
import type { Ledger } from './lane-draft.ts'
import type { LaneSignal } from './lane-runner.ts'
import { createNamedHashes } from './named-hashes.ts'
import {
  createRequestDraft,
  emptyWrite,
  type RequestDraft,
  type Storable,
  settleReservations,
} from './request-draft.ts'

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
  held(): readonly LentNonce[]
  stop(): void
}

/** A nonce that somebody else holds. */
export interface LentNonce {
  readonly nonce: number
  /** Its holder has named a transaction. */
  readonly isUsed: boolean
  /** When it did. */
  readonly usedAt: number | null
  readonly reservedAt: number | null
  readonly isMined: boolean
}

export interface DecideContext {
  /** How many more nonces may be out. */
  readonly slots: number
  readonly isPaused: boolean
  /** The cursor alone does not tell the next nonce: there is none yet, or somebody else uses the key too. */
  readonly followsChain: boolean
  readonly view: ChainView | null
}

interface Ports {
  readonly lease: Lease
  readonly store: Pick<Store, 'readLaneRequests'>
  readonly chain: Pick<Chain, 'getTransactionCount' | 'findTransaction'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly retryMs: number
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
  let held: readonly LentNonce[] = []
  let isRead = false
  let isStopped = false
  let counts: AccountCounts | null = null
  let counting = false
  /** The height at which some lapsed nonce was found used, but not finally. */
  let unsettledAt: number | null = null
  let events: { readonly id: ReservationId; readonly event: ReservationEvent }[] = []
  let draft: RequestDraft | null = null
  const putOff = new Map<Hash, Inclusion>()
  const named = createNamedHashes({ ...ports, lane: lease.lane, onVerdict: recheck })
  let cancelTimer = (): void => {}
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
    held = reservations.flatMap(toLentNonce)
    named.keepOnly(reservations)
    ports.watch(
      reservations.map((each) => ({ ...each, hashes: each.hashes.filter((hash) => !named.isWrong(each.id, hash)) })),
    )
    cancelTimer()
    const locks = reservations.filter(isLocked).map(({ lockedUntil }) => lockedUntil)
    if (locks.length === 0) return
    const delayMs = Math.max(LATE_MS, Math.min(...locks) - clock.now() + LATE_MS)
    cancelTimer = clock.schedule(Math.min(delayMs, 2 ** 31 - 1), () => ports.post({ type: 'asked' }))
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
    const reset = decideFirstReset(ledger, [...ledger.inFlight.values()])
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
    const asksChain = lapse(next, context.view?.head.number ?? null)
    const asksCount = grantAll(next, context, ledger.recyclable.length > 0)
    const needsReset = resets.length > 0 && counts === null
    counts = null
    if (asksChain || asksCount || needsReset) askCounts(context.view)
    draft = next.changedIds().size === 0 ? null : next
    return draft
  }

  function decideFirstReset(ledger: Ledger, inFlight: readonly InFlight[]): Storable | null {
    const [reset] = resets
    if (reset === undefined || counts === null) return null
    const verdict = decideReset(counts.latest, { inFlight, reservations: [...open.values()] })
    resets = resets.slice(1)
    counts = null
    draft = null
    const by = { resetId: reset.id, actor: reset.actor, reason: reset.reason }
    if (verdict.type === 'refused') {
      const notes = [{ type: 'cursor.reset_refused', cause: 'operator', detail: { ...by, why: verdict.why } }]
      const answer = { id: reset.id, state: 'REFUSED', refusal: verdict.why } as const
      return asStorable({ ...emptyWrite(lease), notes, reset: answer }, ledger)
    }
    const { next } = verdict
    const notes = [{ type: 'cursor.reset', cause: 'operator', detail: { ...by, before: ledger.cursor, after: next } }]
    const answer = { id: reset.id, state: 'DONE', refusal: null } as const
    const write = { ...emptyWrite(lease), cursor: { expected: ledger.cursor, next }, notes, reset: answer }
    return asStorable(write, { ...ledger, cursor: next, recyclable: [] })
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
  function lapse(next: RequestDraft, head: number | null): boolean {
    let waits = false
    for (const reservation of next.list().filter(isLapsed)) {
      if (reservation.nonce !== null && counts === null) {
        waits ||= head === null || head !== unsettledAt
        continue
      }
      const { latest, final } = counts ?? { latest: 0, final: null }
      const event = { type: 'reservation.lapsed', at: clock.now(), latestCount: latest, finalCount: final } as const
      if (!next.apply(reservation.id, event)) unsettledAt = head
    }
    return waits
  }

  function grantAll(next: RequestDraft, context: DecideContext, hasFree: boolean): boolean {
    const { slots, isPaused, followsChain } = context
    const waiting = next.list().filter(({ state, isExpired }) => state === 'REQUESTED' && !isExpired)
    if (isPaused || slots <= 0 || waiting.length === 0) return false
    if ((followsChain || hasFree) && counts === null) return true
    for (const { id } of waiting.slice(0, slots)) next.grant(id, clock.now())
    return false
  }

  function askCounts(view: ChainView | null): void {
    if (counting) return
    counting = true
    readCounts(view).then(
      (seen) => ports.post({ type: 'counts', counts: seen }),
      (error: unknown) => {
        counting = false
        telemetry.log('warn', 'the counts of an account could not be read; trying again', { ...fields, error })
        clock.schedule(ports.retryMs, () => ports.post({ type: 'asked' }))
      },
    )
  }

  async function readCounts(view: ChainView | null): Promise<AccountCounts> {
    const { signer } = lease.lane
    const height = view === null ? null : finalHeight(view, ports.finality())
    const [latest, atHead, pending, final] = await Promise.all([
      ports.chain.getTransactionCount(signer, 'latest'),
      // At the very height that is followed: a node that is behind cannot answer, instead of answering with the past.
      view === null ? 0 : ports.chain.getTransactionCount(signer, view.head.number),
      ports.chain.getTransactionCount(signer, 'pending'),
      height !== null && height >= 0 && [...open.values()].some(isLapsed)
        ? ports.chain.getTransactionCount(signer, height)
        : null,
    ])
    return { latest: Math.max(latest, atHead), pending, final }
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
      for (const { type } of draft.toWrite(lease).notes) telemetry.count('drover_reservations_total', { event: type })
      settle(settleReservations(draft), resets)
      draft = null
    },
    held: () => held,
    stop: () => {
      isStopped = true
      cancelTimer()
    },
  }
}

function toLentNonce({ nonce, state, usedAt, reservedAt, inclusion }: OpenReservation): readonly LentNonce[] {
  return nonce === null ? [] : [{ nonce, isUsed: state === 'USED', usedAt, reservedAt, isMined: inclusion !== null }]
}

function isLocked({ state, isExpired }: OpenReservation): boolean {
  return (state === 'REQUESTED' || state === 'RESERVED') && !isExpired
}

/** Over for its holder: its lock has run out, or it was given back. */
function isLapsed({ state, isExpired, finalAt }: OpenReservation): boolean {
  if (finalAt !== null) return false
  return state === 'RELEASED' || (isExpired && (state === 'REQUESTED' || state === 'RESERVED'))
}

function asStorable(write: LaneWrite, after: Ledger): Storable {
  return { toWrite: () => write, settle: () => after, changed: () => [], effects: () => [] }
}
