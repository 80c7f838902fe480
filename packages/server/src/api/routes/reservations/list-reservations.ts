/** `GET /v1/signers/{address}/nonces`: the open reservations of a signer on one chain. */
import { z } from 'zod'
import { reservationPage } from '../../contract/resources/reservation-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { presentReservation } from '../../present/present-reservation.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const query = z.strictObject({
  chainId: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: pageLimitParam,
  after: z
    .string({ error: 'must be given only once' })
    .regex(/^(\d{1,16}|[0-9a-f-]{36})$/, { error: 'must be the `next` of a previous page' })
    .optional()
    .meta({ description: '`next` from the previous page.' }),
})

export const listReservations = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), query },
  {
    operationId: 'listReservations',
    method: 'GET',
    path: '/v1/signers/{address}/nonces',
    summary: 'List the open reservations of a signer, lowest nonce first',
    scope: 'read',
    answers: [{ status: 200, description: 'One page.', schema: reservationPage }],
    errors: ['not_found'],
  },
  async ({ params, query: { chainId, limit, after } }, services) => {
    const { signer } = await getLane(services, params.address, chainId)
    const page = await services.reservations.list(signer.lane, { after: after ?? null, limit })
    const items = page.items.map(({ nonce, reservation }) => ({
      nonce,
      reservation: reservation && presentReservation(reservation),
    }))
    return { status: 200, body: { items, next: page.next } }
  },
)
