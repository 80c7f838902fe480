/** `POST /v1/signers/{address}/nonces`: reserves nonces for a caller that signs its own transactions. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import { reservationRequest } from '../../contract/requests/reservation-request.ts'
import { reservationList } from '../../contract/resources/reservation-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { getLane } from '../../lookup/get-lane.ts'
import { presentReservation } from '../../present/present-reservation.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const reserveNonces = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ address: addressInput }), body: reservationRequest },
  {
    operationId: 'reserveNonces',
    method: 'POST',
    path: '/v1/signers/{address}/nonces',
    summary: 'Reserve nonces of a signer to sign transactions yourself',
    scope: 'send',
    audited: true,
    answers: [
      { status: 201, description: 'Reserved. All of them have a nonce.', schema: reservationList },
      {
        status: 202,
        description: 'Stored, but not all of them have a nonce yet. Read them again later.',
        schema: reservationList,
      },
      { status: 200, description: 'The same request was already accepted.', schema: reservationList },
    ],
    errors: ['not_found', 'idempotency_conflict', 'unknown_signer', 'tenant_limit'],
  },
  async ({ params, body }, services, caller) => {
    const { chainId, ttlMs, count, requestId, label, lockOwner } = body
    services.access.chargeItems(caller, count)
    const { signer } = await getLane(services, params.address, chainId)
    const reserved = await services.reservations.reserve({
      lane: signer.lane,
      count,
      ttlMs: ttlMs ?? null,
      label: label ?? null,
      requestId: requestId ?? null,
      tenant: caller.tenant,
      key: caller.keyId === null ? null : { id: caller.keyId, holder: actorOf(caller) },
      lockOwner: lockOwner ?? null,
    })
    const isWaiting = reserved.reservations.some(({ state }) => state === 'REQUESTED')
    return {
      status: isWaiting ? 202 : reserved.type === 'existing' ? 200 : 201,
      body: { items: reserved.reservations.map(presentReservation), lockOwner: reserved.lockOwner },
    }
  },
)
