/** `PATCH /v1/signers/{address}`: changes the label and the policy of a signer on one chain. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import { signerChange } from '../../contract/requests/signer-request.ts'
import { laneResource } from '../../contract/resources/signer-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { changePolicy } from '../../lookup/change-policy.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { updateLane } from '../../lookup/update-lane.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const updateSigner = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: signerChange },
  {
    operationId: 'updateSigner',
    method: 'PATCH',
    path: '/v1/signers/{address}',
    summary: 'Change the label or the policy of a signer on one chain',
    scope: 'admin',
    answers: [{ status: 200, description: 'The updated lane.', schema: laneResource }],
    errors: ['not_found'],
  },
  async ({ params, body: { chainId, label, policy, reason } }, services, caller) => {
    const lane = await getLane(services, params.address, chainId)
    const change = {
      ...(label !== undefined && { label }),
      ...(policy !== undefined && { policy: changePolicy(lane.signer.policy, policy) }),
    }
    const fields = [...(label === undefined ? [] : ['label']), ...Object.keys(policy ?? {})]
    const said = { actor: actorOf(caller), fields, ...(reason !== undefined && { reason }) }
    const note = { type: 'signer.changed', cause: 'operator', detail: said }
    return { status: 200, body: await updateLane(services, lane, change, note) }
  },
)
