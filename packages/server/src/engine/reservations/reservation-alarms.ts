/**
 * Raises an alarm when a reservation needs attention. A holder that disappears leaves its nonce blocking the whole
 * signer. An unused nonce comes back by itself, but one whose holder reported a transaction does so only if that is
 * mined: after `stuckAfter` on a chain that makes blocks, Drover checks outside the cycles whether any RPC node knows
 * that transaction. If reservations have kept others waiting for that long, the one that does so now is named, however
 * young it is.
 */
import type { Lane } from '../../core/lane/lane.ts'
import type { ReservationAlarm, ReservationId } from '../../core/lane/reservation.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { findUnknown } from './find-unknown.ts'
import type { KeptSince } from './kept-waiting.ts'

export interface AlarmScene {
  readonly stuckAfterMs: number
  /** Since when the chain makes blocks without a break; null while it does not: then no holder is blamed. */
  readonly movingSince: number | null
  /** Since when reservations have kept others waiting; null: nobody waits. */
  readonly waiting: KeptSince | null
}

export interface ReservationAlarms {
  /** Alarms to raise now. If something must be found out first, it queries that and wakes the lane with the answer. */
  find(open: readonly OpenReservation[], scene: AlarmScene): readonly Raised[]
  /** When the next alarm may be due; null: no time alone brings one. */
  nextDueAt(open: readonly OpenReservation[], scene: AlarmScene): number | null
}

interface Raised {
  readonly id: ReservationId
  readonly cause: ReservationAlarm
}

interface AlarmPorts {
  readonly chain: Pick<Chain, 'findTransactionsAnywhere'>
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
}

/** The result is checked again after this long. */
const LOOK_AGAIN_MS = 60_000

export function createReservationAlarms({ chain, clock, telemetry, lane, wake }: AlarmPorts): ReservationAlarms {
  let look: Look | null = null
  let looking = false
  /** The last nonce that was named for being unused: reservations that replace each other do not flood the events. */
  let named: { readonly id: ReservationId; readonly at: number } | null = null

  async function ask(due: readonly OpenReservation[]): Promise<void> {
    const asked = new Set(due.map(nameQuestion))
    try {
      look = { at: clock.now(), asked, unknown: await findUnknown(chain, lane, due) }
    } catch (error) {
      look = { at: clock.now(), asked, unknown: null }
      telemetry.log('warn', 'could not check reserved nonces; retrying', { ...lane, error })
    }
  }

  /** Null: there is no reason for an alarm, or one was already raised. */
  function dueAt(reservation: OpenReservation, { stuckAfterMs, movingSince, waiting }: AlarmScene): number | null {
    const { id, state, isExpired, nonce, inclusion, finalAt, alarm, fillOrderedAt, usedAt } = reservation
    if (finalAt !== null || inclusion !== null || alarm !== null || fillOrderedAt !== null || movingSince === null)
      return null
    if (state === 'USED') return usedAt === null ? null : Math.max(usedAt, movingSince) + stuckAfterMs
    if (state !== 'RESERVED' || isExpired || waiting === null || waiting.nonce !== nonce) return null
    const lastNamed = named === null || named.id === id ? 0 : named.at
    return Math.max(waiting.since, movingSince, lastNamed) + stuckAfterMs
  }

  function findUsed(used: readonly OpenReservation[], scene: AlarmScene): readonly Raised[] {
    if (used.length === 0) return []
    const now = clock.now()
    const seen = look
    const isFresh = seen !== null && now - seen.at < Math.min(LOOK_AGAIN_MS, scene.stuckAfterMs)
    if (seen !== null && isFresh && used.every((each) => seen.asked.has(nameQuestion(each)))) {
      const { waiting, stuckAfterMs, movingSince } = scene
      const hasWaited = waiting !== null && Math.max(waiting.since, movingSince ?? now) + stuckAfterMs <= now
      return used.flatMap(({ id, nonce }): readonly Raised[] => {
        if (seen.unknown?.has(id)) return [{ id, cause: 'unknown_hash' }]
        return seen.unknown !== null && hasWaited && waiting.nonce === nonce ? [{ id, cause: 'not_mined' }] : []
      })
    }
    if (!looking) {
      looking = true
      void ask(used).finally(() => {
        looking = false
        wake()
      })
    }
    return []
  }

  return {
    find: (open, scene) => {
      const now = clock.now()
      const due = open.filter((reservation) => {
        const at = dueAt(reservation, scene)
        return at !== null && at <= now
      })
      const unused = due.find(({ state }) => state === 'RESERVED')
      if (unused !== undefined) named = { id: unused.id, at: named?.id === unused.id ? named.at : now }
      const used = due.filter(({ state }) => state === 'USED')
      return [...findUsed(used, scene), ...(unused ? [{ id: unused.id, cause: 'not_used' } as const] : [])]
    },
    nextDueAt: (open, scene) => {
      const later = open.flatMap((each) => dueAt(each, scene) ?? []).filter((time) => time > clock.now())
      return later.length === 0 ? null : Math.min(...later)
    },
  }
}

function nameQuestion({ id, hashes }: OpenReservation): string {
  return `${id}:${hashes.length}`
}
