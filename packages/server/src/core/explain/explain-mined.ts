/** Explains a transaction that is mined and not final yet: how far it is, and what it will become. */

import type { Inclusion } from '../chain/finality.ts'
import { findAttempt, type Tracking } from '../transaction/transaction.ts'
import type { ExplainContext, Finding } from './explanation.ts'
import { spellCount } from './spell-time.ts'

type Mined = Tracking & { readonly inclusion: Inclusion }

export function explainMined(tx: Mined, context: ExplainContext): Finding {
  const { inclusion, nonce } = tx
  const end = inclusion.succeeded ? 'succeeded' : 'reverted'
  const forks = tx.newForks === 0 ? '' : ` It has been through ${spellCount(tx.newForks, 'reorg')}.`
  const held = tx.suspended ? ' It is also suspended: if its block is reorged out, Drover does not send it again.' : ''
  return {
    cause: 'waiting_for_finality',
    summary: `Nonce ${nonce} ${end} in block ${inclusion.blockNumber}. ${progress(tx, context)}${forks}${held}`,
    nextAction: `It becomes ${verdict(tx)} ${condition(tx, context)}. If its block is reorged out, it goes back to TRACKING.`,
    nextActionAt: null,
  }
}

function progress({ inclusion }: Mined, { head, finality }: ExplainContext): string {
  const needed = finality.type === 'confirmations' ? ` (it needs ${finality.count})` : ''
  if (head === null) return 'This node has not seen a block yet, so it cannot count confirmations.'
  if (head < inclusion.blockNumber) return `This node is behind, at block ${head}, and counts 0 confirmations${needed}.`
  return `At block ${head} it has ${spellCount(head - inclusion.blockNumber, 'confirmation')}${needed}.`
}

function condition({ inclusion: { blockNumber } }: Mined, { finality }: ExplainContext): string {
  return finality.type === 'confirmations'
    ? `at block ${blockNumber + finality.count}`
    : `when the chain marks block ${blockNumber} as ${finality.type}`
}

function verdict(tx: Mined): string {
  const kind = findAttempt(tx, tx.inclusion.txHash)?.kind
  if (kind === 'cancel') return 'CANCELLED'
  return tx.inclusion.succeeded ? 'CONFIRMED' : 'FAILED_FINAL'
}
