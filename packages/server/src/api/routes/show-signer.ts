/** `GET /v1/signers/{address}`: one signer on all its chains. */
import { z } from 'zod'
import { addressInput, checksumAddress } from '../contract/address.ts'
import { signerResource } from '../contract/signer-resource.ts'
import { getLanes } from '../get-lane.ts'
import { presentLane } from '../present-lane.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

export const showSigner = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }) },
  {
    operationId: 'showSigner',
    method: 'GET',
    path: '/v1/signers/{address}',
    summary: 'Show a signer on all its chains',
    answers: [{ status: 200, description: 'The signer and its lanes.', schema: signerResource }],
    errors: ['not_found'],
  },
  async ({ params }, services) => {
    const lanes = await getLanes(services, params.address)
    return { status: 200, body: { address: checksumAddress(params.address), lanes: lanes.map(presentLane) } }
  },
)
