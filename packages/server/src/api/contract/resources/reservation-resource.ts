/** A reservation as the API shows it. The proof (`lockOwner`) is returned once, to the caller that made it. */
import { z } from 'zod'
import { RESERVATION_ALARMS, RESERVATION_RESULTS, RESERVATION_STATES } from '../../../core/lane/reservation.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { hash } from '../values/bytes.ts'
import { instant } from '../values/instant.ts'

export const reservationResource = z.object({
  id: z.uuid(),
  chainId: z.int(),
  address,
  state: z.enum(RESERVATION_STATES),
  nonce: z.int().min(0).nullable().meta({ description: 'Null until a nonce has been reserved.' }),
  lockedUntil: instant.meta({
    description:
      'Use the nonce before this time (database clock). If there is no nonce yet, the request expires at this time.',
  }),
  ttlMs: z.int(),
  tenant: z.string().meta({ description: 'Tenant that holds it. Empty if Drover has no API keys.' }),
  holder: z.string().nullable().meta({ description: 'Name and id of the API key that made the reservation.' }),
  label: z.string().nullable(),
  requestId: z.string().nullable(),
  hash: hash.nullable().meta({ description: 'The mined transaction, or the latest that the holder reported.' }),
  hashes: z.array(hash).meta({ description: 'All transactions that the holder reported, oldest first.' }),
  inclusion: z
    .object({ transactionHash: hash, blockNumber: z.int(), blockHash: hash, succeeded: z.boolean() })
    .nullable(),
  result: z.enum(RESERVATION_RESULTS).nullable().meta({
    description: 'How the nonce was used on chain. `foreign`: by a transaction that the holder did not report.',
  }),
  alarm: z
    .object({ cause: z.enum(RESERVATION_ALARMS), at: instant })
    .nullable()
    .meta({
      description:
        'Raised after `stuckAfter`. `unknown_hash`: no RPC node knows the transaction. `not_mined`, `not_used`: other transactions wait for this nonce.',
    }),
  fillOrderedAt: instant.nullable().meta({
    description:
      'When an operator asked Drover to fill the nonce with an empty transaction. Whichever is mined first uses the nonce.',
  }),
  createdAt: instant,
  reservedAt: instant.nullable(),
  usedAt: instant.nullable(),
  minedAt: instant.nullable(),
  finalAt: instant.nullable().meta({ description: 'Nothing changes after this.' }),
})
export type ReservationResource = z.infer<typeof reservationResource>
resourceSchemas.add(reservationResource, { id: 'Reservation' })

export const reservationList = z.object({
  items: z.array(reservationResource),
  lockOwner: z.string().nullable().meta({
    description:
      'The secret that you need to act on the reservations. It is shown only once, so store it now. Null if an earlier response already contained it.',
  }),
})
resourceSchemas.add(reservationList, { id: 'ReservationList' })

export const reservationPage = z.object({
  items: z.array(
    z.object({
      nonce: z.int().min(0).nullable(),
      reservation: reservationResource
        .nullable()
        .meta({ description: 'Null: the reservation belongs to another tenant.' }),
    }),
  ),
  next: z.string().nullable().meta({ description: 'Pass it as `after` to get the next page. Null on the last page.' }),
})
resourceSchemas.add(reservationPage, { id: 'ReservationPage' })

export const takenList = z.object({
  items: z.array(
    z.object({
      reservation: reservationResource,
      outcome: z.enum(['released', 'filled', 'left']),
      why: z.string().nullable().meta({ description: 'Why it was left alone.' }),
    }),
  ),
})
resourceSchemas.add(takenList, { id: 'TakenReservations' })
