/** `GET /v1/nonces/{id}`: one reservation, and what happened to its nonce. */
import { z } from 'zod'
import { reservationResource } from '../../contract/resources/reservation-resource.ts'
import { reservationIdParam } from '../../contract/values/query.ts'
import { presentReservation } from '../../present/present-reservation.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showReservation = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: reservationIdParam }) },
  {
    operationId: 'showReservation',
    method: 'GET',
    path: '/v1/nonces/{id}',
    summary: 'Show a reservation and how its nonce was used',
    scope: 'read',
    answers: [{ status: 200, description: 'The reservation.', schema: reservationResource }],
    errors: ['not_found'],
  },
  async ({ params }, { reservations }) => ({
    status: 200,
    body: presentReservation(await reservations.find(params.id)),
  }),
)
