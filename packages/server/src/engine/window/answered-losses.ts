/** What the answers to a batch say about how far ahead nodes let an account send. */
import { type InFlight, isInFlight } from '../../core/transaction/transaction.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import { isOut } from './sent-run.ts'

type Answers = Extract<LaneSignal, { type: 'answers' }>['answers']

/** The lowest nonce for which there was no room. */
export function findPoolLimit(answers: Answers, draft: LaneDraft): number | null {
  return findLowest(answers, draft, 'pool_full')
}

/** The lowest nonce that a node refused for a gap although all below is out: it accepts none that far ahead. */
export function findGapStart(
  answers: Answers,
  draft: LaneDraft,
  unmined: readonly InFlight[],
): { readonly from: number; readonly kept: number } | null {
  const from = findLowest(answers, draft, 'nonce_gap')
  if (from === null) return null
  const below = unmined.filter((tx) => tx.nonce < from)
  const isWhole = below.length > 0 && below.length === from - (below[0]?.nonce ?? from) && below.every(isOut)
  return isWhole ? { from, kept: below.length } : null
}

function findLowest(answers: Answers, draft: LaneDraft, type: 'pool_full' | 'nonce_gap'): number | null {
  let lowest: number | null = null
  for (const { txId, outcome } of answers) {
    const tx = outcome.type === type ? draft.current(txId) : undefined
    if (tx !== undefined && isInFlight(tx) && tx.nonce < (lowest ?? Number.POSITIVE_INFINITY)) lowest = tx.nonce
  }
  return lowest
}
