/** A transaction that may not be sent before a height or a time of its chain: it waits in the queue, and others go first. */
import { type ChainTime, isReached } from '../chain/chain-time.ts'
import { move, type Step, stay } from './step.ts'
import type { Intent, Queued } from './transaction.ts'

export const SCHEDULED = { subState: 'scheduled', error: null, retryAt: null, prepareFailures: 0 } as const

/** It has never had a nonce, so it may have to wait. The poll that releases it knows the chain. */
export function mayHaveToWait({ intent, attempts }: Pick<Queued, 'intent' | 'attempts'>): boolean {
  return intent.notBefore !== undefined && attempts.length === 0
}

/** Late or repeated, or seen by a node that is behind: nothing changes. */
export function release(tx: Queued, chain: ChainTime): Step {
  const { notBefore } = tx.intent
  if (tx.subState !== 'scheduled' || notBefore === undefined || !isReached(notBefore, chain)) return stay(tx)
  return move({ ...tx, subState: 'accepted' }, { type: 'schedule.reached', cause: null, detail: { ...chain } })
}

/** Not before its own deadline: it could never be sent. */
export function findImpossible({ notBefore, validUntil }: Pick<Intent, 'notBefore' | 'validUntil'>): string | null {
  if (notBefore === undefined || validUntil === null || !('timeMs' in notBefore)) return null
  return notBefore.timeMs < validUntil ? null : 'notBefore must be before validUntil.'
}
