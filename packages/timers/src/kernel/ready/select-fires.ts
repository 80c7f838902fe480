/** R19 to R21: walks candidates in (k, total order) and takes them until the quota is full or the lane stops. */

import { compareHex, type Hex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'
import { escrowOf, type Funds } from './escrow.ts'
import { type Eviction, evictionOf } from './eviction.ts'
import type { Ranked } from './ready-shard.ts'

export interface FireSelector {
  /** Takes, evicts or declines the next candidate; false when no later one can be taken. */
  offer(candidate: Ranked): boolean
  readonly fires: readonly Ranked[]
  readonly evictions: readonly Eviction[]
}

/**
 * Funds are looked at before the lane, so that a timer nobody pays for cannot stop the ones behind it; and the first
 * that does not fit the lane ends the block, so that large timers are not passed for ever.
 */
export function createFireSelector(params: TimerParams, funds: Funds | null): FireSelector {
  const fires: Ranked[] = []
  const evictions: Eviction[] = []
  const reserved = new Map<Hex, bigint>()
  let laneLeft = params.timerLaneCycles

  /** Null when the owner cannot pay. */
  function priceOf({ ready: { timer } }: Ranked): bigint | null {
    if (funds === null) return 0n
    const escrow = escrowOf(timer, funds, params)
    return escrow > funds.balanceOf(timer.owner) - (reserved.get(timer.owner) ?? 0n) ? null : escrow
  }

  return {
    fires,
    evictions,
    offer(candidate) {
      if (fires.length >= params.maxFiresPerBlock) return false
      const { timer } = candidate.ready
      const escrow = priceOf(candidate)
      if (escrow === null) {
        evictions.push(evictionOf(timer, 'owner_unfunded'))
        return true
      }
      if (timer.gasLimit > laneLeft) return false
      laneLeft -= timer.gasLimit
      if (escrow > 0n) reserved.set(timer.owner, (reserved.get(timer.owner) ?? 0n) + escrow)
      fires.push(candidate)
      return fires.length < params.maxFiresPerBlock
    },
  }
}

/** R22: the order in which the selected lie in the mailbox. */
export function compareMailboxOrder(a: Ranked, b: Ranked): number {
  if (a.ready.bucket !== b.ready.bucket) return a.ready.bucket - b.ready.bucket
  if (a.k !== b.k) return a.k - b.k
  if (a.cursor !== b.cursor) return a.cursor < b.cursor ? -1 : 1
  const x = a.ready.timer
  const y = b.ready.timer
  if (x.fifoRank !== y.fifoRank) return x.fifoRank < y.fifoRank ? -1 : 1
  return compareHex(x.timerId, y.timerId)
}
