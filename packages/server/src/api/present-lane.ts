/** A lane (one signer on one chain) as JSON. */
import type { Policy } from '../core/policy.ts'
import { presentWindow } from '../core/window.ts'
import type { LaneStatus } from '../ports/store.ts'
import { checksumAddress } from './contract/address.ts'
import { presentFinality } from './contract/finality.ts'
import { presentInstant, presentOptionalInstant } from './contract/instant.ts'
import { presentLowestReserved } from './contract/lowest-reserved.ts'
import type { LaneResource } from './contract/signer-resource.ts'

export function presentLane(status: LaneStatus): LaneResource {
  const { signer, cursor, queued, inFlight, stuck, reserved, free, lowestReserved, health, lease } = status
  return {
    chainId: signer.lane.chainId,
    address: checksumAddress(signer.lane.signer),
    label: signer.label,
    paused: signer.paused,
    policy: presentPolicy(signer.policy),
    nextNonce: cursor,
    ...{ queued, inFlight, stuck, reserved, free },
    stuckReserved: status.stuckReserved,
    lowestReserved: lowestReserved && presentLowestReserved(lowestReserved),
    balance: health.balance && { wei: health.balance.wei.toString(), at: presentInstant(health.balance.at) },
    chain: health.counts && { ...health.counts, at: presentInstant(health.counts.at) },
    window: health.window && {
      ...presentWindow(health.window),
      ceiling: health.window.ceiling,
      since: presentInstant(health.window.since),
    },
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

/** Field by field, so that a new setting is not shown before somebody decided how. */
function presentPolicy(policy: Policy): LaneResource['policy'] {
  const { preset, maxInFlight, slotHeldUntil, maxUnfinal, resubmitIntervalMs, stuckAfterMs, maxSubmitAttempts } = policy
  const { mayReplace, bumpAfterMs, onDeferral, externalUse, onForeignNonce, gasLimitPercent } = policy
  const { maxFeePerGasWei, maxTxFeeWei, lowBalanceWei, finality } = policy
  return {
    ...{ preset, maxInFlight, slotHeldUntil, maxUnfinal, resubmitIntervalMs, stuckAfterMs, maxSubmitAttempts },
    ...{ mayReplace, bumpAfterMs, onDeferral, externalUse, onForeignNonce, gasLimitPercent },
    lowBalance: lowBalanceWei?.toString() ?? null,
    maxFeePerGas: maxFeePerGasWei?.toString() ?? null,
    maxTxFee: maxTxFeeWei?.toString() ?? null,
    finality: finality && presentFinality(finality),
  }
}
