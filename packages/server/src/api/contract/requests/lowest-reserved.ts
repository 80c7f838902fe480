/** The reserved nonce that others wait for, as a lane and an explanation show it. */
import { z } from 'zod'
import { type LowestReserved, RESERVATION_ALARMS } from '../../../core/lane/reservation.ts'
import { hash } from '../values/bytes.ts'
import { instant, presentInstant } from '../values/instant.ts'

export const lowestReserved = z.object({
  reservationId: z.uuid().nullable().meta({ description: "Null, like who holds it, where it is another tenant's." }),
  nonce: z.int().min(0),
  lockedUntil: instant.meta({ description: 'Free again then, unless it is used or extended.' }),
  tenant: z.string().nullable(),
  holder: z.string().nullable().meta({ description: 'The API key that it was made with: name and id.' }),
  isUsed: z.boolean().meta({ description: 'Its holder says that a transaction was sent with it.' }),
  hash: hash.nullable().meta({ description: 'The latest that the holder named.' }),
  isFilling: z.boolean().meta({ description: 'An operator ordered an empty transaction in its place.' }),
  alarm: z.enum(RESERVATION_ALARMS).nullable(),
})

/** Field by field: what is added to it is not shown before somebody decided so. */
export function presentLowestReserved(lowest: LowestReserved): z.infer<typeof lowestReserved> {
  const { reservationId, nonce, lockedUntil, tenant, holder, isUsed, hash: latest, isFilling, alarm } = lowest
  return {
    ...{ reservationId, nonce, tenant, holder, isUsed, hash: latest, isFilling, alarm },
    lockedUntil: presentInstant(lockedUntil),
  }
}
