/** `POST /v1/signers/{address}/reset-nonce`: moves the cursor of a signer on one chain to the chain's count. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import { resetRequest } from '../../contract/requests/signer-request.ts'
import { resetResource } from '../../contract/resources/reset-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { presentReset } from '../../present/present-reset.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const resetNonce = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: resetRequest },
  {
    operationId: 'resetNonce',
    method: 'POST',
    path: '/v1/signers/{address}/reset-nonce',
    summary: "Reset a signer's next nonce to the chain's count, optionally after cancelling everything in flight",
    scope: 'operate',
    answers: [
      { status: 200, description: 'Done.', schema: resetResource },
      {
        status: 202,
        description: 'Stored and in progress. Read it again by its id.',
        schema: resetResource,
      },
    ],
    errors: ['not_found', 'action_forbidden'],
  },
  async ({ params, body: { chainId, reason, cancelInFlight = false } }, services, caller) => {
    const { signer } = await getLane(services, params.address, chainId)
    const by = { actor: actorOf(caller), reason }
    const reset = await services.resets.reset(signer.lane, by, { cancelsFirst: cancelInFlight })
    return { status: reset.state === 'DONE' ? 200 : 202, body: presentReset(reset) }
  },
)
