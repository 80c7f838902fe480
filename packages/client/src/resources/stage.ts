/** How far a transaction has come, as callers wait for it. */

import type { Transaction } from '../generated/api-types.ts'
import { DroverError } from '../transport/drover-error.ts'

type Known<T, K extends keyof T> = T & { readonly [P in K]: NonNullable<T[P]> }

/** A transaction at each stage, with what is certain there. */
export interface Stages {
  /** A node of the chain has taken it. */
  readonly submitted: Known<Transaction, 'nonce' | 'hash'>
  /** In a block, and succeeded; a reorganisation can still undo it. */
  readonly mined: Known<Transaction, 'nonce' | 'hash' | 'receipt' | 'inclusion'>
  /** Succeeded for good: past the finality rule. */
  readonly confirmed: Known<Transaction, 'nonce' | 'hash' | 'receipt' | 'inclusion' | 'finalAt'>
}
export type Stage = keyof Stages

export function hasReached<S extends Stage>(tx: Transaction, stage: S): tx is Transaction & Stages[S] {
  if (tx.state === 'CANCELLED' || tx.state === 'EXPIRED' || tx.state === 'QUEUED') return false
  if (stage === 'submitted') return tx.submittedAt !== null || tx.inclusion !== null
  if (stage === 'mined') return tx.receipt?.status === 'success'
  return tx.state === 'CONFIRMED'
}

/** Why a stage will not be reached, as far as can be told now; null while it still may. */
export function findFailure(tx: Transaction, stage: Stage): DroverError | null {
  const reverted = tx.state === 'FAILED_FINAL' || (stage === 'mined' && tx.receipt?.status === 'reverted')
  if (reverted) return fail(tx, 'transaction_reverted', `It reverted in block ${tx.inclusion?.blockNumber}.`)
  switch (tx.state) {
    case 'CANCELLED':
      return fail(tx, 'transaction_cancelled', 'It was cancelled.')
    case 'EXPIRED':
      return fail(tx, 'transaction_expired', 'Its validUntil passed before it took a nonce.')
    case 'STUCK':
      return fail(tx, 'transaction_stuck', 'It cannot advance by itself; explain() says what can be done.')
    default:
      return null
  }
}

export function tookTooLong(tx: Transaction, stage: Stage, timeoutMs: number): DroverError {
  const detail = `Not ${stage} within ${timeoutMs} ms. It goes on; explain() says what it waits for.`
  return fail(tx, 'wait_timeout', detail)
}

function fail(tx: Transaction, code: string, said: string): DroverError {
  const why = tx.error === null ? '' : ` ${tx.error.message}`
  const detail = `Transaction ${tx.id} is ${tx.state} (${tx.subState}). ${said}${why}`
  return new DroverError({ code, detail, reason: tx.error?.reason, transaction: tx })
}
