/** Explains a transaction that has a nonce: mined, stuck, suspended, or waiting to be mined. */

import type { InFlight } from '../transaction/transaction.ts'
import { explainMined } from './explain-mined.ts'
import { findMissingOwner } from './explain-owner.ts'
import { withSendEndpoints } from './explain-send-endpoints.ts'
import { explainStuck } from './explain-stuck.ts'
import { explainUnmined } from './explain-unmined.ts'
import type { ExplainContext, Finding } from './explanation.ts'

export function explainInFlight(tx: InFlight, context: ExplainContext): Finding {
  const finding = describe(tx, context)
  const missing = findMissingOwner(context)
  if (missing === null) return finding
  return {
    summary: `${missing.summary} ${finding.summary}`,
    // The reason why it is stuck or suspended stays true under any owner.
    cause: tx.state === 'STUCK' || finding.cause === 'suspended' ? finding.cause : 'no_owner',
    blockedBy: missing.blockedBy,
    nextAction: `${missing.heir} takes over the signer and looks up every hash of nonce ${tx.nonce}. ${
      tx.suspended ? 'It sends nothing, because an operator suspended it.' : 'It sends the bytes again if needed.'
    }`,
    nextActionAt: null,
  }
}

function describe(tx: InFlight, context: ExplainContext): Finding {
  if (tx.state === 'STUCK') return withSendEndpoints(explainStuck(tx, context), context)
  if (tx.state === 'TRACKING' && tx.inclusion !== null) {
    return explainMined({ ...tx, inclusion: tx.inclusion }, context)
  }
  return withSendEndpoints(explainUnmined(tx, context), context)
}
