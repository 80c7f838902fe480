/** An intent in the caller's terms, and the request made from it. */

import type { TransactionRequest } from '../generated/api-types.ts'
import { createRequestId } from '../transport/create-request-id.ts'

/** What to do. Without a `requestId` the client generates one, so automatic retries are safe. */
export type Intent = Omit<TransactionRequest, 'validUntil' | 'notBefore'> & {
  /** After this time it no longer takes a nonce. */
  readonly validUntil?: string | Date
  /** It takes no nonce before the chain has this block, or a block of this time. */
  readonly notBefore?: { readonly height?: number; readonly time?: string | Date }
}

export function toRequest(intent: Intent): TransactionRequest & { readonly requestId: string } {
  const { validUntil, notBefore, requestId = createRequestId(), ...rest } = intent
  return {
    ...rest,
    ...(validUntil !== undefined && { validUntil: spellTime(validUntil) }),
    ...(notBefore !== undefined && { notBefore: spellStart(notBefore) }),
    requestId,
  }
}

function spellStart({ height, time }: NonNullable<Intent['notBefore']>): NonNullable<TransactionRequest['notBefore']> {
  return { ...(height !== undefined && { height }), ...(time !== undefined && { time: spellTime(time) }) }
}

export function spellTime(time: string | Date): string {
  return typeof time === 'string' ? time : time.toISOString()
}
