/** When a lane last signed, last saw the chain take one of its nonces, and last saw one of them final, by one write. */
import type { LaneWrite } from '../../ports/lane-write.ts'

export interface LaneTimes {
  readonly minedAt: number | null
  /** Only for transactions that ended on chain. */
  readonly confirmedAt: number | null
  readonly signedAt: number | null
}

export function findLaneTimes({ saves, reservations }: Pick<LaneWrite, 'saves' | 'reservations'>): LaneTimes {
  let minedAt: number | null = null
  let confirmedAt: number | null = null
  let signedAt: number | null = null
  for (const { tx, before } of saves)
    for (const { createdAt } of tx.attempts.slice(before.attemptCount)) signedAt = later(signedAt, createdAt)
  for (const moved of [...saves.map(({ tx }) => tx), ...reservations.map(({ reservation }) => reservation)]) {
    if (!('inclusion' in moved) || moved.inclusion === null) continue
    minedAt = later(minedAt, moved.minedAt)
    if ('finalAt' in moved) confirmedAt = later(confirmedAt, moved.finalAt)
  }
  return { minedAt, confirmedAt, signedAt }
}

export function later(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.max(one, other)
}
