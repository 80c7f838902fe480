/** The parts of a lane write in memory that are about the lane itself: reserved nonces, resets, health. */
import { isInFlight } from '../../core/transaction/transaction.ts'
import type { ReservationSave } from '../../ports/lane-requests.ts'
import type { LaneHealth, LaneWrite } from '../../ports/lane-write.ts'
import { findLaneTimes, later } from '../../store/rules/lane-times.ts'
import { freeze } from './freeze.ts'
import { openReservations } from './memory-requests.ts'
import type { MemoryLane, MemoryState } from './memory-state.ts'

export function isOpen(lane: MemoryLane, { before, reservation }: ReservationSave): boolean {
  const stored = lane.reservations.get(reservation.id)?.reservation
  return stored !== undefined && stored.version === before.version && stored.finalAt === null
}

/** Whatever the holder said of it stays as it is. */
export function storeReservation(state: MemoryState, lane: MemoryLane, { reservation, locks }: ReservationSave): void {
  const row = lane.reservations.get(reservation.id)
  if (row === undefined) throw new Error(`reservation ${reservation.id} vanished`)
  const before = row.reservation
  const { nonce, inclusion, result, reservedAt, minedAt, finalAt, alarm, yieldedAt } = freeze(reservation)
  row.reservation = {
    ...before,
    state: reservation.state,
    nonce,
    inclusion,
    result,
    reservedAt,
    minedAt,
    finalAt,
    alarm,
    yieldedAt,
    version: before.version + 1,
    lockedUntil: locks ? state.now() + before.ttlMs : before.lockedUntil,
  }
}

/** It is not answered yet, and nothing that is alive sits where the cursor would come again. */
export function isResetPossible(lane: MemoryLane, { cursor, reset }: LaneWrite): boolean {
  if (reset === null) return true
  if (!lane.resets.some(({ id, answeredAt }) => id === reset.id && answeredAt === null)) return false
  if (cursor === null) return true
  const isAbove = (nonce: number | null) => nonce !== null && nonce >= cursor.next
  const live = [...lane.transactions.values()].map(({ tx }) => tx).filter(isInFlight)
  return !live.some((tx) => isAbove(tx.nonce)) && !openReservations(lane).some(({ nonce }) => isAbove(nonce))
}

export function answerReset(state: MemoryState, lane: MemoryLane, { cursor, reset }: LaneWrite): void {
  const index = lane.resets.findIndex(({ id, answeredAt }) => id === reset?.id && answeredAt === null)
  const asked = lane.resets[index]
  if (reset === null || asked === undefined) return
  const nonces = cursor && { fromNonce: cursor.expected, toNonce: cursor.next }
  const isOver = reset.state !== 'CANCELLING'
  const txIds = isOver ? asked.txIds : freeze(reset.txIds)
  const { refusal } = reset
  lane.resets[index] = {
    ...asked,
    state: reset.state,
    refusal,
    txIds,
    answeredAt: isOver ? state.now() : null,
    ...nonces,
  }
  if (cursor === null) return
  for (const mark of [...lane.nonces.values()]) {
    if (mark.nonce >= cursor.next) lane.nonces.delete(mark.nonce)
    else if (mark.status === 'RECYCLABLE') lane.nonces.set(mark.nonce, { ...mark, status: 'USED' })
  }
}

export function seeHealth(health: LaneHealth, write: LaneWrite): LaneHealth {
  const { minedAt, confirmedAt, signedAt } = findLaneTimes(write)
  return {
    lastNonceMovementAt: later(health.lastNonceMovementAt, minedAt),
    lastConfirmationAt: later(health.lastConfirmationAt, confirmedAt),
    lastSignedAt: later(health.lastSignedAt ?? null, signedAt),
    balance: freeze(write.balance ?? health.balance),
    counts: freeze(write.counts ?? health.counts),
    window: write.window ?? health.window,
    txCost: write.txCost ?? health.txCost,
    problems: freeze(write.problems ?? health.problems),
  }
}
