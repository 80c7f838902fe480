/** A lane (one signer on one chain) as JSON. */
import type { ShownProblem } from '../../core/explain/describe-problem.ts'
import { laneRunbookEntry } from '../../core/explain/runbook.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { countRunway } from '../../core/lane/runway.ts'
import { presentWindow } from '../../core/lane/window.ts'
import type { KeyState } from '../../ports/key-source.ts'
import type { LaneStatus } from '../../ports/store.ts'
import type { ApiServices } from '../api-services.ts'
import { presentLowestReserved } from '../contract/requests/lowest-reserved.ts'
import type { LaneResource } from '../contract/resources/signer-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentFinality } from '../contract/values/finality.ts'
import { presentInstant, presentOptionalInstant } from '../contract/values/instant.ts'
import { describeLane } from './describe-lane.ts'

type Services = Pick<ApiServices, 'silentNodes' | 'ownKeys' | 'nodeId' | 'sendEndpointsOf'>

export function presentLane(status: LaneStatus, services: Services): LaneResource {
  const { silentNodes, ownKeys } = services
  const { signer, cursor, queued, inFlight, stuck, reserved, free, lowestReserved, health, lease } = status
  const key = ownKeys.find(signer.lane.signer)
  const teller = { nodeWithout: findNodeWithout(signer.lane, services), isKeyHere: key !== null }
  return {
    chainId: signer.lane.chainId,
    address: checksumAddress(signer.lane.signer),
    label: signer.label,
    paused: signer.paused,
    policy: presentPolicy(signer.policy),
    nextNonce: cursor,
    queued,
    inFlight,
    stuck,
    reserved,
    free,
    stuckReserved: status.stuckReserved,
    lowestReserved: lowestReserved && presentLowestReserved(lowestReserved),
    balance: presentBalance(health),
    sendsPrivately: signer.sendsPrivately === true,
    problems: describeLane(status, silentNodes(), teller).map(presentLaneProblem),
    chain: health.counts && { ...health.counts, at: presentInstant(health.counts.at) },
    window: health.window && {
      ...presentWindow(health.window),
      ceiling: health.window.ceiling,
      since: presentInstant(health.window.since),
    },
    key: presentKey(key),
    lastSignedAt: presentOptionalInstant(health.lastSignedAt ?? null),
    lastConfirmationAt: presentOptionalInstant(health.lastConfirmationAt),
    lastNonceMovementAt: presentOptionalInstant(health.lastNonceMovementAt),
    lease: lease && {
      node: lease.nodeId,
      fence: lease.fence,
      expiresAt: presentInstant(lease.expiresAt),
      live: lease.live,
    },
    createdAt: presentInstant(signer.createdAt),
  }
}

/** This node, if it has no send endpoint for the signer. */
export function findNodeWithout(
  lane: Lane,
  { nodeId, sendEndpointsOf }: Pick<ApiServices, 'nodeId' | 'sendEndpointsOf'>,
): string | null {
  return sendEndpointsOf(lane) === null ? nodeId : null
}

function presentBalance({ balance, txCost, problems }: LaneStatus['health']): LaneResource['balance'] {
  return (
    balance && {
      wei: balance.wei.toString(),
      at: presentInstant(balance.at),
      txCost: txCost?.wei.toString() ?? null,
      runway: countRunway(balance.wei, txCost),
      isLow: problems.some(({ code }) => code === 'balance_low'),
    }
  )
}

function presentKey(key: KeyState | null): LaneResource['key'] {
  if (key === null) return null
  const { source, place, problem } = key
  const since = presentOptionalInstant(problem?.since ?? null)
  return { source, place, canSign: problem === null, problem: problem?.message ?? null, since }
}

function presentLaneProblem({ since, txId, ...problem }: ShownProblem): LaneResource['problems'][number] {
  const { code, level, message, action, reservationId } = problem
  const runbook = laneRunbookEntry(code)
  return { code, level, message, action, runbook, since: presentInstant(since), transactionId: txId, reservationId }
}

/** Field by field, so a new setting is not shown until someone decides how. */
function presentPolicy(policy: Policy): LaneResource['policy'] {
  const { preset, maxInFlight, slotHeldUntil, maxUnfinal, resubmitIntervalMs, stuckAfterMs, maxSubmitAttempts } = policy
  const { mayReplace, bumpAfterMs, onDeferral, externalUse, onForeignNonce, gasLimitPercent } = policy
  const { maxFeePerGasWei, maxTxFeeWei, lowBalanceWei, lowRunway, finality } = policy
  return {
    preset,
    maxInFlight,
    slotHeldUntil,
    maxUnfinal,
    resubmitIntervalMs,
    stuckAfterMs,
    maxSubmitAttempts,
    mayReplace,
    bumpAfterMs,
    onDeferral,
    externalUse,
    onForeignNonce,
    gasLimitPercent,
    lowBalance: lowBalanceWei?.toString() ?? null,
    lowRunway,
    maxFeePerGas: maxFeePerGasWei?.toString() ?? null,
    maxTxFee: maxTxFeeWei?.toString() ?? null,
    finality: finality && presentFinality(finality),
  }
}
