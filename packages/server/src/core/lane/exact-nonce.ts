/**
 * A nonce that the caller chose is kept exactly or refused: under another nonce, the transaction would be one that the
 * caller did not ask for, and a second one under the same nonce could never be mined.
 */
import type { Intent, TxError } from '../transaction/transaction.ts'

/** `too_low`: already taken. `too_high`: nonces below it are still to be given out. */
export type ExactNonce = 'fits' | 'too_low' | 'too_high'

interface NextNonces {
  /** The first nonce that was never given out. */
  readonly next: number
  /** Returned nonces that may be used, lowest first. They go before `next`. */
  readonly free: readonly number[]
}

export function judgeExactNonce({ exactNonce }: Pick<Intent, 'exactNonce'>, { next, free }: NextNonces): ExactNonce {
  if (exactNonce === undefined) return 'fits'
  if (exactNonce === (free[0] ?? next)) return 'fits'
  return exactNonce >= next || free.includes(exactNonce) ? 'too_high' : 'too_low'
}

/** In the words that nodes use, which libraries match on. */
export function describeExactNonce(verdict: Exclude<ExactNonce, 'fits'>, nonce: number, next: number): TxError {
  return verdict === 'too_low'
    ? {
        code: 'nonce_too_low',
        message: `nonce too low: next nonce ${next}, tx nonce ${nonce}; another transaction has this nonce. Leave nonce out, or call eth_getTransactionCount with "pending"`,
      }
    : {
        code: 'nonce_too_high',
        message: `nonce too high: next nonce ${next}, tx nonce ${nonce}; lower nonces are still unused. Send those first, or leave nonce out`,
      }
}
