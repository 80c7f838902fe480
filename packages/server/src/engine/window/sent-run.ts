/** The unmined nonces of a lane, from the lowest up to the first gap: those that a node's pending count can cover. */
import type { Hash } from '../../core/hex.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { type InFlight, newestAttempt } from '../../core/transaction/transaction.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface SentRun {
  readonly lowest: number
  /** The last of them that was sent to a node. */
  readonly highest: number
  readonly hashes: readonly [Hash, Hash]
}

/** In nonce order. */
export function listUnmined(draft: LaneDraft): readonly InFlight[] {
  return draft.unmined().filter(awaitsBlock)
}

/** Null if the lowest is not out. `before`: bytes given up as missing from there on do not count as sent. */
export function findSentRun(unmined: readonly InFlight[], before: number | null): SentRun | null {
  const first = unmined[0]
  let last: InFlight | null = null
  for (const tx of unmined) {
    const follows = last === null || tx.nonce === last.nonce + 1
    if (!follows || !isOut(tx) || (before !== null && tx.nonce >= before)) break
    last = tx
  }
  const hashes = [first, last].map((tx) => (tx ? newestAttempt(tx)?.hash : undefined))
  const [lowestHash, highestHash] = hashes
  if (first === undefined || last === null || lowestHash === undefined || highestHash === undefined) return null
  return { lowest: first.nonce, highest: last.nonce, hashes: [lowestHash, highestHash] }
}

/** A node has answered for it and did not refuse. */
export function isOut(tx: InFlight): boolean {
  return tx.state !== 'ALLOCATED' && !tx.suspended && tx.submittedAt !== null && tx.refusals === 0
}
