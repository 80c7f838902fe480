/** Reads the transaction counts of an account in a way that a lagging node cannot make them too low. */
import type { Address } from '../../core/hex.ts'
import { type AccountCount, type Chain, ChainUnavailable } from '../../ports/chain.ts'

/** Also the count as of the latest final block; null if it was not read, or if no node has the state of that block. */
export interface AccountCounts extends AccountCount {
  readonly final: number | null
}

export interface CountsToRead {
  /** The followed head: no count is older than this block. Null: no block was seen, or older counts do no harm. */
  readonly head: number | null
  /** If no node has the state of the head, fail instead of using what the nodes call latest. */
  readonly mustHaveHead: boolean
  /** Otherwise only `pending` is read. */
  readonly latest: boolean
  /** The latest final block; null: its count is not needed. */
  readonly finalHeight: number | null
}

type CountReads = Pick<Chain, 'getTransactionCount'>

/** Throws ChainUnavailable. */
export async function readCounts(chain: CountReads, signer: Address, wanted: CountsToRead): Promise<AccountCounts> {
  const { head, mustHaveHead, finalHeight } = wanted
  const [pending, latest, atHead, final] = await Promise.all([
    chain.getTransactionCount(signer, 'pending'),
    wanted.latest ? chain.getTransactionCount(signer, 'latest') : 0,
    // By number: a node that is behind fails instead of answering with the past.
    head === null ? 0 : mustHaveHead ? chain.getTransactionCount(signer, head) : readAt(chain, signer, head),
    finalHeight === null || finalHeight < 0 ? null : readAt(chain, signer, finalHeight),
  ])
  const atLeast = atHead ?? 0
  return { pending: Math.max(pending, atLeast), latest: Math.max(latest, atLeast), final }
}

async function readAt(chain: CountReads, signer: Address, height: number): Promise<number | null> {
  return await chain.getTransactionCount(signer, height).catch((error: unknown) => {
    if (error instanceof ChainUnavailable) return null
    throw error
  })
}
