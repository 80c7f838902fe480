/** One entry of the history, which is also the event stream. */
import { z } from 'zod'
import { TX_STATES } from '../../../core/transaction/transaction.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { instant } from '../values/instant.ts'
import { errorResource } from './error-resource.ts'
import { receiptResource } from './receipt-resource.ts'

const completion = z.object({
  requestId: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  receipt: receiptResource.nullable().meta({ description: 'Null if it ended without being mined.' }),
  error: errorResource.nullable(),
})

export const eventResource = z.object({
  eventId: z.int().min(0).meta({ description: 'Position in the stream. It grows in commit order.' }),
  transactionId: z.string().nullable(),
  chainId: z.int(),
  from: address,
  type: z.string(),
  cause: z.string().nullable(),
  fromState: z.enum(TX_STATES).nullable(),
  toState: z.enum(TX_STATES).nullable(),
  subState: z.string().nullable(),
  node: z.string().nullable(),
  fence: z.int().nullable(),
  detail: z.record(z.string(), z.unknown()),
  at: instant,
  count: z.int().min(1).meta({
    description:
      'How often this happened since `at`. Repeated resends and their answers in the same sub-state are one entry.',
  }),
  lastAt: instant,
  completion: completion
    .nullable()
    .meta({ description: 'Only in the event that made a transaction final: the transaction and its result.' }),
})
export type EventResource = z.infer<typeof eventResource>
resourceSchemas.add(eventResource, { id: 'Event' })

export const historyPage = z.object({
  items: z.array(eventResource),
  next: z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'Pass it as `after` to get the next page. Null on the last page.' }),
})
resourceSchemas.add(historyPage, { id: 'History' })

export const eventPage = z.object({
  items: z.array(eventResource),
  next: z.int().min(0).meta({ description: 'Pass it as `after` to continue, now or later. It never skips an event.' }),
})
resourceSchemas.add(eventPage, { id: 'EventPage' })
