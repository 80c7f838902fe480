/** The header `Idempotency-Key`, which is the request id where the body has none. */
import { z } from 'zod'
import { AppError } from '../../core/app-error.ts'
import { requestIdInput } from '../contract/requests/transaction-request.ts'

export const IDEMPOTENCY_KEY = 'idempotency-key'

export const idempotencyHeaders = z.object({
  [IDEMPOTENCY_KEY]: requestIdInput.optional().meta({ description: 'Same as `requestId` in the body.' }),
})

export function agreeOnRequestId(
  inBody: string | null,
  { [IDEMPOTENCY_KEY]: inHeader = null }: { readonly [IDEMPOTENCY_KEY]?: string | null | undefined },
): string | null {
  if (inBody !== null && inHeader !== null && inBody !== inHeader) {
    const message = 'requestId and the header Idempotency-Key differ. Give only one, or the same value for both.'
    throw new AppError('invalid_request', message, { field: 'requestId' })
  }
  return inBody ?? inHeader
}
