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
  'Say which transaction was sent with a reserved nonce; it is then followed to finality',
  useRequest,
  ({ lockOwner, hash }) => [lockOwner, { type: 'use', hash }],
)

export const extendNonce = define(
  'extend',
  'Keep a reserved nonce for longer',
  extendRequest,
  ({ lockOwner, ttlMs }) => [lockOwner, { type: 'extend', ttlMs }],
)

export const releaseNonce = define(
  'release',
  'Give a reserved nonce back; nothing may have been sent with it',
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
      answers: [{ status: 200, description: 'The reservation after it.', schema: reservationResource }],
      errors: ['not_found', 'not_lock_owner', 'reservation_expired', 'action_forbidden'],
    },
    async ({ params, body }, { reservations }) => {
      const [lockOwner, act] = toAct(body)
      return { status: 200, body: presentReservation(await reservations.act(params.id, lockOwner, act)) }
    },
  )
}
