/** What a person should do about a transaction, if anything. */

import type { LaneProblemCode } from '../lane/lane-problem.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { Cause, ExplainContext, Finding } from './explanation.ts'
import { CHAIN_STEPS, laneStep, SEND_ENDPOINT_STEP, SILENT_NODE_STEP, sendsPrivatelyStep } from './next-steps.ts'

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
  if (code !== undefined) return laneStep(code, lane).replaceAll('<id>', tx.id).replaceAll('<address>', lane.signer)
  if (cause === 'no_owner' && context.lane.sendsPrivately !== undefined) return sendsPrivatelyStep(lane.signer)
  if (cause === 'no_owner')
    return context.lane.owner?.silentSince == null ? laneStep('no_owner', lane) : SILENT_NODE_STEP
  if (blockedBy?.type === 'transaction' && blockedBy.state === 'STUCK') {
    return `Fix transaction ${blockedBy.txId} first: run \`drover tx explain ${blockedBy.txId}\`.`
  }
  if (isSpeedUpBest(finding, options))
    return `Speed it up: \`drover tx speed-up ${tx.id} --reason "…"\`. Drover signs it again at a higher price; whichever is mined counts.`
  return adviseOnState(tx, cause, context)
}

function adviseOnState(tx: Transaction, cause: Cause, { chain }: ExplainContext): string | null {
  switch (cause) {
    case 'chain_unreachable':
    case 'chain_standing':
    case 'chain_rewound':
      return CHAIN_STEPS[chain.state] ?? null
    case 'send_endpoint_away':
      return SEND_ENDPOINT_STEP
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
