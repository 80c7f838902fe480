/**
 * The foreign transaction that used a nonce of ours, and what it means for the transaction that had the nonce. Only its
 * effect counts: the same call with the same value, mined after ours was accepted, is what the caller asked for, no
 * matter who signed it. Anything else is not, whatever an operator says.
 */
import { formatAmount } from '../amount.ts'
import type { Confirmation, Inclusion } from '../chain/finality.ts'
import type { Address, Hex } from '../hex.ts'
import { findAttempt, type InFlight } from '../transaction/transaction.ts'

export interface NonceUser {
  readonly chainId: number
  readonly from: Address
  readonly nonce: number
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  /** A plain call: it carries no blobs and delegates no account. */
  readonly isPlain: boolean
  /** The time of its block, in milliseconds since the epoch. */
  readonly minedAt: number
  readonly inclusion: Inclusion
}

/** A nonce user that is final, with the blocks on top of it. */
export interface NonceProof {
  readonly user: NonceUser
  readonly confirmations: readonly Confirmation[]
}

/**
 * `same`: it did what ours was meant to do. `earlier`: the nonce was used before ours took it, so it was not taken from
 * us. `stranger`: it is not about this nonce at all.
 */
export type NonceVerdict = 'ours' | 'same' | 'other' | 'earlier' | 'stranger'

/** Blocks carry whole seconds, set by the block producer: a nonce counts as used before only with a clear margin. */
const CLOCK_DOUBT_MS = 30_000

export function judgeNonceUser(tx: InFlight, user: NonceUser): NonceVerdict {
  const { lane } = tx.intent
  if (user.chainId !== lane.chainId || user.from !== lane.signer || user.nonce !== tx.nonce) return 'stranger'
  if (findAttempt(tx, user.inclusion.txHash) !== null) return 'ours'
  if (user.minedAt + CLOCK_DOUBT_MS < tx.allocatedAt) return 'earlier'
  return hasSameEffect(tx, user) && !isTooEarly(tx, user) ? 'same' : 'other'
}

/** A payment made before the request arrived cannot be the requested one. */
function isTooEarly({ createdAt }: InFlight, { minedAt }: NonceUser): boolean {
  return minedAt < Math.floor(createdAt / 1_000) * 1_000
}

function hasSameEffect({ intent }: InFlight, { isPlain, to, value, data }: NonceUser): boolean {
  return isPlain && to === intent.to && value === intent.value && data.toLowerCase() === intent.data.toLowerCase()
}

/**
 * It did the same, at about the time of the request or later. Clocks differ, so it may be what the request asked for even
 * if it seems too early.
 */
export function mayBeRequested(tx: InFlight, user: NonceUser): boolean {
  return hasSameEffect(tx, user) && user.minedAt + CLOCK_DOUBT_MS >= tx.createdAt
}

/** Why a foreign transaction does not count as the one that was asked for. */
export function describeDifference(tx: InFlight, user: NonceUser): string {
  if (!hasSameEffect(tx, user)) return 'That is not what this transaction does'
  const since = isTooEarly(tx, user)
    ? 'its block is older than the request'
    : 'it was mined before this one got the nonce'
  return `It does the same as this transaction, but ${since}`
}

export function describeNonceUser({ nonce, to, data, value, inclusion }: NonceUser): string {
  const target = to === null ? 'deploys a contract' : `sends ${formatAmount(value)} to ${to}`
  const call = to === null || data === '0x' ? '' : ` with ${(data.length - 2) / 2} bytes of data`
  return `nonce ${nonce} was used by ${inclusion.txHash}, which Drover did not sign and which ${target}${call}`
}
