/** A lane (one signer on one chain) as JSON. */
import type { Policy } from '../core/policy.ts'
import type { LaneStatus } from '../ports/store.ts'
import { checksumAddress } from './contract/address.ts'
import { presentFinality } from './contract/finality.ts'
import { presentInstant } from './contract/instant.ts'
import type { LaneResource } from './contract/signer-resource.ts'

export function presentLane({ signer, cursor, queued, inFlight, stuck, lease }: LaneStatus): LaneResource {
  return {
    chainId: signer.lane.chainId,
    address: checksumAddress(signer.lane.signer),
    label: signer.label,
    paused: signer.paused,
    policy: presentPolicy(signer.policy),
    nextNonce: cursor,
    ...{ queued, inFlight, stuck },
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
  const { preset, maxInFlight, resubmitIntervalMs, stuckAfterMs, maxSubmitAttempts } = policy
  const { mayReplace, externalUse, onForeignNonce, gasLimitPercent, maxFeePerGasWei, finality } = policy
  return {
    ...{ preset, maxInFlight, resubmitIntervalMs, stuckAfterMs, maxSubmitAttempts },
    ...{ mayReplace, externalUse, onForeignNonce, gasLimitPercent },
    maxFeePerGas: maxFeePerGasWei?.toString() ?? null,
    finality: finality && presentFinality(finality),
  }
}
