/** An attempt as JSON: the one place that shows signed bytes. */
import type { Attempt } from '../../core/transaction/transaction.ts'
import type { AttemptResource } from '../contract/resources/transaction-resource.ts'
import { presentInstant } from '../contract/values/instant.ts'
import { presentFees } from './present-fees.ts'

export function presentAttempt(attempt: Attempt): AttemptResource {
  const { hash, kind, nonce, gasLimit, fees, raw, createdAt } = attempt
  return {
    hash,
    kind,
    nonce,
    raw,
    gasLimit: gasLimit.toString(),
    fees: presentFees(fees),
    createdAt: presentInstant(createdAt),
  }
}
