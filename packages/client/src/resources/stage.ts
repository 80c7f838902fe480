/** The stages of a transaction that callers can wait for. */

import type { Transaction } from '../generated/api-types.ts'
import { assessStage, hasFailed, hasReached as hasReachedStage, type StageFacts } from '../generated/stage-table.ts'
import { DroverError } from '../transport/drover-error.ts'

type Known<T, K extends keyof T> = T & { readonly [P in K]: NonNullable<T[P]> }

/** A transaction at each stage, with what is certain there. */
export interface Stages {
  /** An RPC node has accepted it. */
  readonly submitted: Known<Transaction, 'nonce' | 'hash'>
  /** Mined, and succeeded; a reorg can still undo it. */
  readonly mined: Known<Transaction, 'nonce' | 'hash' | 'receipt' | 'inclusion'>
  /** Succeeded and final: past the finality rule. */
  readonly confirmed: Known<Transaction, 'nonce' | 'hash' | 'receipt' | 'inclusion' | 'finalAt'>
}
export type Stage = keyof Stages

/** Succeeded as far as the stage can tell: a reverted transaction is mined too, but a wait for it fails. */
export function hasReached<S extends Stage>(tx: Transaction, stage: S): tx is Transaction & Stages[S] {
  return assessWait(tx, stage) === 'reached'
}

/** The result of waiting for a stage. `failed` is not always permanent: a STUCK transaction may still be mined. */
export function assessWait(tx: Transaction, stage: Stage): 'reached' | 'failed' | 'waiting' {
  const facts = factsOf(tx)
  const progress = hasFailed(facts, stage) ? 'ended' : assessStage(facts, stage)
  return progress === 'ended' ? 'failed' : progress
}

/** What happened to it, whatever came of it: an empty transaction that cancelled it is mined and final too. */
export function hasPassed(tx: Transaction, stage: 'submitted' | 'mined' | 'final'): boolean {
  return hasReachedStage(factsOf(tx), stage)
}

function factsOf(tx: Transaction): StageFacts {
  const { state, attempts, submittedAt, inclusion, receipt } = tx
  const mined = inclusion === null || receipt === null ? null : receipt.status
  return { state, isSigned: attempts > 0, isSubmitted: submittedAt !== null, mined }
}

/** Why a stage will not be reached, as far as is known now; null while it still may be. */
export function findFailure(tx: Transaction, stage: Stage): DroverError | null {
  if (assessWait(tx, stage) !== 'failed') return null
  switch (tx.state) {
    case 'CANCELLED':
      return fail(tx, 'transaction_cancelled', 'It was cancelled.')
    case 'EXPIRED':
      return fail(tx, 'transaction_expired', 'Its validUntil passed before it took a nonce.')
    case 'STUCK':
      return fail(tx, 'transaction_stuck', 'It cannot advance by itself; explain() says what can be done.')
    default:
      return fail(tx, 'transaction_reverted', `It reverted in block ${tx.inclusion?.blockNumber}.`)
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
