/** The requests to create and change a webhook. */
import { z } from 'zod'
import { requestSchemas } from '../api-schemas.ts'
import { addressInput } from '../values/address.ts'
import { textInput } from '../values/text.ts'
import { eventTypes } from './event-query.ts'

const MAX_URL_LENGTH = 2_000
const URL_RULE = `must be an https URL of at most ${MAX_URL_LENGTH} characters`

const urlInput = z
  .string({ error: URL_RULE })
  .max(MAX_URL_LENGTH, { error: URL_RULE })
  .meta({
    description:
      'Drover posts events to this URL. It must be https and not a private address, unless `webhookAllowPrivate` is set.',
  })
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url
    context.addIssue({ code: 'custom', message: URL_RULE })
    return z.NEVER
  })

const CHAIN_RULE = 'must be the id of a chain, a whole number'
const fields = {
  description: textInput(200).nullable(),
  types: eventTypes.nullable().meta({ description: 'Only events of these types. Null: all.' }),
  chainId: z
    .int({ error: CHAIN_RULE })
    .min(1, { error: CHAIN_RULE })
    .nullable()
    .meta({ description: 'Only events of this chain. Null: all.' }),
  from: addressInput.nullable().meta({ description: 'Only events of this signer. Null: all.' }),
  completions: z.boolean().meta({ description: 'Only the event that made each transaction final.' }),
}

export const webhookRequest = z.strictObject({
  url: urlInput,
  description: fields.description.default(null),
  types: fields.types.default(null),
  chainId: fields.chainId.default(null),
  from: fields.from.default(null),
  completions: fields.completions.default(false),
  after: z
    .int({ error: 'must be the id of an event, or 0' })
    .min(0, { error: 'must be the id of an event, or 0' })
    .nullable()
    .default(null)
    .meta({ description: 'Deliver events after this one. `0`: all events. Null: only new events.' }),
})
export type WebhookRequest = z.output<typeof webhookRequest>
requestSchemas.add(webhookRequest, { id: 'WebhookRequest' })

export const webhookChange = z
  .strictObject({
    url: urlInput.optional(),
    description: fields.description.optional(),
    types: fields.types.optional(),
    chainId: fields.chainId.optional(),
    from: fields.from.optional(),
    completions: fields.completions.optional(),
    enabled: z.boolean().optional().meta({
      description: '`false` stops deliveries. `true` resumes them, including all events missed in the meantime.',
    }),
    rotateSecret: z.literal(true, { error: 'must be true, or left out' }).optional().meta({
      description:
        'Create a new secret. It is returned only in this response. For a while, deliveries are signed with both secrets.',
    }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'must change at least one field',
  })
export type WebhookChangeRequest = z.output<typeof webhookChange>
requestSchemas.add(webhookChange, { id: 'WebhookChange' })
