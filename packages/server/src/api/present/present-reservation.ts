/** A reservation as JSON. */
import type { Reservation } from '../../core/lane/reservation.ts'
import type { ReservationResource } from '../contract/resources/reservation-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant, presentOptionalInstant } from '../contract/values/instant.ts'

export function presentReservation(reservation: Reservation): ReservationResource {
  const { id, lane, state, nonce, ttlMs, label, requestId, hashes, inclusion, result } = reservation
  const { tenant, holder, alarm } = reservation
  return {
    id,
    state,
    nonce,
    ttlMs,
    label,
    requestId,
    result,
    tenant,
    holder,
    chainId: lane.chainId,
    address: checksumAddress(lane.signer),
    lockedUntil: presentInstant(reservation.lockedUntil),
    hash: inclusion?.txHash ?? hashes.at(-1) ?? null,
    hashes: [...hashes],
    inclusion: inclusion && {
      transactionHash: inclusion.txHash,
      blockNumber: inclusion.blockNumber,
      blockHash: inclusion.blockHash,
      succeeded: inclusion.succeeded,
    },
    alarm: alarm && { cause: alarm.cause, at: presentInstant(alarm.at) },
    fillOrderedAt: presentOptionalInstant(reservation.fillOrderedAt),
    createdAt: presentInstant(reservation.createdAt),
    reservedAt: presentOptionalInstant(reservation.reservedAt),
    usedAt: presentOptionalInstant(reservation.usedAt),
    minedAt: presentOptionalInstant(reservation.minedAt),
    finalAt: presentOptionalInstant(reservation.finalAt),
  }
}
