/** The bodies of the reservation API: what may be written there, and within which bounds. */
import { z } from 'zod'
import { requestSchemas } from '../api-schemas.ts'
import { hashInput } from '../values/bytes.ts'
import { textInput } from '../values/text.ts'
import { reasonInput } from './operator-request.ts'
import { requestIdInput } from './transaction-request.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** The service's own maximum is a setting, and told by the error. */
const ttlMs = z
  .int({ error: `must be a whole number from 1000 to ${DAY_MS}` })
  .min(1_000, { error: 'must be at least 1000' })
  .max(DAY_MS, { error: `must be at most ${DAY_MS}` })
  .meta({ description: 'How long the nonce stays lent without being used, in milliseconds.' })

const lockOwner = textInput(200).meta({
  description: 'The proof that the reservation was made with; whoever has it may act for the holder.',
})

export const reservationRequest = z.strictObject({
  chainId: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'May be left out where the signer is registered on one chain.' }),
  ttlMs: ttlMs.optional().meta({
    description:
      'How long the nonce stays lent without being used, in milliseconds. Left out: `reservationTtl` of the service, one minute by default. At most its `reservationMaxTtl`, ten minutes by default.',
  }),
  count: z.int().min(1).max(100).default(1).meta({ description: 'How many nonces; they need not be consecutive.' }),
  requestId: requestIdInput.optional().meta({ description: 'The same again gives the same reservations.' }),
  label: textInput(100).optional(),
  lockOwner: lockOwner.optional().meta({
    description:
      'A proof of your own, not to be guessed: with it and a requestId a lost answer can be asked for again. Left out, one is made up and told once.',
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
  chainId: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'May be left out where the signer is registered on one chain.' }),
  reason: reasonInput,
  reservationId: z
    .uuid({ error: 'must be the id of a reservation' })
    .optional()
    .meta({ description: 'Only this one.' }),
  tenant: textInput(100).optional().meta({ description: 'Only those of this tenant.' }),
  keyId: textInput(100).optional().meta({ description: 'Only those that were made with this API key.' }),
})
requestSchemas.add(takeBackRequest, { id: 'TakeBackRequest' })
