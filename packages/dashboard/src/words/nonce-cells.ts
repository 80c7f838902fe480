/** The nonces of a lane in a row: what is done, what is under way, who holds which, and where there are gaps. */
import type { ListedReservation } from '../api/api-client.ts'
import type { LaneResource, TransactionResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { describeReservation } from './reservation-words.ts'
import { describeSubState, STATE_NAMES } from './state-words.ts'

export type CellKind =
  | 'done'
  /** Signed, and not known to any node. */
  | 'signed'
  | 'sent'
  /** In a block that is not final yet. */
  | 'mined'
  | 'stuck'
  | 'reserved'
  /** Given back, with nothing above it: the next transaction gets it. */
  | 'free'
  /** Unused, below one that was sent: everything above waits for it. */
  | 'gap'
  /** Will be given to what is queued. */
  | 'queued'
  | 'next'

export interface NonceCell {
  readonly nonce: number
  readonly kind: CellKind
  readonly text: string
  readonly transactionId: string | null
}

export interface NonceRow {
  readonly cells: readonly NonceCell[]
  /** Nonces between the first and the last that are not shown. */
  readonly hidden: number
}

type StripLane = Pick<LaneResource, 'nextNonce' | 'chain' | 'queued' | 'free'>

const DONE_SHOWN = 3
const QUEUED_SHOWN = 6
export const MAX_CELLS = 160

export function formNonceRow(
  lane: StripLane,
  inFlight: readonly TransactionResource[],
  reservations: readonly ListedReservation[],
): NonceRow {
  const next = lane.nextNonce ?? lane.chain?.latest ?? 0
  const byNonce = new Map(inFlight.flatMap((tx) => (tx.nonce === null ? [] : [[tx.nonce, tx] as const])))
  const held = new Map(reservations.flatMap((item) => (item.nonce === null ? [] : [[item.nonce, item] as const])))
  const lowest = Math.min(next, lane.chain?.latest ?? next, ...byNonce.keys(), ...held.keys())
  const end = next + Math.min(QUEUED_SHOWN, Math.max(1, lane.queued))
  const first = Math.max(0, lowest - DONE_SHOWN, end - MAX_CELLS)
  const cells = Array.from({ length: end - first }, (_, index) =>
    formCell(first + index, { lane, next, byNonce, held }),
  )
  return { cells, hidden: Math.max(0, first - Math.max(0, lowest - DONE_SHOWN)) }
}

interface Known {
  readonly lane: StripLane
  readonly next: number
  readonly byNonce: ReadonlyMap<number, TransactionResource>
  readonly held: ReadonlyMap<number, ListedReservation>
}

function formCell(nonce: number, { lane, next, byNonce, held }: Known): NonceCell {
  const tx = byNonce.get(nonce)
  if (tx !== undefined) return { nonce, kind: kindOf(tx), text: describeTx(tx), transactionId: tx.id }
  const item = held.get(nonce)
  if (item !== undefined) return { nonce, kind: 'reserved', text: describeHolder(item), transactionId: null }
  const plain = (kind: CellKind, text: string): NonceCell => ({ nonce, kind, text, transactionId: null })
  if (nonce < next) {
    if (!isUnused(nonce, lane)) return plain('done', 'final')
    const isBelow = [...byNonce.keys(), ...held.keys()].some((other) => other > nonce)
    return isBelow ? plain('gap', 'not used: all above wait for it') : plain('free', 'free: the next one gets it')
  }
  if (lane.queued === 0) return plain('next', 'next to be assigned')
  const beyond = lane.queued > QUEUED_SHOWN ? `, ${formatCount(lane.queued)} in all` : ''
  return plain('queued', `for a queued transaction${beyond}`)
}

/**
 * The count of the chain is read now and then, so a nonce above it may have become final since. Only where the service
 * knows of unused nonces is one of them called so.
 */
function isUnused(nonce: number, { chain, free }: StripLane): boolean {
  const isKnownUnused = free > 0 || (chain !== null && chain.drift > 0)
  return isKnownUnused && chain !== null && nonce >= chain.latest
}

function kindOf({ state, subState }: TransactionResource): CellKind {
  if (state === 'STUCK') return 'stuck'
  if (subState === 'mined') return 'mined'
  return state === 'ALLOCATED' ? 'signed' : 'sent'
}

function describeTx({ state, subState }: TransactionResource): string {
  return `${STATE_NAMES[state].toLowerCase()}, ${describeSubState(subState)}`
}

function describeHolder({ reservation }: ListedReservation): string {
  if (reservation === null) return 'held by another tenant'
  return `held by ${reservation.holder ?? 'a caller'}, ${describeReservation(reservation)}`
}
