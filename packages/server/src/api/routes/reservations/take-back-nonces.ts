/** `POST /v1/signers/{address}/nonces/{release,fill}`: an operator takes reserved nonces from their holders. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import type { TakeBackAction } from '../../../engine/reservations/take-back-nonces.ts'
import { takeBackRequest } from '../../contract/requests/reservation-request.ts'
import { takenList } from '../../contract/resources/reservation-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { presentReservation } from '../../present/present-reservation.ts'
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

export const releaseReservations = define(
  'release',
  'Release reserved nonces: unused ones become free again, those whose transaction no RPC node knows are filled',
)

export const fillReservations = define(
  'fill',
  "Fill reserved nonces with empty transactions, unless an RPC node knows the holder's transaction",
)

function define(action: TakeBackAction, summary: string): Route {
  return defineRoute(
    { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: takeBackRequest },
    {
      operationId: `${action}Reservations`,
      method: 'POST',
      path: `/v1/signers/{address}/nonces/${action}`,
      summary,
      scope: 'operate',
      answers: [{ status: 200, description: 'The result for each reservation.', schema: takenList }],
      errors: ['not_found', 'chain_unavailable'],
    },
    async ({ params, body: { chainId, reason, reservationId, tenant, keyId } }, services, caller) => {
      const { signer } = await getLane(services, params.address, chainId)
      const filter = {
        ...(reservationId !== undefined && { id: reservationId.toLowerCase() }),
        ...(tenant !== undefined && { tenant }),
        ...(keyId !== undefined && { keyId }),
      }
      const by = { actor: actorOf(caller), reason }
      const taken = await services.takeBack(signer.lane, { action, filter, by })
      const items = taken.map(({ reservation, outcome, why }) => ({
        outcome,
        why,
        reservation: presentReservation(reservation),
      }))
      return { status: 200, body: { items } }
    },
  )
}
