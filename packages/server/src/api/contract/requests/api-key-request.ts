/** The request to create a key. */
import { z } from 'zod'
import { SCOPES } from '../../../core/access/caller.ts'
import { requestSchemas } from '../api-schemas.ts'
import { addressInput } from '../values/address.ts'
import { amountInput } from '../values/amount.ts'
import { instantInput } from '../values/instant.ts'
import { textInput } from '../values/text.ts'

const MAX_LISTED = 1_000
const MAX_PER_SECOND = 100_000

function wholeNumber(max: number) {
  const error = `must be a whole number from 1 to ${max}`
  return z.int({ error }).min(1, { error }).max(max, { error })
}

/** Duplicates count once. */
function listOf<T extends z.ZodType>(item: T, most: number) {
  const error = `must be a list of 1 to ${most}`
  return z
    .array(item, { error })
    .min(1, { error })
    .max(most, { error })
    .transform((items) => [...new Set(items)])
}

export const apiKeyRequest = z
  .strictObject({
    name: textInput(100).meta({
      description: 'Who uses the key, or what for. Shown in the history and the audit log.',
    }),
    tenant: textInput(100).nullable().default(null).meta({
      description:
        'The tenant that the key belongs to. All keys of a tenant share its limits and its request ids, so give a replacement key the same tenant. Default: the name of the key.',
    }),
    scopes: listOf(z.enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` }), 10).meta({
      description: 'What the key may do. No scope includes another.',
    }),
    signers: listOf(addressInput, MAX_LISTED)
      .nullable()
      .default(null)
      .meta({ description: 'The signers that the key may see and use. Null: all.' }),
    chains: listOf(wholeNumber(Number.MAX_SAFE_INTEGER), MAX_LISTED)
      .nullable()
      .default(null)
      .meta({ description: 'The chains that the key may see and use. Null: all.' }),
    rate: z
      .strictObject({
        perSecond: wholeNumber(MAX_PER_SECOND).meta({
          description: 'Items per second on average. A request counts as one item, a batch as many as it contains.',
        }),
        burst: wholeNumber(MAX_PER_SECOND)
          .optional()
          .meta({ description: 'Items at once. Default: the same as `perSecond`.' }),
      })
      .transform(({ perSecond, burst }) => ({ perSecond, burst: burst ?? perSecond }))
      .nullable()
      .default(null)
      .meta({ description: 'Rate limit, counted by each node separately. Null: no limit.' }),
    maxTxFee: amountInput({ min: 1n }).nullable().default(null).meta({
      description:
        'The most that a transaction sent with this key may cost in fees, in wei. A lower limit of the signer or the chain still applies. Null: no limit for this key.',
    }),
    expiresAt: instantInput.nullable().default(null).meta({ description: 'Null: the key never expires.' }),
  })
  .transform(({ maxTxFee, ...rest }) => ({ ...rest, maxTxFeeWei: maxTxFee }))
  .meta({ description: 'A key cannot grant more than the key that creates it has.' })
requestSchemas.add(apiKeyRequest, { id: 'ApiKeyRequest' })
