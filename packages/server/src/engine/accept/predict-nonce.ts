/** The nonce that a transaction accepted now would get if nothing intervenes: those queued before it go first. */
import type { AccountCount } from '../../ports/chain.ts'
import type { NonceLine } from '../../ports/lane-queue.ts'
import { findUsable, firstNonce } from '../gaps/free-nonces.ts'

export function predictNonce(line: NonceLine, counts: AccountCount | null, externalUse: boolean): number {
  const usable = findUsable(line.recyclable, counts)
  const next = firstNonce(line.cursor, counts, externalUse)
  return usable[line.queued] ?? next + line.queued - usable.length
}

/** Whether the chain must be queried. If not, the store alone knows. */
export function needsCounts({ cursor, recyclable }: NonceLine, externalUse: boolean): boolean {
  return cursor === null || externalUse || recyclable.length > 0
}
