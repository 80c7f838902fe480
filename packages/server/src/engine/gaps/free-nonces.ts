/**
 * Which returned nonces may be given out. A free nonce below the chain's count is used by a foreign transaction, and
 * one below the pending count is about to be: neither is touched. A free nonce below one in flight is a gap, which
 * nothing above it can pass. A free nonce above all of them is simply the next one to take.
 */

import type { Queued } from '../../core/transaction/transaction.ts'
import type { AccountCount } from '../../ports/chain.ts'
import type { AccountCounts } from '../chain-counts/read-counts.ts'

/** It lost a nonce to another transaction before: the cursor may be behind the chain. */
export function hasHadNonce({ attempts }: Pick<Queued, 'attempts'>): boolean {
  return attempts.length > 0
}

/** The cursor decides, or the chain if there is no cursor yet or someone else used the key or may use it. */
export function firstNonce(cursor: number | null, counts: AccountCount | null, followsChain: boolean): number {
  if (cursor === null) return counts?.pending ?? 0
  return followsChain && counts !== null ? Math.max(cursor, counts.pending) : cursor
}

/** Lowest first. */
export function findUsable(recyclable: readonly number[], counts: AccountCount | null): number[] {
  const from = counts === null ? 0 : Math.max(counts.latest, counts.pending)
  return recyclable.filter((nonce) => nonce >= from).sort((a, b) => a - b)
}

export function findGaps(
  recyclable: readonly number[],
  counts: AccountCount | null,
  highest: number | null,
): readonly number[] {
  return highest === null ? [] : findUsable(recyclable, counts).filter((nonce) => nonce < highest)
}

/** A block that may still leave the chain would undo the use of a nonce: until it is final, the nonce is skipped. */
export function findUsed(recyclable: readonly number[], { final }: AccountCounts): readonly number[] {
  return final === null ? [] : recyclable.filter((nonce) => nonce < final)
}
