/** `GET /v1/signers/{address}`: one signer on all its chains. */
import { z } from 'zod'
import { signerResource } from '../../contract/resources/signer-resource.ts'
import { addressInput, checksumAddress } from '../../contract/values/address.ts'
import { getLanes } from '../../lookup/get-lane.ts'
import { presentLane } from '../../present/present-lane.ts'
import { presentReset } from '../../present/present-reset.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const SHOWN_RESETS = 5

export const showSigner = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }) },
  {
    operationId: 'showSigner',
    method: 'GET',
    path: '/v1/signers/{address}',
    summary: 'Show a signer on all its chains',
    scope: 'read',
    answers: [{ status: 200, description: 'The signer and its lanes.', schema: signerResource }],
    errors: ['not_found'],
  },
  async ({ params }, services) => {
    const lanes = await getLanes(services, params.address)
    const perLane = await Promise.all(lanes.map(({ signer }) => services.store.listResets(signer.lane, SHOWN_RESETS)))
    const resets = perLane.flat().sort((a, b) => b.requestedAt - a.requestedAt)
    return {
      status: 200,
      body: {
        address: checksumAddress(params.address),
        lanes: lanes.map((lane) => presentLane(lane, services)),
        resets: resets.slice(0, SHOWN_RESETS).map(presentReset),
      },
    }
  },
)
