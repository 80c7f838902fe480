/** `GET /v1/signers/{address}`: one signer on all its chains. */
import { z } from 'zod'
import { AppError } from '../../core/app-error.ts'
import { addressInput, checksumAddress } from '../contract/address.ts'
import { signerResource } from '../contract/signer-resource.ts'
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
    const asked = services.chainStatus().map(({ chainId }) => ({ chainId, signer: params.address }))
    const found = await Promise.all(asked.map((lane) => services.store.listLaneStatus({ lane })))
    const lanes = found.flat().map(presentLane)
    const address = checksumAddress(params.address)
    if (lanes.length === 0) throw new AppError('not_found', `${address} is not a signer here.`, { field: 'address' })
    return { status: 200, body: { address, lanes } }
  },
)
