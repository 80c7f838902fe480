/**
 * Raises an alarm when a reservation needs attention. A holder that disappears leaves its nonce blocking the whole
 * signer. An unused nonce comes back by itself, but one whose holder reported a transaction does so only if that is
 * mined. After `stuckAfter` on a chain that makes blocks, Drover checks outside the cycles whether any RPC node knows
 * that transaction, and whether anything waits for it.
 */
import type { Lane } from '../../core/lane/lane.ts'
import type { ReservationAlarm, ReservationId } from '../../core/lane/reservation.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { findUnknown } from './find-unknown.ts'

export interface AlarmScene {
  readonly stuckAfterMs: number
  /** Since when the chain makes blocks without a break; null while it does not: then no holder is blamed. */
  readonly movingSince: number | null
  /** No further nonce can be given out. */
  readonly isFull: boolean
  /** The highest nonce of the lane's own that is not mined yet; null if there is none. */
  readonly highestSent: number | null
}

export interface ReservationAlarms {
  /** Alarms to raise now. If something must be found out first, it queries that and wakes the lane with the answer. */
  find(open: readonly OpenReservation[], scene: AlarmScene): readonly Raised[]
}

interface Raised {
  readonly id: ReservationId
  readonly cause: ReservationAlarm
}

interface AlarmPorts {
  readonly chain: Pick<Chain, 'findTransactionsAnywhere'>
  readonly store: Pick<Store, 'readQueue'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

interface Look {
  readonly at: number
  /** The reservations that were checked, and with how many hashes: a new hash needs a new check. */
  readonly asked: ReadonlySet<string>
  /** Null: it could not be found out. */
  readonly unknown: ReadonlySet<ReservationId> | null
  readonly hasQueue: boolean
}

/** The result is checked again after this long. */
const LOOK_AGAIN_MS = 60_000

export function createReservationAlarms({ chain, store, clock, telemetry, lane, wake }: AlarmPorts): ReservationAlarms {
  let look: Look | null = null
  let looking = false

  async function ask(due: readonly OpenReservation[]): Promise<void> {
    const asked = new Set(due.map(nameQuestion))
    try {
      const [unknown, queue] = await Promise.all([findUnknown(chain, lane, due), store.readQueue(lane, 1)])
      look = { at: clock.now(), asked, unknown, hasQueue: queue.length > 0 }
    } catch (error) {
      look = { at: clock.now(), asked, unknown: null, hasQueue: false }
      telemetry.log('warn', 'could not check reserved nonces; retrying', { ...lane, error })
    }
  }

  function judge({ id, state, nonce }: OpenReservation, seen: Look, scene: AlarmScene): ReservationAlarm | null {
    if (seen.unknown?.has(id)) return 'unknown_hash'
    const isAhead = scene.highestSent !== null && nonce !== null && nonce < scene.highestSent
    if (seen.unknown === null || !(isAhead || (scene.isFull && seen.hasQueue))) return null
    return state === 'USED' ? 'not_mined' : 'not_used'
  }

  return {
    find: (open, scene) => {
      const now = clock.now()
      const due = open.filter((reservation) => {
        const at = alarmDueAt(reservation, scene)
        return at !== null && at <= now
      })
      if (due.length === 0) return []
      const seen = look
      const isFresh = seen !== null && now - seen.at < Math.min(LOOK_AGAIN_MS, scene.stuckAfterMs)
      if (seen !== null && isFresh && due.every((each) => seen.asked.has(nameQuestion(each)))) {
        return due.flatMap((reservation) => {
          const cause = judge(reservation, seen, scene)
          return cause === null ? [] : [{ id: reservation.id, cause }]
        })
      }
      if (!looking) {
        looking = true
        void ask(due).finally(() => {
          looking = false
          wake()
        })
      }
      return []
    },
  }
}

function nameQuestion({ id, hashes }: OpenReservation): string {
  return `${id}:${hashes.length}`
}

/** Null: there is no reason for an alarm, or one was already raised. */
export function alarmDueAt(
  reservation: OpenReservation,
  { stuckAfterMs, movingSince }: Pick<AlarmScene, 'stuckAfterMs' | 'movingSince'>,
): number | null {
  const { state, inclusion, finalAt, alarm, fillOrderedAt } = reservation
  if (finalAt !== null || inclusion !== null || alarm !== null || fillOrderedAt !== null || movingSince === null)
    return null
  const since = state === 'USED' ? reservation.usedAt : state === 'RESERVED' ? reservation.reservedAt : null
  return since === null ? null : Math.max(since, movingSince) + stuckAfterMs
}
