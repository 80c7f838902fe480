/** What is to be done, in the caller's words, and the request that says so. */

import type { TransactionRequest } from '../generated/api-types.ts'
import { createRequestId } from '../transport/create-request-id.ts'

/** What is to be done. Without a `requestId` it gets one of its own, so that sending it again by itself is safe. */
export type Intent = Omit<TransactionRequest, 'validUntil'> & {
  /** After it no nonce is taken any more. */
  readonly validUntil?: string | Date
}

export function toRequest(intent: Intent): TransactionRequest & { readonly requestId: string } {
  const { validUntil, requestId = createRequestId(), ...rest } = intent
  return { ...rest, ...(validUntil !== undefined && { validUntil: spellTime(validUntil) }), requestId }
}

export function spellTime(time: string | Date): string {
  return typeof time === 'string' ? time : time.toISOString()
}
