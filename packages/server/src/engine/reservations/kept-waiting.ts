/**
 * Since when reservations have kept others of a lane waiting without a break, whichever reservations they were: one that
 * takes the place of another does not start the time anew. Two can wait. A transaction that was sent waits for a lower
 * nonce, until it is no longer blocked. The queue waits for a place, until it gets one, or has no use for one. Neither
 * waits for a reservation above a transaction of the lane's own that no block includes: that one is the obstacle.
 */
import type { Lane } from '../../core/lane/lane.ts'
import type { LaneProblem } from '../../core/lane/lane-problem.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { isPreconfirmed } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { findLowestReserved } from '../lane/lane-room.ts'
import type { Ledger } from '../lane/ledger.ts'
import type { ReservedNonce } from './open-reservation.ts'

/** `nonce`: the lowest that is reserved now and not mined, or was until now and is about to be again. */
export interface KeptSince {
  readonly nonce: number
  readonly since: number
}

export interface KeptWaiting {
  /** What the last owner of the lane saw; only the first call counts. */
  recall(problems: readonly LaneProblem[]): void
  look(scene: WaitScene): void
  /** The queue has taken a place, or had room and nothing in it could go. */
  queuePassed(): void
  /** Null: nobody waits for a reservation. */
  find(): KeptSince | null
  /** When the wait that was found becomes too long; null if it is, or if there is none. */
  nextDueAt(stuckAfterMs: number): number | null
}

export interface WaitScene {
  readonly ledger: Pick<Ledger, 'unmined' | 'recyclable'>
  readonly reserved: readonly ReservedNonce[]
  /** Callers wait for a nonce. */
  readonly isAsked: boolean
  readonly slots: number
  /** There may be a transaction in the queue that can go. */
  readonly queueWaits: boolean
  readonly stuckAfterMs: number
}

interface WaitPorts {
  readonly store: Pick<Store, 'readQueue'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

/** The queue is read again after this long. */
const LOOK_AGAIN_MS = 60_000

export function createKeptWaiting({ store, clock, telemetry, lane, wake }: WaitPorts): KeptWaiting {
  let recalled: number | null | undefined
  /** The lowest sent transaction that was blocked when the wait began. */
  let sent: { readonly nonce: number; readonly since: number } | null = null
  /** Since when there is no place for the queue while reservations hold some. */
  let fullSince: number | null = null
  /** The first of the queue, and since when it is in it; null: the queue was empty. */
  let head: { readonly readAt: number; readonly since: number | null } | null = null
  let isReading = false
  let lowest: number | null = null
  /** Also for the moment in which it goes from one holder to the next. */
  let named: number | null = null

  /** The start of a wait: now, unless the last owner saw it already. */
  function begin(): number {
    return recalled ?? clock.now()
  }

  function lookAtSent(own: number | null, { recyclable }: WaitScene['ledger']): void {
    const isReserved = own !== null && lowest !== null && lowest < own
    const isFree = own !== null && recyclable.some((free) => free < own)
    if (own === null || !(isReserved || isFree)) sent = null
    else if (sent === null || own > sent.nonce) sent = isReserved ? { nonce: own, since: begin() } : null
  }

  function lookAtQueue(own: number | null, { slots, queueWaits, stuckAfterMs }: WaitScene): void {
    const isReservedFirst = lowest !== null && (own === null || lowest < own)
    if (slots > 0 ? !queueWaits : !isReservedFirst) fullSince = null
    else if (slots <= 0 && fullSince === null) {
      fullSince = begin()
      head = typeof recalled === 'number' ? { readAt: Number.NEGATIVE_INFINITY, since: recalled } : null
    }
    const now = clock.now()
    if (fullSince === null || fullSince + stuckAfterMs > now || isReading) return
    if (head !== null && now - head.readAt < Math.min(LOOK_AGAIN_MS, stuckAfterMs)) return
    isReading = true
    void readHead().finally(() => {
      isReading = false
      wake()
    })
  }

  async function readHead(): Promise<void> {
    try {
      const [first] = await store.readQueue(lane, 1)
      head = { readAt: clock.now(), since: first?.createdAt ?? null }
    } catch (error) {
      head = { readAt: clock.now(), since: head?.since ?? null }
      telemetry.log('warn', 'could not check who waits for reserved nonces; retrying', { ...lane, error })
    }
  }

  function queueSince(): number | null {
    if (fullSince === null || head === null || head.since === null) return null
    return Math.max(fullSince, head.since)
  }

  return {
    recall: (problems) => {
      if (recalled === undefined)
        recalled = problems.find(({ code }) => code === 'blocked_by_reservation')?.since ?? null
    },
    look: (scene) => {
      lowest = findLowestReserved(scene.reserved)
      named = lowest ?? (scene.isAsked ? named : null)
      const own = findLowestOwn(scene.ledger)
      lookAtSent(own, scene.ledger)
      lookAtQueue(own, scene)
      recalled = null
    },
    queuePassed: () => {
      fullSince = null
    },
    find: () => {
      const times = [sent?.since ?? null, queueSince()].filter((time) => time !== null)
      return named === null || times.length === 0 ? null : { nonce: named, since: Math.min(...times) }
    },
    nextDueAt: (stuckAfterMs) => {
      const times = [sent?.since ?? null, queueSince() ?? fullSince].filter((time) => time !== null)
      const later = times.map((time) => time + stuckAfterMs).filter((time) => time > clock.now())
      return later.length === 0 ? null : Math.min(...later)
    },
  }
}

/** The lowest nonce of the lane's own that waits for a block. One shown in a block being built counts as mined. */
function findLowestOwn({ unmined }: WaitScene['ledger']): number | null {
  for (const tx of unmined.values()) if (awaitsBlock(tx) && !isPreconfirmed(tx)) return tx.nonce
  return null
}
