/** A reset of a cursor as JSON. */
import type { NonceReset } from '../core/nonce-reset.ts'
import { checksumAddress } from './contract/address.ts'
import { presentInstant, presentOptionalInstant } from './contract/instant.ts'
import type { ResetResource } from './contract/reset-resource.ts'

export function presentReset({ lane, requestedAt, answeredAt, ...reset }: NonceReset): ResetResource {
  const { id, state, actor, reason, fromNonce, toNonce, refusal, progress } = reset
  return {
    ...{ id, state, actor, reason, fromNonce, toNonce, refusal, progress },
    cancelsInFlight: reset.cancelsFirst,
    chainId: lane.chainId,
    address: checksumAddress(lane.signer),
    requestedAt: presentInstant(requestedAt),
    answeredAt: presentOptionalInstant(answeredAt),
  }
}
