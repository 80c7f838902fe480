/** `POST /v1/signers/{address}/fill-gap`: closes gaps in the nonces of a signer with empty transactions. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import { laneRequest } from '../../contract/requests/signer-request.ts'
import { fillList } from '../../contract/resources/signer-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { presentTransaction } from '../../present/present-transaction.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const fillGap = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: laneRequest },
  {
    operationId: 'fillGap',
    method: 'POST',
    path: '/v1/signers/{address}/fill-gap',
    summary: 'Fill nonce gaps with empty transactions from the signer to itself',
    scope: 'operate',
    answers: [{ status: 202, description: 'Queued ahead of all others, one per gap.', schema: fillList }],
    errors: ['not_found', 'action_forbidden'],
  },
  async ({ params, body: { chainId, reason } }, services, caller) => {
    const { signer } = await getLane(services, params.address, chainId)
    const fills = await services.fillGaps(signer.lane, { actor: actorOf(caller), reason })
    return { status: 202, body: { items: fills.map((fill) => presentTransaction(fill, services)) } }
  },
)
