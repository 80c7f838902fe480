/** Combines several nodes' answers to the same bytes into one outcome. */
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import type { NodeAnswer } from './classify-send-error.ts'

/**
 * The first of these that any node said is what counts. A node that holds the bytes settles it. That the nonce is taken
 * comes next: it calls for a look at the chain, which is right whatever the others know. Then doubt, which no other
 * node's certainty can remove; then what may pass by itself. Bytes are invalid only if every node says so: one that
 * merely refuses them gives no reason to think that they are.
 */
const PRECEDENCE: readonly NodeAnswer['type'][] = [
  'accepted',
  'already_known',
  'nonce_too_low',
  'replacement_underpriced',
  'ambiguous',
  'wrong_chain',
  'insufficient_funds',
  'underpriced',
  'nonce_gap',
  'pool_full',
  'rate_limited',
  'refused',
  'invalid',
]

/**
 * Null is a node that was not reached and has no say, but a refusal by the others mentions it. If none was reached,
 * nothing is known.
 */
export function combineSendOutcomes(answers: readonly (NodeAnswer | null)[]): SendOutcome {
  for (const type of PRECEDENCE) {
    const found = answers.find((answer) => answer?.type === type)
    if (found === undefined || found === null) continue
    // A node that serves another chain now may have served ours a moment ago.
    if (found.type === 'wrong_chain') return { type: 'ambiguous', message: found.message }
    const isRefusal = found.type === 'refused' || found.type === 'invalid'
    return isRefusal && answers.includes(null) ? { ...found, isPartial: true } : found
  }
  return { type: 'ambiguous', message: 'no RPC node could be reached' }
}
