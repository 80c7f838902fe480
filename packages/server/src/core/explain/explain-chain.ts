/**
 * Explains what is wrong with the chain before the transaction. Causes that hold on any chain (suspended, paused,
 * refused, no node runs the lane) stay. If the transaction only waits for the chain, the chain is the cause, even if it
 * is stuck: no price gets it mined by a chain that makes no blocks.
 */

import { inclusionOf, type Transaction } from '../transaction/transaction.ts'
import type { Cause, ExplainContext, Finding } from './explanation.ts'

const NEXT: Readonly<Record<string, string>> = {
  unreachable: 'Drover retries the RPC nodes every few seconds and continues as soon as one responds.',
  standing: 'It continues with the next block. Until then, no time counts against it.',
  rewound: 'It continues when the chain is back at its old height. If the chain was reset, an operator has to decide.',
}

/** Only another block at its height proves that an inclusion is gone. */
const NEXT_GONE =
  'Drover decides once a block at its height comes: if it is another one, it goes back to TRACKING, and Drover sends the same bytes again.'

const CAUSE_OF: Readonly<Record<string, Cause>> = {
  unreachable: 'chain_unreachable',
  standing: 'chain_standing',
  rewound: 'chain_rewound',
}

/** Causes that the chain's trouble does not explain. */
const OWN_CAUSES: ReadonlySet<Cause> = new Set([
  'suspended',
  'deadline_passed',
  'no_owner',
  'lane_paused',
  'lane_cancelling',
  'waiting_for_funds',
  'waiting_for_key',
  'fee_above_cap',
  'held_by_rule',
  'awaiting_approval',
  'scheduled',
  'foreign_nonce',
  'rejected_by_node',
  'nonces_missing',
  'waiting_for_finality',
  'blocked_by_reservation',
])

export function withChainHealth(tx: Transaction, finding: Finding, { chain, head }: ExplainContext): Finding {
  const cause = CAUSE_OF[chain.state]
  if (cause === undefined || chain.message === null) return finding
  const summary = `${chain.message} ${finding.summary}`
  const isGone = chain.state === 'rewound' && isAbove(tx, chain.height ?? head)
  if (OWN_CAUSES.has(finding.cause) && !isGone) return { ...finding, summary }
  const { chainId } = tx.intent.lane
  return {
    cause,
    summary,
    blockedBy: { type: 'chain', chainId },
    nextAction: isGone ? NEXT_GONE : (NEXT[chain.state] ?? finding.nextAction),
    nextActionAt: null,
  }
}

/** Mined in a block that the chain, as it is now, does not reach. */
function isAbove(tx: Transaction, head: number | null): boolean {
  const inclusion = inclusionOf(tx)
  return inclusion !== null && head !== null && head < inclusion.blockNumber
}
