/** The end of what is finished in the in-memory store. It has no timers and no webhooks of its own to ask. */
import { laneKey } from '../../core/lane/lane.ts'
import type { Reservation } from '../../core/lane/reservation.ts'
import { isTerminal, type TxId } from '../../core/transaction/transaction.ts'
import type { RetentionStore } from '../../ports/retention-store.ts'
import { forgetMemoryRequest, type MemoryState } from './memory-state.ts'

export function createMemoryRetention(state: MemoryState): RetentionStore {
  function deleteOne(id: TxId): void {
    const lane = state.laneOf.get(id)
    const row = lane?.transactions.get(id)
    for (const { hash } of row?.tx.attempts ?? []) state.hashes.delete(hash)
    lane?.transactions.delete(id)
    state.laneOf.delete(id)
    state.deleted.add(id)
  }

  return {
    retireTransactions: async ({ finalForMs, after, limit, onlyArchived = false }) => {
      const before = state.now() - finalForMs
      const rows = [...state.lanes.values()].flatMap(({ transactions }) => [...transactions.values()])
      const looked = rows
        .filter(({ acceptedSeq }) => acceptedSeq > after)
        .sort((a, b) => a.acceptedSeq - b.acceptedSeq)
        .slice(0, limit)
      const isDue = ({ tx }: (typeof looked)[number]) =>
        isTerminal(tx) && tx.finalAt < before && !state.retired.has(tx.id)
      // Nothing is ever archived from memory.
      const due = onlyArchived ? [] : looked.filter(isDue)
      for (const { tx, tenant } of due) {
        const { lane, requestId, requestDigest } = tx.intent
        state.retired.set(tx.id, { lane, tenant, requestId, requestDigest, retiredAt: state.now(), deletedAt: null })
      }
      const isFull = looked.filter(({ tx }) => tx.createdAt < before).length === limit
      return { count: due.length, next: isFull ? (looked.at(-1)?.acceptedSeq ?? null) : null }
    },
    deleteRetired: async (retiredForMs, limit) => {
      const due = [...state.retired]
        .filter(([, { retiredAt, deletedAt }]) => deletedAt === null && retiredAt <= state.now() - retiredForMs)
        .slice(0, limit)
      for (const [id, entry] of due) {
        deleteOne(id)
        if (entry.requestId === null) state.retired.delete(id)
        else entry.deletedAt = state.now()
      }
      return due.length
    },
    forgetRequests: async (deletedForMs, limit) => {
      const due = [...state.retired]
        .filter(([, { deletedAt }]) => deletedAt !== null && deletedAt <= state.now() - deletedForMs)
        .slice(0, limit)
      for (const [id, { lane, tenant, requestId }] of due) {
        state.retired.delete(id)
        if (requestId !== null) forgetMemoryRequest(state.lanes.get(laneKey(lane)), tenant, requestId)
      }
      return due.length
    },
    deleteReservations: async (finalForMs, limit) => {
      const before = state.now() - finalForMs
      const isOld = ({ finalAt }: Reservation) => finalAt !== null && finalAt <= before
      let count = 0
      for (const { reservations } of state.lanes.values()) {
        const all = [...reservations.values()].map(({ reservation }) => reservation)
        for (const each of all.filter(isOld)) {
          const together = all.filter((other) => other === each || isOfOneRequest(other, each))
          if (count >= limit || !together.every(isOld)) continue
          for (const { id } of together) if (reservations.delete(id)) count += 1
        }
      }
      return count
    },
    deleteLaneEvents: async (olderThanMs, limit, onlyArchived = false) => {
      if (onlyArchived) return 0
      const due = state.events
        .filter(({ txId, eventId, at }) => {
          return txId === null && at <= state.now() - olderThanMs && !state.deletedEvents.has(eventId)
        })
        .slice(0, limit)
      for (const { eventId } of due) state.deletedEvents.add(eventId)
      return due.length
    },
  }
}

function isOfOneRequest(one: Reservation, other: Reservation): boolean {
  return one.requestId !== null && one.requestId === other.requestId && one.tenant === other.tenant
}
