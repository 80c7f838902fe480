/**
 * `POST /v1/signers/{address}/{pause,resume}`: stops a signer from taking nonces on one chain, and lets it continue.
 */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import { laneRequest } from '../../contract/requests/signer-request.ts'
import { laneResource } from '../../contract/resources/signer-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { updateLane } from '../../lookup/update-lane.ts'
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

export const pauseSigner = defineSwitch(
  'pause',
  'Pause a signer: it gets no new nonces, but transactions in flight continue',
)
export const resumeSigner = defineSwitch('resume', 'Resume a signer')

/** Requesting the current state changes nothing and is not an error. */
function defineSwitch(action: 'pause' | 'resume', summary: string): Route {
  return defineRoute(
    { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: laneRequest },
    {
      operationId: `${action}Signer`,
      method: 'POST',
      path: `/v1/signers/{address}/${action}`,
      summary,
      scope: 'operate',
      answers: [{ status: 200, description: 'The updated lane.', schema: laneResource }],
      errors: ['not_found'],
    },
    async ({ params, body: { chainId, reason } }, services, caller) => {
      const lane = await getLane(services, params.address, chainId)
      const type = action === 'pause' ? 'signer.paused' : 'signer.resumed'
      const note = { type, cause: 'operator', detail: { action, actor: actorOf(caller), reason } }
      return { status: 200, body: await updateLane(services, lane, { paused: action === 'pause' }, note) }
    },
  )
}
