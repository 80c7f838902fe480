/**
 * Which finality rule applies to what. A caller may choose a weak one for its own transaction: it decides how soon the
 * caller learns of the execution. But if the outcome is that its bytes can never be executed (an empty or foreign
 * transaction took the nonce), the signer's own rule has to hold as well: the same intent may be sent again under
 * another nonce, and a reorg that brings the first bytes back would execute it twice.
 */

import { findAttempt, type InFlight, type Intent, inclusionOf } from '../transaction/transaction.ts'
import type { Finality } from './finality.ts'

/** The rule that a transaction requests; without one, that of its signer or chain. */
export type FinalityOf = (intent: Pick<Intent, 'finality'>) => Finality

export function finalityOfInclusion(tx: InFlight, finalityOf: FinalityOf): Finality {
  const inclusion = inclusionOf(tx)
  const isEmpty = inclusion !== null && findAttempt(tx, inclusion.txHash)?.kind === 'cancel'
  return isEmpty ? finalityOfLoss(tx.intent, finalityOf) : finalityOf(tx.intent)
}

/** The rule that proves that none of its bytes can be mined under its nonce any more. */
export function finalityOfLoss(intent: Pick<Intent, 'finality'>, finalityOf: FinalityOf): Finality {
  return stricter(finalityOf(intent), finalityOf({ finality: null }))
}

const RANK: Readonly<Record<Finality['type'], number>> = { confirmations: 0, safe: 1, finalized: 2 }

/** A tag that the chain itself moves outranks a count of blocks. */
function stricter(one: Finality, other: Finality): Finality {
  if (one.type === 'confirmations' && other.type === 'confirmations') return one.count >= other.count ? one : other
  return RANK[one.type] >= RANK[other.type] ? one : other
}
