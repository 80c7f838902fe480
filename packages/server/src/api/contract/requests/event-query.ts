/** Event filters: as query parameters, and as body fields. */
import { z } from 'zod'
import type { EventFilter } from '../../../core/webhook/event-filter.ts'
import { addressInput } from '../values/address.ts'
import { integerParam } from '../values/query.ts'

const TYPE = /^[a-z_]+(?:\.[a-z_]+)*$/
const MAX_TYPE_LENGTH = 64
const MAX_TYPES = 50
const TYPE_RULE = 'must be the type of an event, such as inclusion.seen'

export const eventTypes = z
  .array(z.string().max(MAX_TYPE_LENGTH, { error: TYPE_RULE }).regex(TYPE, { error: TYPE_RULE }))
  .min(1)
  .max(MAX_TYPES)

const typesParam = z
  .string({ error: 'must be given only once' })
  .meta({
    description: `Only events of these types (1 to ${MAX_TYPES}, separated by commas).`,
    examples: ['inclusion.seen,finality.reached'],
  })
  .transform((text, context) => {
    const parsed = eventTypes.safeParse(text.split(','))
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: `must be 1 to ${MAX_TYPES} types of events, separated by commas` })
    return z.NEVER
  })

const completionsParam = z
  .enum(['true', 'false'])
  .default('false')
  .meta({ description: '`true`: only the event that made each transaction final.' })

export const eventFilterParams = {
  types: typesParam.optional(),
  chainId: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
  from: addressInput.optional(),
  completions: completionsParam,
}

type FilterParams = z.output<z.ZodObject<typeof eventFilterParams>>

export function toEventFilter({ types, chainId, from, completions }: FilterParams): EventFilter {
  return {
    types: types ?? null,
    chainId: chainId ?? null,
    signer: from ?? null,
    completions: completions === 'true',
  }
}
