/**
 * Finds the transaction that used a nonce, and whether its bytes are ours. A node that does not know a hash proves
 * nothing: indexes are pruned and lost. The account's count at past heights leads to the one block that moved it past
 * the nonce, and that block holds the transaction. This takes few requests, because the search first reaches back in
 * growing steps and then halves. It runs only when a count says that a nonce in flight is used.
 */
import type { Address, Hash } from '../../core/hex.ts'
import type { NonceUser } from '../../core/lane/nonce-user.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'

export type NonceUse =
  | { readonly type: 'ours' | 'foreign'; readonly user: NonceUser }
  /** The block that should hold it does not. */
  | { readonly type: 'absent'; readonly reason: string }
  /** The nodes cannot answer, for example because they no longer have the state of that time, or they disagree. */
  | { readonly type: 'unproved'; readonly reason: string }

export interface SuspectedNonce {
  readonly address: Address
  readonly nonce: number
  /** Hashes of every attempt at it. */
  readonly hashes: readonly Hash[]
  /** Where the account's count is past the nonce. */
  readonly height: number
  /** The block that is reported to hold its user: then no search is needed. */
  readonly knownAt?: number
}

export type NonceReads = Pick<Chain, 'findNonceUser' | 'getTransactionCount'>

export async function findNonceUse(chain: NonceReads, suspected: SuspectedNonce): Promise<NonceUse> {
  try {
    const height = suspected.knownAt ?? (await findHeight(chain, suspected))
    if (height === null)
      return { type: 'unproved', reason: 'the transaction count is not above the nonce at any block' }
    return await identify(chain, suspected, height)
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    return { type: 'unproved', reason: error.message }
  }
}

async function identify(
  chain: NonceReads,
  { address, nonce, hashes }: SuspectedNonce,
  height: number,
): Promise<NonceUse> {
  const user = await chain.findNonceUser(height, address, nonce)
  if (user === null) return { type: 'absent', reason: `block ${height} includes no transaction with this nonce` }
  return { type: hashes.includes(user.inclusion.txHash) ? 'ours' : 'foreign', user }
}

/**
 * The lowest height at which the count is past the nonce; null if there is no height below it. Nodes drop old state: a
 * step back that goes too far is halved until it ends at a height that they still have.
 */
async function findHeight(chain: NonceReads, { address, nonce, height }: SuspectedNonce): Promise<number | null> {
  const isPast = async (at: number) => (await chain.getTransactionCount(address, at)) > nonce
  if (!(await isPast(height))) return null
  let past = height
  let notPast: number | null = null
  /** The highest height without state, so far. */
  let gone: { readonly height: number; readonly error: ChainUnavailable } | null = null
  for (let step = 1; past - (notPast ?? gone?.height ?? -1) > 1; step *= 2) {
    const below: number | null = notPast ?? gone?.height ?? null
    const at: number = below === null ? Math.max(0, past - step) : Math.floor((past + below) / 2)
    try {
      if (await isPast(at)) past = at
      else notPast = at
    } catch (error) {
      // Where older state is there, this is another failure.
      if (!(error instanceof ChainUnavailable) || notPast !== null) throw error
      gone = { height: at, error }
    }
  }
  if (notPast !== null) return past
  if (gone !== null) throw gone.error
  return null
}
