/** Refuses a snapshot that no history could have left, naming what is wrong with it. */
import { type Hex, isCanonicalHex } from '../bytes/hex.ts'
import { isBigUint } from '../bytes/is-uint.ts'
import { U64_MAX } from '../bytes/limits.ts'
import { heightOfCursor } from '../state/cursors.ts'
import type { Timer } from '../state/timer.ts'
import type { OrderedMap } from '../tree/ordered-map.ts'
import { checkRecord } from './check-record.ts'
import type { TimerSnapshot } from './timer-snapshot.ts'

/** Checks of each list by itself. */
export function checkSnapshot(snapshot: TimerSnapshot): void {
  const { chainId, height, nextRank } = snapshot
  expectThat(isBigUint(chainId, U64_MAX), 'chainId must fit 64 bits')
  expectThat(isBigUint(height, U64_MAX), 'height must fit 64 bits')
  // One past the last rank, once all are used.
  expectThat(isBigUint(nextRank, U64_MAX + 1n), 'nextRank must fit 64 bits')
  for (const timer of snapshot.timers) checkRecord(timer)
  for (const [target, cursor] of snapshot.cursors) {
    const known = typeof cursor === 'bigint' && cursor > 0n && heightOfCursor(cursor) <= height
    expectThat(isCanonicalHex(target, 20) && known, `cursor of ${target} must be of a height up to ${height}`)
  }
  for (const [owner, counter] of snapshot.ownerCounters) {
    const fits = isCanonicalHex(owner, 20) && isBigUint(counter, U64_MAX + 1n)
    expectThat(fits, `counter of ${owner} must be a number of 64 bits`)
  }
  for (const [timerId, spent] of snapshot.nonces) {
    const fits = isCanonicalHex(timerId, 32) && (spent === null || isCanonicalHex(spent, 32))
    expectThat(fits, `nonce of ${timerId} must be null or a digest of 32 bytes`)
  }
  for (const { timerId, owner, target, height: gone } of snapshot.tombstones) {
    const fits = isCanonicalHex(timerId, 32) && isCanonicalHex(owner, 20) && isCanonicalHex(target, 20)
    expectThat(fits && isBigUint(gone, U64_MAX), `tombstone of ${timerId} must have an id, an owner and a target`)
  }
  for (const [key, since] of snapshot.carriedKeys) {
    expectThat(
      isCanonicalHex(key) && isBigUint(since, height),
      `carried key ${key} must wait since ${height} or before`,
    )
  }
  for (const target of snapshot.targets ?? []) {
    expectThat(isCanonicalHex(target, 20), `target ${target} must be 20 bytes in lower case`)
  }
}

/** Checks of the lists against each other. */
export function checkLinks(snapshot: TimerSnapshot, timers: OrderedMap<Hex, Timer>): void {
  for (const [timerId, spent] of snapshot.nonces) {
    expectThat((spent === null) === timers.has(timerId), `nonce of ${timerId} must be open exactly while it is live`)
  }
  for (const { timerId } of snapshot.tombstones) expectThat(!timers.has(timerId), `timer ${timerId} is live and gone`)
  for (const [timerId, height] of snapshot.isolated) {
    expectThat(isCanonicalHex(timerId, 32) && isBigUint(height, U64_MAX), `isolated ${timerId} must have a height`)
    expectThat(timers.has(timerId), `isolated timer ${timerId} is not live`)
  }
}

function expectThat(holds: boolean, problem: string): void {
  if (!holds) throw new RangeError(problem)
}
