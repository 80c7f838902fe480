/** What several nodes made of the same bytes, as one outcome. */
import type { SendOutcome } from '../core/send-outcome.ts'

/**
 * The first of these that any node said is what counts. A node that holds the bytes settles it. That the nonce is taken
 * comes next: it calls for a look at the chain, which is right whatever the others know. Then doubt, which no other
 * node's certainty can remove; then what may pass by itself; a rejection only if every node rejected.
 */
const PRECEDENCE: readonly SendOutcome['type'][] = [
  'accepted',
  'already_known',
  'nonce_too_low',
  'replacement_underpriced',
  'ambiguous',
  'insufficient_funds',
  'underpriced',
  'nonce_gap',
  'pool_full',
  'rate_limited',
  'rejected',
]

/** Null is a node that was not reached and has no say. If none was reached, nothing is known. */
export function combineSendOutcomes(outcomes: readonly (SendOutcome | null)[]): SendOutcome {
  for (const type of PRECEDENCE) {
    const found = outcomes.find((outcome) => outcome?.type === type)
    if (found !== undefined && found !== null) return found
  }
  return { type: 'ambiguous', message: 'no node could be reached' }
}
