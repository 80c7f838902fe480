/** The request bodies of the reservation API, and their bounds. */
import { z } from 'zod'
import { requestSchemas } from '../api-schemas.ts'
import { hashInput } from '../values/bytes.ts'
import { textInput } from '../values/text.ts'
import { reasonInput } from './operator-request.ts'
import { requestIdInput } from './transaction-request.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** The service's own maximum is a setting. The error names it. */
const ttlMs = z
  .int({ error: `must be a whole number from 1000 to ${DAY_MS}` })
  .min(1_000, { error: 'must be at least 1000' })
  .max(DAY_MS, { error: `must be at most ${DAY_MS}` })
  .meta({ description: 'How long the nonce stays reserved if it is not used, in milliseconds.' })

const lockOwner = textInput(200).meta({
  description: 'The `lockOwner` of the reservation. Anyone who has it can act on the reservation.',
})

export const reservationRequest = z.strictObject({
  chainId: z.int().min(1).optional().meta({ description: 'Optional if the signer is registered on only one chain.' }),
  ttlMs: ttlMs.optional().meta({
    description:
      'How long the nonce stays reserved if it is not used, in milliseconds. Default: the setting `reservationTtl` (one minute). Maximum: the setting `reservationMaxTtl` (ten minutes).',
  }),
  count: z.int().min(1).max(100).default(1).meta({ description: 'Number of nonces. They are not always consecutive.' }),
  requestId: requestIdInput
    .optional()
    .meta({ description: 'Idempotency key. Sending the same again returns the same reservations.' }),
  label: textInput(100).optional(),
  lockOwner: lockOwner.optional().meta({
    description:
      'A secret of your own that nobody can guess. With it and a `requestId` you can repeat a request whose response was lost. Default: Drover creates one and returns it once.',
  }),
})
requestSchemas.add(reservationRequest, { id: 'ReservationRequest' })

export const useRequest = z.strictObject({ lockOwner, hash: hashInput })
requestSchemas.add(useRequest, { id: 'UseNonceRequest' })

export const extendRequest = z.strictObject({ lockOwner, ttlMs })
requestSchemas.add(extendRequest, { id: 'ExtendNonceRequest' })

export const releaseRequest = z.strictObject({ lockOwner })
requestSchemas.add(releaseRequest, { id: 'ReleaseNonceRequest' })

export const takeBackRequest = z.strictObject({
  chainId: z.int().min(1).optional().meta({ description: 'Optional if the signer is registered on only one chain.' }),
  reason: reasonInput,
  reservationId: z
    .uuid({ error: 'must be the id of a reservation' })
    .optional()
    .meta({ description: 'Only this reservation.' }),
  tenant: textInput(100).optional().meta({ description: 'Only reservations of this tenant.' }),
  keyId: textInput(100).optional().meta({ description: 'Only reservations made with this API key.' }),
})
requestSchemas.add(takeBackRequest, { id: 'TakeBackRequest' })
