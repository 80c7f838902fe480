/** Webhooks and their deliveries as the API shows them. A secret is shown once, when it is created. */
import { z } from 'zod'
import { DELIVERY_STATES } from '../../../core/webhook/webhook.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { instant } from '../values/instant.ts'

export const webhookResource = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  types: z.array(z.string()).nullable(),
  chainId: z.int().nullable(),
  from: address.nullable(),
  completions: z.boolean(),
  enabled: z.boolean(),
  disabled: z
    .object({
      reason: z.enum(['operator', 'gone', 'failing']).meta({
        description:
          'Why deliveries stopped: someone disabled the webhook, the receiver answered 410, or nothing could be delivered for a long time.',
      }),
      at: instant,
    })
    .nullable(),
  failingSince: instant.nullable().meta({ description: 'Since when all deliveries have failed.' }),
  plannedTo: z.int().meta({ description: 'Deliveries exist for all events up to this one.' }),
  previousSecretUntil: instant
    .nullable()
    .meta({ description: 'Until then, deliveries are also signed with the old secret.' }),
  createdAt: instant,
  createdBy: z.string(),
})
export type WebhookResource = z.infer<typeof webhookResource>
resourceSchemas.add(webhookResource, { id: 'Webhook' })

const secret = z.string().meta({
  description: '`whsec_` and base64, as in Standard Webhooks. It is shown only once, so store it now.',
})

export const newWebhookResource = webhookResource.extend({ secret })
resourceSchemas.add(newWebhookResource, { id: 'NewWebhook' })

export const changedWebhookResource = webhookResource.extend({ secret: secret.optional() })
resourceSchemas.add(changedWebhookResource, { id: 'ChangedWebhook' })

export const webhookList = z.object({ items: z.array(webhookResource) })
resourceSchemas.add(webhookList, { id: 'WebhookList' })

export const deliveryResource = z.object({
  id: z.string().meta({ description: 'The `webhook-id` that the receiver sees. It is the same for every attempt.' }),
  webhookId: z.string(),
  eventId: z.int().nullable().meta({ description: 'Null for a test.' }),
  transactionId: z.string().nullable(),
  type: z.string(),
  state: z.enum(DELIVERY_STATES),
  dueAt: instant.nullable().meta({
    description:
      'Time of the next attempt. Null if the delivery is finished, or waits for an earlier delivery of the same transaction.',
  }),
  attempts: z.int(),
  lastAttempt: z
    .object({
      at: instant,
      status: z.int().nullable().meta({ description: 'Null if there was no response.' }),
      error: z.string().nullable(),
      response: z.string().nullable().meta({ description: 'The first bytes of the response.' }),
      durationMs: z.int(),
    })
    .nullable(),
  createdAt: instant,
  settledAt: instant.nullable(),
})
export type DeliveryResource = z.infer<typeof deliveryResource>
resourceSchemas.add(deliveryResource, { id: 'Delivery' })

export const deliveryPage = z.object({
  items: z.array(deliveryResource),
  next: z.int().nullable().meta({ description: 'Pass it as `before` to get the next page. Null on the last page.' }),
})
resourceSchemas.add(deliveryPage, { id: 'DeliveryPage' })
