/** `POST /v1/signers/{address}/reset-nonce`: puts the cursor of a signer on one chain where the chain's count is. */
import { z } from 'zod'
import { actorOf } from '../../core/caller.ts'
import { addressInput } from '../contract/address.ts'
import { resetResource } from '../contract/reset-resource.ts'
import { laneRequest } from '../contract/signer-request.ts'
import { getLane } from '../get-lane.ts'
import { presentReset } from '../present-reset.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

export const resetNonce = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: laneRequest },
  {
    operationId: 'resetNonce',
    method: 'POST',
    path: '/v1/signers/{address}/reset-nonce',
    summary: "Put a signer's next nonce where the chain's count is, unless something alive is in the way",
    scope: 'operate',
    answers: [
      { status: 200, description: 'Done.', schema: resetResource },
      { status: 202, description: 'Stored; the owner of the lane has not answered yet.', schema: resetResource },
    ],
    errors: ['not_found', 'action_forbidden'],
  },
  async ({ params, body: { chainId, reason } }, services, caller) => {
    const { signer } = await getLane(services, params.address, chainId)
    const reset = await services.resets.reset(signer.lane, { actor: actorOf(caller), reason })
    return { status: reset.state === 'DONE' ? 200 : 202, body: presentReset(reset) }
  },
)
