/**
 * Explains in plain words why a transaction is where it is, what Drover will do next and when, and what an operator can
 * do.
 */

import { allowedActions, OPERATOR_ACTIONS } from '../transaction/allowed-actions.ts'
import { awaitsApproval } from '../transaction/await-approval.ts'
import { isTerminal, type Transaction } from '../transaction/transaction.ts'
import { adviseOn, isSpeedUpBest } from './advise.ts'
import { describeAction } from './describe-action.ts'
import { withChainHealth } from './explain-chain.ts'
import { explainFinal } from './explain-final.ts'
import { explainInFlight } from './explain-in-flight.ts'
import { explainQueued } from './explain-queued.ts'
import type { ExplainContext, Finding } from './explanation.ts'
import { findRunbookEntry } from './runbook.ts'

/** What can be done to a transaction: by an operator, or by a key that its rules name. */
export const EXPLAINED_ACTIONS = ['approve', 'reject', ...OPERATOR_ACTIONS] as const
export type ExplainedAction = (typeof EXPLAINED_ACTIONS)[number]

export interface Explanation extends Finding {
  /** What state and policy allow an operator to do here, and the effect of each. */
  readonly options: readonly { readonly action: ExplainedAction; readonly effect: string }[]
  /** What a person should do now; null if nothing. */
  readonly advice: string | null
  /** The entry of the runbook; null if nobody has to do anything. */
  readonly runbook: string | null
}

export function explain(tx: Transaction, context: ExplainContext): Explanation {
  const verdicts = allowedActions(tx, context.policy)
  const decisions = awaitsApproval(tx) ? APPROVAL_OPTIONS : []
  const allowed = OPERATOR_ACTIONS.filter((action) => verdicts[action].allowed).map((action) => ({
    action,
    effect: describeAction(action, tx),
  }))
  const finding = find(tx, context)
  const options = [...decisions, ...allowed.filter(({ action }) => !isUseless(action, tx, finding))]
  return {
    ...finding,
    options: isSpeedUpBest(finding, options) ? putFirst('speed-up', options) : options,
    advice: adviseOn(tx, finding, { context, options }),
    runbook: findRunbookEntry(tx, finding.cause),
  }
}

/**
 * Under a nonce that another transaction used, nothing can be mined at any price. Once that one is final, Drover has
 * compared the two: it would refuse to resolve ours with it.
 */
function isUseless(action: ExplainedAction, { state }: Transaction, { cause }: Finding): boolean {
  if (cause !== 'foreign_nonce') return false
  return state === 'STUCK' ? action === 'resolve' : action === 'retry' || action === 'speed-up'
}

function putFirst(first: ExplainedAction, options: Explanation['options']): Explanation['options'] {
  return [...options.filter(({ action }) => action === first), ...options.filter(({ action }) => action !== first)]
}

const APPROVAL_OPTIONS: Explanation['options'] = [
  { action: 'approve', effect: 'counts as one approval; with the last one it needs, it takes its turn in the queue' },
  { action: 'reject', effect: 'ends it as CANCELLED; it has no nonce yet' },
]

function find(tx: Transaction, context: ExplainContext): Finding {
  if (isTerminal(tx)) return explainFinal(tx)
  const finding = tx.state === 'QUEUED' ? explainQueued(tx, context) : explainInFlight(tx, context)
  return withChainHealth(tx, finding, context)
}
