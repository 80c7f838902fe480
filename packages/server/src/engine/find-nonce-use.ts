/**
 * Finds the block that used a nonce, and whether it did so with bytes of ours. What a node says about a hash proves
 * nothing when it does not know it: indexes are pruned and lost. The account's count at past heights leads to the one
 * block that moved it past the nonce, and the list of that block tells whether our bytes did. Few requests, since the
 * search first reaches back in growing steps and then halves; and only for what has been in doubt for long.
 */
import type { Address, Hash } from '../core/hex.ts'
import { type Block, type Chain, ChainUnavailable } from '../ports/chain.ts'

export type NonceUse =
  | { readonly type: 'ours'; readonly block: Block }
  | { readonly type: 'foreign'; readonly block: Block }
  /** The node cannot tell, for instance because it no longer has the state of that time. */
  | { readonly type: 'unproved'; readonly reason: string }

export interface SuspectedNonce {
  readonly address: Address
  readonly nonce: number
  /** Of every attempt at it. */
  readonly hashes: readonly Hash[]
  /** Where the account's count is past the nonce. */
  readonly height: number
}

type Reads = Pick<Chain, 'getBlock' | 'getTransactionCount'>

export async function findNonceUse(chain: Reads, suspected: SuspectedNonce): Promise<NonceUse> {
  try {
    const height = await findHeight(chain, suspected)
    if (height === null) return { type: 'unproved', reason: 'the count does not pass the nonce at any height' }
    const block = await chain.getBlock(height)
    if (block === null) return { type: 'unproved', reason: `the node does not have block ${height}` }
    const isOurs = block.txHashes.some((hash) => suspected.hashes.includes(hash))
    return { type: isOurs ? 'ours' : 'foreign', block }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    return { type: 'unproved', reason: error.message }
  }
}

/** The lowest height at which the count is past the nonce; null where there is no height below it. */
async function findHeight(chain: Reads, { address, nonce, height }: SuspectedNonce): Promise<number | null> {
  const isPast = async (at: number) => (await chain.getTransactionCount(address, at)) > nonce
  if (!(await isPast(height))) return null
  let past = height
  let notPast = height - 1
  for (let step = 2; notPast >= 0 && (await isPast(notPast)); step *= 2) {
    past = notPast
    notPast = past === 0 ? -1 : Math.max(0, past - step)
  }
  if (notPast < 0) return null
  while (past - notPast > 1) {
    const middle = Math.floor((past + notPast) / 2)
    if (await isPast(middle)) past = middle
    else notPast = middle
  }
  return past
}
