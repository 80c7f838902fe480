/**
 * Tells when a reservation needs somebody to look at it. A holder that goes away leaves its nonce in the way of the whole
 * signer: one that was not used comes back by itself, but one whose holder named a transaction does so only if that is
 * mined. After `stuckAfter` of a chain that makes blocks it is found out, beside the cycles, whether any RPC node knows
 * that transaction, and whether anybody waits.
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
  /** Since when the chain makes blocks without a break; null while it does not: then nobody is blamed. */
  readonly movingSince: number | null
  /** No further nonce can be given out. */
  readonly isFull: boolean
  /** The highest nonce of the lane's own that is in no block; null where there is none. */
  readonly highestSent: number | null
}

export interface ReservationAlarms {
  /** Those to be raised now; asks where that has to be found out first, and wakes the lane with the answer. */
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
  /** Of which reservations, and with how many hashes: another hash is another question. */
  readonly asked: ReadonlySet<string>
  /** Null: it could not be found out. */
  readonly unknown: ReadonlySet<ReservationId> | null
  readonly hasQueue: boolean
}

/** What was found out is asked again after this long. */
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

/** Null: there is nothing to raise an alarm about, or one was raised. */
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
