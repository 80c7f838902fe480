/**
 * The proof that a nonce is finally used: which transaction used it, in a block that is canonical and final by the rule
 * that applies to a loss, with the blocks on top of it. Nothing less may end a transaction or send it under another
 * nonce.
 */
import { assessInclusion, type ChainView, type Finality } from '../../core/chain/finality.ts'
import type { NonceProof } from '../../core/lane/nonce-user.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import { readConfirmations } from '../follow/read-confirmations.ts'
import { findNonceUse, type NonceReads, type SuspectedNonce } from './find-nonce-use.ts'

export type ProvedUse =
  | { readonly type: 'ours' | 'foreign'; readonly proof: NonceProof }
  /** Known, and not final yet. */
  | { readonly type: 'waiting' }
  | { readonly type: 'absent' | 'unproved'; readonly reason: string }

export interface ProofRequest extends Omit<SuspectedNonce, 'height'> {
  readonly view: ChainView
  readonly finality: Finality
}

type ProofReads = NonceReads & Pick<Chain, 'getBlock' | 'getTags'>

export async function proveNonceUse(chain: ProofReads, request: ProofRequest): Promise<ProvedUse> {
  const { view, finality } = request
  const use = await findNonceUse(chain, { ...request, height: view.head.number })
  if (use.type === 'unproved' || use.type === 'absent') return use
  const { inclusion } = use.user
  const at = { number: inclusion.blockNumber, hash: inclusion.blockHash }
  try {
    const canonical = view.header(at.number) ?? (await chain.getBlock(at.number))
    const header = (number: number) => (number === at.number ? canonical : view.header(number))
    const reaching = { ...view, ...(await readTag(chain, view, finality)), header }
    const status = assessInclusion(inclusion, reaching, finality)
    if (status.type !== 'final') return { type: 'waiting' }
    const confirmations = await readConfirmations(chain, at, { view, finality })
    return confirmations === null ? { type: 'waiting' } : { type: use.type, proof: { user: use.user, confirmations } }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    return { type: 'unproved', reason: error.message }
  }
}

/** A node reads tags only for what it follows itself, and an operator may ask any node about any transaction. */
async function readTag(
  chain: ProofReads,
  view: ChainView,
  { type }: Finality,
): Promise<Partial<Pick<ChainView, 'safe' | 'finalized'>>> {
  return type === 'confirmations' || view[type] !== null ? {} : await chain.getTags()
}
