/** What a person should do about a transaction, if anything. */

import type { LaneProblemCode } from '../lane/lane-problem.ts'
import { type Policy, replacesByItself } from '../lane/policy.ts'
import { whyNotRaised } from '../transaction/replace-sent.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { findHolder } from './explain-queued.ts'
import type { Cause, ExplainContext, Finding } from './explanation.ts'
import {
  CHAIN_STEPS,
  FOREIGN_NOT_FINAL_STEP,
  FOREIGN_REQUEUED_STEP,
  laneStep,
  SEND_ENDPOINT_STEP,
  SILENT_NODE_STEP,
  sendsPrivatelyStep,
} from './next-steps.ts'

/** Causes that are also problems of the lane. */
const LANE_CAUSES: Readonly<Partial<Record<Cause, LaneProblemCode>>> = {
  waiting_for_funds: 'out_of_funds',
  waiting_for_key: 'key_unavailable',
  fee_above_cap: 'fee_above_cap',
  foreign_nonce: 'foreign_nonce',
  blocked_by_reservation: 'blocked_by_reservation',
}

type Options = readonly { readonly action: string }[]

/** Of all that can be done to a transaction that no block takes, only a higher price moves it on. */
export function isSpeedUpBest({ cause, blockedBy }: Finding, options: Options): boolean {
  return cause === 'no_inclusion' && blockedBy === undefined && options.some(({ action }) => action === 'speed-up')
}

export function adviseOn(
  tx: Transaction,
  finding: Finding,
  { context, options }: { readonly context: ExplainContext; readonly options: Options },
): string | null {
  const { cause, blockedBy } = finding
  const { lane } = tx.intent
  const code = LANE_CAUSES[cause]
  const first = findHolder(tx, context)
  if (code === 'foreign_nonce' && tx.state !== 'STUCK') {
    const isRequeued = context.policy.onForeignNonce === 'requeue'
    return isRequeued ? FOREIGN_REQUEUED_STEP : FOREIGN_NOT_FINAL_STEP.replaceAll('<id>', tx.id)
  }
  if (code !== undefined)
    return laneStep(code, lane, first === null ? (whyNotRaised(tx.error)?.limit ?? tx.error?.limit) : first.limit)
      .replaceAll('<id>', first?.txId ?? tx.id)
      .replaceAll('<address>', lane.signer)
  if (cause === 'no_owner' && context.lane.sendsPrivately !== undefined) return sendsPrivatelyStep(lane.signer)
  if (cause === 'no_owner')
    return context.lane.owner?.silentSince == null ? laneStep('no_owner', lane) : SILENT_NODE_STEP
  if (blockedBy?.type === 'transaction' && blockedBy.state === 'STUCK') {
    return `Fix transaction ${blockedBy.txId} first: run \`drover tx explain ${blockedBy.txId}\`.`
  }
  if (isSpeedUpBest(finding, options)) return speedUp(tx)
  return adviseOnState(tx, cause, context)
}

function adviseOnState(tx: Transaction, cause: Cause, { chain, policy }: ExplainContext): string | null {
  switch (cause) {
    case 'chain_unreachable':
    case 'chain_standing':
    case 'chain_rewound':
      return CHAIN_STEPS[chain.state] ?? null
    case 'send_endpoint_away':
      return SEND_ENDPOINT_STEP
    case 'bump_refused':
      return adviseOnBump(tx, policy)
    case 'fee_below_base':
      return adviseOnPrice(tx, policy)
    case 'lane_paused':
      return `Resume the signer: \`drover signer resume ${tx.intent.lane.signer} --reason "…"\`.`
    case 'awaiting_approval':
      return `Approve or refuse it with one of those keys: \`drover tx approve ${tx.id} --reason "…"\`.`
    case 'held_by_rule':
      return `Look at the rules: \`drover rules show ${tx.intent.lane.signer}\`. Change them, wait until the window has room, or cancel it: \`drover tx cancel ${tx.id} --reason "…"\`.`
    case 'suspended':
      return `Resume it: \`drover tx resume ${tx.id} --reason "…"\`.`
    default:
      return tx.state === 'STUCK' ? 'Choose one of the listed options.' : null
  }
}

function speedUp({ id }: Transaction): string {
  return `Speed it up: \`drover tx speed-up ${id} --reason "…"\`. Drover signs it again at a higher price; whichever is mined counts.`
}

/** The next block asks more than it offers. */
function adviseOnPrice(tx: Transaction, policy: Policy): string {
  if (policy.mayReplace === 'on_order') return speedUp(tx)
  return replacesByItself(policy)
    ? 'Wait. Drover raises the price by itself once the newest bytes have waited for `bumpAfter`.'
    : `Wait until gas is cheaper, or let Drover raise the price: \`drover signer policy ${tx.intent.lane.signer} --may-replace on_order\`, then \`drover tx speed-up ${tx.id} --reason "…"\`.`
}

/** A higher price was to be signed, and was not. */
function adviseOnBump({ id, error, intent: { lane } }: Transaction, policy: Policy): string | null {
  switch (whyNotRaised(error)?.code) {
    case 'bump_unaffordable': {
      const then = replacesByItself(policy)
        ? 'Drover then raises the price by itself.'
        : `Then speed it up again: \`drover tx speed-up ${id} --reason "…"\`.`
      return `Send funds to ${lane.signer} on chain ${lane.chainId}. ${then}`
    }
    case 'bump_would_revert':
      return `Wait until it would succeed again, or cancel it: \`drover tx cancel ${id} --reason "…"\`.`
    case 'bump_held_by_rule':
      return `Look at the rules: \`drover rules show ${lane.signer}\`. Change them, wait until the window has room, or cancel it: \`drover tx cancel ${id} --reason "…"\`.`
    default:
      return null
  }
}
