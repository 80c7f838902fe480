/** `POST /v1/nonces/{id}/{use,extend,release}`: what the holder of a reservation may do with it. */
import { z } from 'zod'
import type { HolderAct } from '../../../ports/lane-requests.ts'
import { extendRequest, releaseRequest, useRequest } from '../../contract/requests/reservation-request.ts'
import { reservationResource } from '../../contract/resources/reservation-resource.ts'
import { reservationIdParam } from '../../contract/values/query.ts'
import { presentReservation } from '../../present/present-reservation.ts'
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

export const useNonce = define(
  'use',
  'Report the transaction that you sent with a reserved nonce. Drover follows it until it is final',
  useRequest,
  ({ lockOwner, hash }) => [lockOwner, { type: 'use', hash }],
)

export const extendNonce = define('extend', 'Extend a reservation', extendRequest, ({ lockOwner, ttlMs }) => [
  lockOwner,
  { type: 'extend', ttlMs },
])

export const releaseNonce = define(
  'release',
  'Release a reserved nonce that was not used',
  releaseRequest,
  ({ lockOwner }) => [lockOwner, { type: 'release' }],
)

function define<B extends z.ZodType>(
  action: HolderAct['type'],
  summary: string,
  bodySchema: B,
  toAct: (body: z.output<B>) => readonly [lockOwner: string, act: HolderAct],
): Route {
  return defineRoute(
    { ...NO_INPUT, params: z.strictObject({ id: reservationIdParam }), body: bodySchema },
    {
      operationId: `${action}Nonce`,
      method: 'POST',
      path: `/v1/nonces/{id}/${action}`,
      summary,
      scope: 'send',
      answers: [{ status: 200, description: 'The updated reservation.', schema: reservationResource }],
      errors: ['not_found', 'not_lock_owner', 'reservation_expired', 'action_forbidden'],
    },
    async ({ params, body }, { reservations }) => {
      const [lockOwner, act] = toAct(body)
      return { status: 200, body: presentReservation(await reservations.act(params.id, lockOwner, act)) }
    },
  )
}
