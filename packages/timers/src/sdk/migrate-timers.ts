/** The one-time migration of §17: stored timers by time become timers by height, marked by their version. */
import type { Hex } from '../kernel/bytes/hex.ts'
import { U32_MAX, U64_MAX } from '../kernel/bytes/limits.ts'
import { restoreTimers } from '../kernel/snapshot/restore-timers.ts'
import type { TimerSnapshot } from '../kernel/snapshot/timer-snapshot.ts'
import { TIMER_VERSION, type Timer } from '../kernel/state/timer.ts'
import type { TimerState } from '../kernel/state/timer-state.ts'
import { blocksInMs, type HeightClock } from './minutes.ts'

/** The version that time-typed records carry; the next one is the record of today. */
const TIME_VERSION = TIMER_VERSION - 1

/** A stored timer of the removed type; exactly one of the two time fields is set. */
export interface TimeTimer {
  readonly owner: Hex
  readonly target: Hex
  readonly timerId: Hex
  /** Unix seconds. */
  readonly dueTime?: bigint
  readonly everySecs?: bigint
  readonly payload: Hex
  readonly gasLimit: bigint
  readonly bidFp: bigint
  readonly fifoRank: bigint
  readonly fireSeq: number
  readonly version: number
}

export interface MigrationPoint extends HeightClock {
  /** The timestamp of the upgrade block, in unix seconds: chain data, not a clock. */
  readonly timestamp: bigint
}

export type Migration =
  | { readonly type: 'migrated'; readonly timer: Timer }
  | { readonly type: 'refused'; readonly timerId: Hex; readonly reason: 'unknown_version' | 'no_time' | 'out_of_range' }

/** Converts by τ once, with version + 1; what was already due comes due in the next block. */
export function migrateTimer(old: TimeTimer, at: MigrationPoint): Migration {
  const { dueTime, everySecs, version, ...rest } = old
  const { timerId } = old
  if (version !== TIME_VERSION) return { type: 'refused', timerId, reason: 'unknown_version' }
  const common = { ...rest, version: version + 1, createdHeight: at.height }
  if (everySecs !== undefined && dueTime === undefined) {
    if (everySecs <= 0n) return { type: 'refused', timerId, reason: 'out_of_range' }
    const blocks = blocksInMs(everySecs * 1_000n, at.blockTimeMs)
    const dueHeight = at.height + blocks
    if (blocks > BigInt(U32_MAX) || dueHeight > U64_MAX) return { type: 'refused', timerId, reason: 'out_of_range' }
    return {
      type: 'migrated',
      timer: { ...common, kind: 'INTERVAL', everyBlocks: Number(blocks), dueHeight, failures: 0 },
    }
  }
  if (dueTime === undefined || everySecs !== undefined) return { type: 'refused', timerId, reason: 'no_time' }
  const waitMs = dueTime > at.timestamp ? (dueTime - at.timestamp) * 1_000n : 0n
  const dueHeight = at.height + blocksInMs(waitMs, at.blockTimeMs)
  if (dueHeight > U64_MAX) return { type: 'refused', timerId, reason: 'out_of_range' }
  return { type: 'migrated', timer: { ...common, kind: 'HEIGHT', dueHeight } }
}

/** A whole state from before the upgrade: records by time among records of today. */
export type OldTimerSnapshot = Omit<TimerSnapshot, 'timers'> & { readonly timers: readonly (Timer | TimeTimer)[] }

export type StateMigration =
  | { readonly type: 'migrated'; readonly state: TimerState; readonly migratedIds: readonly Hex[] }
  | { readonly type: 'refused'; readonly refusals: readonly Extract<Migration, { type: 'refused' }>[] }

/**
 * Migrates every record by time of a state, once, at the upgrade block. All or nothing: if one record cannot be
 * converted the whole list of such records comes back and no state, so that no timer is lost on the way.
 */
export function migrateTimers(old: OldTimerSnapshot, at: MigrationPoint): StateMigration {
  if (at.height < old.height) throw new RangeError(`cannot migrate a state of ${old.height} at ${at.height}`)
  const timers: Timer[] = []
  const migratedIds: Hex[] = []
  const refusals: Extract<Migration, { type: 'refused' }>[] = []
  for (const record of old.timers) {
    if ('kind' in record) {
      timers.push(record)
      continue
    }
    const migration = migrateTimer(record, at)
    if (migration.type === 'refused') {
      refusals.push(migration)
      continue
    }
    timers.push(migration.timer)
    migratedIds.push(migration.timer.timerId)
  }
  if (refusals.length > 0) return { type: 'refused', refusals }
  return { type: 'migrated', state: restoreTimers({ ...old, timers }), migratedIds }
}
