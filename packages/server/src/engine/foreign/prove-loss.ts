/**
 * What must be true before an operator may resolve, requeue or close a transaction whose nonce another one used. It is
 * verified on the chain for each order: no claim is taken on trust. An order that does not match what the chain shows
 * is refused, and the refusal says which one does.
 */
import { AppError } from '../../core/app-error.ts'
import type { ChainView, Finality } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import { describeDifference, describeNonceUser, judgeNonceUser, type NonceProof } from '../../core/lane/nonce-user.ts'
import type { InFlight } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import { proveNonceUse } from './prove-nonce-use.ts'

export type LossAction = 'resolve' | 'requeue' | 'close'

interface LossOrder {
  readonly action: LossAction
  /** The transaction that an operator says used the nonce. */
  readonly hash?: Hash
  readonly view: ChainView
  readonly finality: Finality
}

type LossChain = Pick<Chain, 'findReceipts' | 'findNonceUser' | 'getTransactionCount' | 'getBlock' | 'getTags'>

/** Throws unless the order matches what the chain shows. */
export async function proveLoss(chain: LossChain, tx: InFlight, order: LossOrder): Promise<NonceProof> {
  const { action, hash, view, finality } = order
  const { signer: address } = tx.intent.lane
  const hashes = tx.attempts.filter(({ nonce }) => nonce === tx.nonce).map((attempt) => attempt.hash)
  const known = hash === undefined ? {} : { knownAt: await locate(chain, hash) }
  const use = await proveNonceUse(chain, { address, nonce: tx.nonce, hashes, view, finality, ...known })
  if (use.type === 'waiting')
    throw forbidden(action, `The transaction that used nonce ${tx.nonce} is not final yet. Wait until it is.`)
  if (use.type === 'absent' && hash !== undefined)
    throw forbidden(action, `${hash} did not use nonce ${tx.nonce} of ${address}.`)
  if ('reason' in use) throw unproved(tx, hash, use.reason)
  const { user } = use.proof
  if (hash !== undefined && user.inclusion.txHash !== hash)
    throw forbidden(action, `${hash} did not use nonce ${tx.nonce} of ${address}, ${user.inclusion.txHash} did.`)
  const why = refuse(tx, use.proof, action)
  if (why !== null) throw forbidden(action, why)
  return use.proof
}

/** Null: the order matches. */
function refuse(tx: InFlight, { user }: NonceProof, action: LossAction): string | null {
  const verdict = judgeNonceUser(tx, user)
  const isDone = verdict === 'same' || verdict === 'ours'
  if (action === 'resolve')
    return isDone ? null : `${capital(describeNonceUser(user))}. ${describeDifference(tx, user)}. Requeue or close it.`
  if (verdict === 'ours')
    return `${user.inclusion.txHash} is one of its own attempts. It moves on by itself, or you can resolve it.`
  return isDone ? `${user.inclusion.txHash} did the same as this transaction. Resolve it.` : null
}

async function locate(chain: LossChain, hash: Hash): Promise<number> {
  const [lookup] = await chain.findReceipts([hash])
  if (lookup?.type === 'found') return lookup.inclusion.blockNumber
  if (lookup?.type === 'missing') throw forbidden('resolve', `${hash} is not mined: the chain has no receipt for it.`)
  throw unreachable(lookup?.message ?? 'no answer')
}

function unproved(tx: InFlight, hash: Hash | undefined, reason: string): AppError {
  const message =
    hash === undefined
      ? `Drover cannot prove which transaction used nonce ${tx.nonce}, so nothing was changed. ${capital(reason)}.`
      : `Drover cannot prove that ${hash} used nonce ${tx.nonce}, so nothing was changed. ${capital(reason)}.`
  return new AppError('chain_unavailable', message)
}

function unreachable(reason: string): AppError {
  const cause = new ChainUnavailable(reason)
  return new AppError('chain_unavailable', 'No RPC node of the chain responds. Nothing was changed.', {}, { cause })
}

function forbidden(action: LossAction, message: string): AppError {
  return new AppError('action_forbidden', message, { action, ...(action === 'resolve' && { field: 'hash' }) })
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}
