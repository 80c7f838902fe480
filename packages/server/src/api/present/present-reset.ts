/** A reset of a cursor as JSON. */
import type { NonceReset } from '../../core/lane/nonce-reset.ts'
import type { ResetResource } from '../contract/resources/reset-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant, presentOptionalInstant } from '../contract/values/instant.ts'

export function presentReset({ lane, requestedAt, answeredAt, ...reset }: NonceReset): ResetResource {
  const { id, state, actor, reason, fromNonce, toNonce, refusal, progress } = reset
  return {
    id,
    state,
    actor,
    reason,
    fromNonce,
    toNonce,
    refusal,
    progress,
    cancelsInFlight: reset.cancelsFirst,
    chainId: lane.chainId,
    address: checksumAddress(lane.signer),
    requestedAt: presentInstant(requestedAt),
    answeredAt: presentOptionalInstant(answeredAt),
  }
}
