/** `GET /v1/signers/{address}/resets/{id}`: a request to reset a cursor, and its progress. */
import { z } from 'zod'
import { AppError } from '../../../core/app-error.ts'
import { resetResource } from '../../contract/resources/reset-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { uuidParam } from '../../contract/values/uuid-param.ts'
import { presentReset } from '../../present/present-reset.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showReset = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput, id: uuidParam('a reset') }) },
  {
    operationId: 'showReset',
    method: 'GET',
    path: '/v1/signers/{address}/resets/{id}',
    summary: 'Show a nonce reset: how many transactions are cancelled and how many are left',
    scope: 'read',
    answers: [{ status: 200, description: 'The reset.', schema: resetResource }],
    errors: ['not_found'],
  },
  async ({ params }, { resets }) => {
    const reset = await resets.find(params.id)
    if (reset?.lane.signer !== params.address) throw new AppError('not_found', `There is no reset ${params.id}.`)
    return { status: 200, body: presentReset(reset) }
  },
)
