/** What a new key may be. */
import { z } from 'zod'
import { SCOPES } from '../../../core/access/caller.ts'
import { requestSchemas } from '../api-schemas.ts'
import { addressInput } from '../values/address.ts'
import { amountInput } from '../values/amount.ts'
import { instantInput } from '../values/instant.ts'
import { textInput } from '../values/text.ts'

const MOST_LISTED = 1_000
const MOST_PER_SECOND = 100_000

function wholeNumber(max: number) {
  const error = `must be a whole number from 1 to ${max}`
  return z.int({ error }).min(1, { error }).max(max, { error })
}

/** Twice the same is once. */
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
    name: textInput(100).meta({ description: 'Whose it is or what it is for; the history and the audit show it.' }),
    tenant: textInput(100).nullable().default(null).meta({
      description:
        'Whom it belongs to. Keys of one tenant share its part of every pool and its request ids, so a key that takes over from another names the same tenant. Left out: the name.',
    }),
    scopes: listOf(z.enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` }), 10).meta({
      description: 'What it may do; none implies another.',
    }),
    signers: listOf(addressInput, MOST_LISTED)
      .nullable()
      .default(null)
      .meta({ description: 'The only signers that it may see and use; null: all.' }),
    chains: listOf(wholeNumber(Number.MAX_SAFE_INTEGER), MOST_LISTED)
      .nullable()
      .default(null)
      .meta({ description: 'The only chains that it may see and use; null: all.' }),
    rate: z
      .strictObject({
        perSecond: wholeNumber(MOST_PER_SECOND).meta({
          description: 'Items in a second, over time: a request is one, and a batch as many as it holds.',
        }),
        burst: wholeNumber(MOST_PER_SECOND)
          .optional()
          .meta({ description: 'At once; left out: as many as a second has.' }),
      })
      .transform(({ perSecond, burst }) => ({ perSecond, burst: burst ?? perSecond }))
      .nullable()
      .default(null)
      .meta({ description: 'Counted by each node for itself; null: no limit.' }),
    maxTxFee: amountInput({ min: 1n }).nullable().default(null).meta({
      description:
        'Wei; no transaction that it sends may cost more than this in fees. A lower limit of the signer or the chain counts as well. Null: no limit of its own.',
    }),
    expiresAt: instantInput.nullable().default(null).meta({ description: 'Null: never.' }),
  })
  .transform(({ maxTxFee, ...rest }) => ({ ...rest, maxTxFeeWei: maxTxFee }))
  .meta({ description: 'Nothing in it may be more than the key has that makes it.' })
requestSchemas.add(apiKeyRequest, { id: 'ApiKeyRequest' })
