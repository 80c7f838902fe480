/** `PATCH /v1/signers/{address}`: changes the label and the policy of a signer on one chain. */
import { z } from 'zod'
import { actorOf } from '../../core/caller.ts'
import { changePolicy } from '../change-policy.ts'
import { addressInput } from '../contract/address.ts'
import { signerChange } from '../contract/signer-request.ts'
import { laneResource } from '../contract/signer-resource.ts'
import { getLane } from '../get-lane.ts'
import { defineRoute, NO_INPUT } from '../route.ts'
import { updateLane } from '../update-lane.ts'

export const updateSigner = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: signerChange },
  {
    operationId: 'updateSigner',
    method: 'PATCH',
    path: '/v1/signers/{address}',
    summary: 'Change the label or the policy of a signer on one chain',
    scope: 'admin',
    answers: [{ status: 200, description: 'The lane after it.', schema: laneResource }],
    errors: ['not_found'],
  },
  async ({ params, body: { chainId, label, policy } }, services, caller) => {
    const lane = await getLane(services, params.address, chainId)
    const change = {
      ...(label !== undefined && { label }),
      ...(policy !== undefined && { policy: changePolicy(lane.signer.policy, policy) }),
    }
    const fields = [...(label === undefined ? [] : ['label']), ...Object.keys(policy ?? {})]
    const note = { type: 'signer.changed', cause: 'operator', detail: { actor: actorOf(caller), fields } }
    return { status: 200, body: await updateLane(services, lane, change, note) }
  },
)
