/** The reserved nonce that others wait for, as a lane and an explanation show it. */
import { z } from 'zod'
import { type LowestReserved, RESERVATION_ALARMS } from '../../../core/lane/reservation.ts'
import { hash } from '../values/bytes.ts'
import { instant, presentInstant } from '../values/instant.ts'

export const lowestReserved = z.object({
  reservationId: z.uuid().nullable().meta({ description: 'Null, like the holder, if it belongs to another tenant.' }),
  nonce: z.int().min(0),
  lockedUntil: instant.meta({ description: 'When the nonce becomes free again, unless it is used or extended.' }),
  tenant: z.string().nullable(),
  holder: z.string().nullable().meta({ description: 'Name and id of the API key that made the reservation.' }),
  isUsed: z.boolean().meta({ description: 'The holder reported a transaction sent with this nonce.' }),
  hash: hash.nullable().meta({ description: 'The latest hash that the holder reported.' }),
  isFilling: z
    .boolean()
    .meta({ description: 'An operator asked Drover to fill this nonce with an empty transaction.' }),
  alarm: z.enum(RESERVATION_ALARMS).nullable(),
})

/** Field by field, so a new field is not shown until someone decides to show it. */
export function presentLowestReserved(lowest: LowestReserved): z.infer<typeof lowestReserved> {
  const { reservationId, nonce, lockedUntil, tenant, holder, isUsed, hash: latest, isFilling, alarm } = lowest
  return {
    reservationId,
    nonce,
    tenant,
    holder,
    isUsed,
    hash: latest,
    isFilling,
    alarm,
    lockedUntil: presentInstant(lockedUntil),
  }
}
