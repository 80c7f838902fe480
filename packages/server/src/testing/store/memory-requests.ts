/** Reservations and resets of the in-memory store: asked for, acted on by their holders, and found by the lane's owner. */
import { type Lane, laneKey } from '../../core/lane/lane.ts'
import { type NonceReset, toProgress } from '../../core/lane/nonce-reset.ts'
import {
  MAX_HASHES,
  MAX_OPEN_RESERVATIONS,
  noteReservation,
  type Reservation,
  type ReservationId,
} from '../../core/lane/reservation.ts'
import { isTerminal } from '../../core/transaction/transaction.ts'
import type {
  HolderAct,
  HolderOutcome,
  LaneRequestStore,
  LaneRequests,
  NewReservations,
  NewReset,
  ReservationFilter,
  ReservationOrder,
  ReserveOutcome,
} from '../../ports/lane-requests.ts'
import { freeze } from './freeze.ts'
import { appendLaneNotes } from './memory-events.ts'
import { heldBy } from './memory-leases.ts'
import { isRemoved, type MemoryLane, type MemoryReservation, type MemoryState, notify } from './memory-state.ts'

const ACT_NAMES = { use: 'used', extend: 'extended', release: 'released' } as const

export function createMemoryRequests(state: MemoryState): LaneRequestStore {
  return {
    insertReservations: async (request) => insert(state, request),
    findReservations: async (ids) => ids.map((id) => freeze(findReservation(state, id)?.row.reservation ?? null)),
    actOnReservation: async (id, lockOwner, act) => actOn(state, id, lockOwner, act),
    orderReservations: async (order) => carryOrder(state, order),
    insertReset: async (reset) => insertReset(state, reset),
    findReset: async (id) => {
      const all = [...state.lanes.values()].flatMap((lane) => lane.resets.map((reset) => withProgress(lane, reset)))
      return freeze(all.find((reset) => reset.id === id) ?? null)
    },
    listResets: async (wanted, limit) => {
      const lane = state.lanes.get(laneKey(wanted))
      const newest = lane?.resets.toReversed().slice(0, limit) ?? []
      return freeze(newest.map((reset) => (lane === undefined ? reset : withProgress(lane, reset))))
    },
    readLaneRequests: async (lane) => readRequests(state, lane),
    lanesAsked: async (nodeId) =>
      heldBy(state, nodeId)
        .filter((lane) => isAsked(state, lane))
        .map(({ lane }) => lane),
  }
}

function insert(state: MemoryState, request: NewReservations): ReserveOutcome {
  const { lane: wanted, items, ttlMs, label, requestId, tenant = '', key, most } = request
  const lane = state.lanes.get(laneKey(wanted))
  if (lane === undefined || isRemoved(lane)) return { type: 'unknown_signer' }
  const earlier = [...lane.reservations.values()].filter(
    (row) => requestId !== null && row.reservation.requestId === requestId && row.reservation.tenant === tenant,
  )
  if (earlier.length > 0) {
    return {
      type: 'existing',
      items: earlier.map((row) => ({ reservation: freeze(row.reservation), lockOwner: row.lockOwner })),
    }
  }
  const open = openReservations(lane)
  const own = open.filter((each) => each.tenant === tenant).length
  if (open.length + items.length > (most?.lane ?? MAX_OPEN_RESERVATIONS)) return { type: 'too_many' }
  if (own + items.length > (most?.tenant ?? MAX_OPEN_RESERVATIONS)) return { type: 'too_many' }
  const now = state.now()
  const reservations = items.map(({ id, lockOwner }): Reservation => {
    const reservation: Reservation = {
      id,
      lane: lane.lane,
      state: 'REQUESTED',
      version: 1,
      requestId,
      label,
      ttlMs,
      nonce: null,
      lockedUntil: now + ttlMs,
      hashes: [],
      inclusion: null,
      result: null,
      createdAt: now,
      tenant,
      keyId: key?.id ?? null,
      holder: key?.holder ?? null,
      alarm: null,
      fillOrderedAt: null,
      yieldedAt: null,
      reservedAt: null,
      usedAt: null,
      minedAt: null,
      finalAt: null,
    }
    lane.reservations.set(id, { reservation, lockOwner })
    return freeze(reservation)
  })
  notify(state, { type: 'lane.asked', lane: lane.lane })
  return { type: 'inserted', reservations }
}

function findReservation(
  state: MemoryState,
  id: ReservationId,
): { readonly lane: MemoryLane; readonly row: MemoryReservation } | null {
  for (const lane of state.lanes.values()) {
    const row = lane.reservations.get(id)
    if (row !== undefined) return { lane, row }
  }
  return null
}

function actOn(state: MemoryState, id: ReservationId, lockOwner: string, act: HolderAct): HolderOutcome | null {
  const found = findReservation(state, id)
  if (found === null) return null
  const { lane, row } = found
  if (row.lockOwner !== lockOwner) return { type: 'not_owner' }
  const before = row.reservation
  if (isRepeat(before, act)) return { type: 'done', reservation: freeze(before) }
  const isLate =
    before.state === 'EXPIRED' ||
    (['REQUESTED', 'RESERVED'].includes(before.state) && before.lockedUntil <= state.now())
  if (!isAllowed(before, act, isLate)) {
    return { type: isLate ? 'expired' : 'refused', reservation: freeze(before) }
  }
  row.reservation = { ...applyAct(before, act, state.now()), version: before.version + 1 }
  const { nonce } = row.reservation
  const isHeld = nonce !== null && lane.nonces.get(nonce)?.reservationId === id
  if (act.type === 'use' && isHeld) lane.nonces.set(nonce, { nonce, status: 'USED', txId: null, reservationId: id })
  const more = act.type === 'use' ? { hash: act.hash } : {}
  const until = act.type === 'extend' ? { lockedUntil: new Date(row.reservation.lockedUntil).toISOString() } : {}
  appendLaneNotes(state, lane.lane, null, [
    noteReservation(row.reservation, ACT_NAMES[act.type], null, { ...more, ...until }),
  ])
  notify(state, { type: 'lane.asked', lane: lane.lane })
  notify(state, { type: 'events.appended' })
  return { type: 'done', reservation: freeze(row.reservation) }
}

function isRepeat(reservation: Reservation, act: HolderAct): boolean {
  if (act.type === 'use') return reservation.hashes.includes(act.hash)
  return act.type === 'release' && reservation.state === 'RELEASED'
}

function isAllowed({ state, hashes, finalAt }: Reservation, act: HolderAct, isLate: boolean): boolean {
  if (finalAt !== null) return false
  switch (act.type) {
    case 'use':
      return (state === 'RESERVED' && !isLate) || (state === 'USED' && hashes.length < MAX_HASHES)
    case 'extend':
      return state === 'RESERVED' && !isLate
    case 'release':
      return state === 'REQUESTED' || state === 'RESERVED'
  }
}

function applyAct(reservation: Reservation, act: HolderAct, now: number): Reservation {
  switch (act.type) {
    case 'use':
      return {
        ...reservation,
        state: 'USED',
        hashes: [...reservation.hashes, act.hash],
        usedAt: reservation.usedAt ?? now,
        alarm: null,
      }
    case 'extend':
      return { ...reservation, ttlMs: act.ttlMs, lockedUntil: Math.max(reservation.lockedUntil, now + act.ttlMs) }
    case 'release':
      return { ...reservation, state: 'RELEASED' }
  }
}

function carryOrder(state: MemoryState, { type, filter, cause, by }: ReservationOrder): readonly Reservation[] {
  const changed: Reservation[] = []
  for (const lane of state.lanes.values()) {
    const chosen = [...lane.reservations.values()].filter(({ reservation }) => isOrdered(reservation, type, filter))
    for (const row of chosen) {
      const before = row.reservation
      const after = type === 'release' ? { state: 'RELEASED' as const } : { fillOrderedAt: state.now() }
      row.reservation = { ...before, ...after, version: before.version + 1 }
      changed.push(freeze(row.reservation))
      const name = type === 'release' ? 'released' : 'fill_ordered'
      appendLaneNotes(state, lane.lane, null, [noteReservation(row.reservation, name, cause, { ...by })])
    }
    if (chosen.length > 0) notify(state, { type: 'lane.asked', lane: lane.lane })
  }
  if (changed.length > 0) notify(state, { type: 'events.appended' })
  return changed
}

function isOrdered(reservation: Reservation, type: ReservationOrder['type'], filter: ReservationFilter): boolean {
  const { state, inclusion, finalAt, fillOrderedAt } = reservation
  const states = type === 'release' ? ['REQUESTED', 'RESERVED'] : ['RESERVED', 'USED']
  return (
    finalAt === null &&
    fillOrderedAt === null &&
    states.includes(state) &&
    (type === 'release' || inclusion === null) &&
    (filter.lane === undefined || laneKey(filter.lane) === laneKey(reservation.lane)) &&
    (filter.tenant === undefined || filter.tenant === reservation.tenant) &&
    (filter.keyId === undefined || filter.keyId === reservation.keyId) &&
    (filter.ids === undefined || filter.ids.includes(reservation.id))
  )
}

/** What became so far of the transactions that a reset cancels. */
function withProgress(lane: MemoryLane, reset: NonceReset): NonceReset {
  if (reset.txIds === null) return reset
  const found = reset.txIds.flatMap((id) => lane.transactions.get(id)?.tx ?? [])
  const cancelled = found.filter(({ state }) => state === 'CANCELLED').length
  const left = found.filter((tx) => !isTerminal(tx)).length
  return { ...reset, progress: toProgress(reset.txIds.length, { cancelled, left }) }
}

function insertReset(state: MemoryState, reset: NewReset): boolean {
  const lane = state.lanes.get(laneKey(reset.lane))
  if (lane === undefined) return false
  lane.resets.push({
    ...freeze(reset),
    state: 'REQUESTED',
    fromNonce: null,
    toNonce: null,
    refusal: null,
    requestedAt: state.now(),
    answeredAt: null,
    txIds: null,
    progress: null,
    cancelsFirst: reset.cancelsFirst ?? false,
  })
  notify(state, { type: 'lane.asked', lane: lane.lane })
  return true
}

function readRequests(state: MemoryState, wanted: Lane): LaneRequests {
  const lane = state.lanes.get(laneKey(wanted))
  if (lane === undefined) return { reservations: [], resets: [] }
  return freeze({
    reservations: openReservations(lane).map((reservation) => ({
      ...reservation,
      isExpired:
        reservation.lockedUntil <= state.now() ||
        (reservation.state === 'REQUESTED' && state.revokedKeys.has(reservation.keyId ?? '')),
    })),
    resets: lane.resets.filter(({ answeredAt }) => answeredAt === null),
  })
}

export function openReservations(lane: MemoryLane): readonly Reservation[] {
  return [...lane.reservations.values()].map((row) => row.reservation).filter(({ finalAt }) => finalAt === null)
}

function isAsked(state: MemoryState, lane: MemoryLane): boolean {
  return (
    lane.resets.some(({ state: asked }) => asked === 'REQUESTED') ||
    openReservations(lane).some(
      (open) =>
        open.state === 'REQUESTED' ||
        open.state === 'RELEASED' ||
        (open.fillOrderedAt !== null && open.yieldedAt === null) ||
        (open.state === 'RESERVED' && open.lockedUntil <= state.now()),
    )
  )
}
