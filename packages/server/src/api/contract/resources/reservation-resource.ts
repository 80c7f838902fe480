/** A reservation as the API shows it. The proof of its holder is told once, beside it, and never again. */
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
  nonce: z.int().min(0).nullable().meta({ description: 'Null until the owner of the lane has lent one.' }),
  lockedUntil: instant.meta({
    description:
      'Use it before this, by the clock of the database. Without a nonce: after this none is wanted any more.',
  }),
  ttlMs: z.int(),
  tenant: z.string().meta({ description: 'Whose it is; empty where the service has no API keys.' }),
  holder: z.string().nullable().meta({ description: 'The API key that it was made with: name and id.' }),
  label: z.string().nullable(),
  requestId: z.string().nullable(),
  hash: hash.nullable().meta({ description: 'The one that is included, else the latest that the holder named.' }),
  hashes: z.array(hash).meta({ description: 'All that the holder named, oldest first.' }),
  inclusion: z
    .object({ transactionHash: hash, blockNumber: z.int(), blockHash: hash, succeeded: z.boolean() })
    .nullable(),
  result: z
    .enum(RESERVATION_RESULTS)
    .nullable()
    .meta({ description: 'How the nonce ended on chain; `foreign`: by a transaction that the holder did not name.' }),
  alarm: z
    .object({ cause: z.enum(RESERVATION_ALARMS), at: instant })
    .nullable()
    .meta({
      description:
        'Raised after `stuckAfter`. `unknown_hash`: no RPC node knows what was sent; `not_mined`, `not_used`: others wait for it.',
    }),
  fillOrderedAt: instant
    .nullable()
    .meta({ description: 'When an operator ordered an empty transaction for its nonce. Whichever is mined uses it.' }),
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
      'The proof to act on them with. Keep it: it is told once. Null where it was told with the first answer.',
  }),
})
resourceSchemas.add(reservationList, { id: 'ReservationList' })

export const reservationPage = z.object({
  items: z.array(
    z.object({
      nonce: z.int().min(0).nullable(),
      reservation: reservationResource
        .nullable()
        .meta({ description: "Null: the nonce is taken by another tenant's reservation." }),
    }),
  ),
  next: z.string().nullable().meta({ description: 'Pass as `after` for the next page; null at the end.' }),
})
resourceSchemas.add(reservationPage, { id: 'ReservationPage' })

export const takenList = z.object({
  items: z.array(
    z.object({
      reservation: reservationResource,
      outcome: z.enum(['released', 'filled', 'left']),
      why: z.string().nullable().meta({ description: 'Why it was left.' }),
    }),
  ),
})
resourceSchemas.add(takenList, { id: 'TakenReservations' })
