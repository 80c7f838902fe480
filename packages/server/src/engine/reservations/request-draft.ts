/** The answers that a lane's owner is about to give to requests: stored in one fenced write, like any draft. */
import type { Lease } from '../../core/lane/lane.ts'
import { moveReservation, type ReservationEvent, type ReservationId } from '../../core/lane/reservation.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import type { OpenReservation, ReservationSave } from '../../ports/lane-requests.ts'
import type { LaneWrite, NonceMark } from '../../ports/lane-write.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { Ledger } from '../lane/ledger.ts'

/** The part of a draft that storing it needs. */
export type Storable = Pick<LaneDraft, 'toWrite' | 'settle' | 'changed' | 'effects'>

export interface RequestDraft extends Storable {
  /** False: the event changes nothing. */
  apply(id: ReservationId, event: ReservationEvent): boolean
  /** The lowest nonce that can be reserved now: a free one, or the cursor. */
  grant(id: ReservationId, at: number): void
  /** Every open reservation as it would be after this draft. */
  list(): readonly OpenReservation[]
  /** Those that this draft changes. */
  changedIds(): ReadonlySet<ReservationId>
}

interface DraftContext {
  readonly ledger: Ledger
  readonly open: ReadonlyMap<ReservationId, OpenReservation>
  /** Returned nonces that the chain has not used, lowest first. */
  readonly free: readonly number[]
  readonly firstNonce: number
}

export function createRequestDraft({ ledger, open, free, firstNonce }: DraftContext): RequestDraft {
  const now = new Map(open)
  const saves = new Map<ReservationId, ReservationSave>()
  const marks: NonceMark[] = []
  const notes: HistoryNote[] = []
  const usable = [...free]
  const taken = new Set<number>()
  const freed: number[] = []
  let cursor = ledger.cursor

  function apply(id: ReservationId, event: ReservationEvent): boolean {
    const before = now.get(id)
    const step = before && moveReservation(before, event)
    if (!step) return false
    const { reservation, mark, note } = step
    now.set(id, { ...before, ...reservation })
    const locks = event.type === 'reservation.granted' || (saves.get(id)?.locks ?? false)
    saves.set(id, { before: saves.get(id)?.before ?? before, reservation, locks })
    notes.push(note)
    if (mark !== null && reservation.nonce !== null) {
      const reservationId = mark === 'RECYCLABLE' || mark === 'YIELDED' ? null : id
      const status = mark === 'YIELDED' ? 'RESERVED' : mark
      marks.push({ nonce: reservation.nonce, status, txId: null, reservationId })
      if (mark === 'RECYCLABLE') freed.push(reservation.nonce)
    }
    return true
  }

  function grant(id: ReservationId, at: number): void {
    const nonce = usable[0] ?? Math.max(cursor ?? 0, firstNonce)
    if (!apply(id, { type: 'reservation.granted', at, nonce })) return
    if (nonce === usable[0]) {
      usable.shift()
      taken.add(nonce)
    } else cursor = nonce + 1
  }

  return {
    apply,
    grant,
    list: () => [...now.values()],
    changedIds: () => new Set(saves.keys()),
    toWrite: (lease) => ({
      ...emptyWrite(lease),
      cursor: cursor === ledger.cursor || cursor === null ? null : { expected: ledger.cursor, next: cursor },
      nonces: marks,
      notes,
      reservations: [...saves.values()],
    }),
    settle: () => ({
      ...ledger,
      cursor,
      recyclable: [...ledger.recyclable.filter((nonce) => !taken.has(nonce)), ...freed].sort((a, b) => a - b),
    }),
    changed: () => [],
    effects: () => [],
  }
}

export function emptyWrite(lease: Lease): LaneWrite {
  return { lease, cursor: null, saves: [], nonces: [], notes: [], reservations: [], reset: null, balance: null }
}

/** The reservations still open once a draft is stored: the same as a read of the store, except for the locks. */
export function settleReservations(draft: RequestDraft): readonly OpenReservation[] {
  const changed = draft.changedIds()
  return draft
    .list()
    .filter(({ finalAt }) => finalAt === null)
    .map((open) => (changed.has(open.id) ? { ...open, version: open.version + 1 } : open))
}
