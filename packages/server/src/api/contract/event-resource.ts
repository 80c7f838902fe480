/** One entry of the history, which is also the event stream. */
import { z } from 'zod'
import { TX_STATES } from '../../core/transaction.ts'
import { address } from './address.ts'
import { resourceSchemas } from './api-schemas.ts'
import { instant } from './instant.ts'

export const eventResource = z.object({
  eventId: z.int().min(0).meta({ description: 'Place in the stream; grows in commit order.' }),
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
  count: z.int().min(1).meta({ description: 'How often in a row this happened; equal entries are kept as one.' }),
  lastAt: instant,
})
export type EventResource = z.infer<typeof eventResource>
resourceSchemas.add(eventResource, { id: 'Event' })

export const history = z.object({ items: z.array(eventResource) })
resourceSchemas.add(history, { id: 'History' })

export const eventPage = z.object({
  items: z.array(eventResource),
  next: z.int().min(0).meta({ description: 'Pass as `after` to go on, now or later: it never skips an event.' }),
})
resourceSchemas.add(eventPage, { id: 'EventPage' })
