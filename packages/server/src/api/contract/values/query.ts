/** Query parameters and path parts: text that has to become numbers, hashes and lists. */
import { z } from 'zod'
import { TX_STATES, type TxState } from '../../../core/transaction/transaction.ts'
import { parseHash } from './bytes.ts'

const ONCE = 'must be given only once'

/** A whole number in decimal, within bounds. */
export function integerParam(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string({ error: ONCE })
    .regex(/^\d{1,16}$/, { error: message })
    .meta({ description: `Whole number from ${min} to ${max}.` })
    .transform((text, context) => {
      const value = Number(text)
      if (value >= min && value <= max) return value
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
}

export const pageLimitParam = integerParam(1, 200).default(50)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const reservationIdParam = z
  .string()
  .meta({ description: 'Id of the reservation.' })
  .transform((text, context) => {
    const id = text.toLowerCase()
    if (UUID.test(id)) return id
    context.addIssue({ code: 'custom', message: 'must be the id of a reservation' })
    return z.NEVER
  })

/** Opaque to callers. */
export const cursorParam = z
  .string({ error: ONCE })
  .regex(/^[0-9]{1,16}$/, { error: 'must be the `next` of a previous page' })
  .meta({ description: '`next` from the previous page.' })

/** Which end of a list comes first. */
export function orderParam(first: 'asc' | 'desc') {
  return z
    .enum(['asc', 'desc'], { error: 'must be asc (oldest first) or desc (newest first)' })
    .default(first)
    .meta({ description: '`asc`: oldest first; `desc`: newest first.' })
}

const PAIR_RULE = 'must have the form key=value'

/** One pair, so that neither part needs a way to write commas; the key ends at the first `=`. */
export const metadataParam = z
  .string({ error: ONCE })
  .max(1_000, { error: PAIR_RULE })
  .meta({ description: 'Only transactions with this pair in their metadata.', examples: ['orderId=17'] })
  .transform((text, context): Readonly<Record<string, string>> => {
    const end = text.indexOf('=')
    if (end > 0) return { [text.slice(0, end)]: text.slice(end + 1) }
    context.addIssue({ code: 'custom', message: PAIR_RULE })
    return z.NEVER
  })

export const statesParam = z
  .string({ error: ONCE })
  .meta({ description: 'One or more states, separated by commas.', examples: ['QUEUED,TRACKING'] })
  .transform((text, context) => {
    const names = text.split(',')
    const states = names.filter(isState)
    if (states.length === names.length) return states
    context.addIssue({ code: 'custom', message: `must be a comma-separated list of ${TX_STATES.join(', ')}` })
    return z.NEVER
  })

function isState(name: string): name is TxState {
  return TX_STATES.some((state) => state === name)
}

export type TransactionKey =
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'hash'; readonly hash: `0x${string}` }

export const transactionKeyParam = z
  .string()
  .meta({ description: 'Id of the transaction, or the hash of any of its attempts.' })
  .transform((text, context): TransactionKey => {
    const id = text.toLowerCase()
    if (UUID.test(id)) return { type: 'id', id }
    const hash = parseHash(text)
    if (hash !== null) return { type: 'hash', hash }
    context.addIssue({ code: 'custom', message: 'must be the id of a transaction or the hash of one of its attempts' })
    return z.NEVER
  })
