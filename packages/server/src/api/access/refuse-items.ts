/** A batch without the items that this caller may not send. Each item still gets its own result, in order. */
import type { Caller } from '../../core/access/caller.ts'
import type { AppError } from '../../core/app-error.ts'
import type { AcceptRequest } from '../../engine/accept/accept-request.ts'
import type { ApiServices } from '../api-services.ts'

const BATCH = { operation: 'createTransactionBatch', target: '/v1/transactions/batch' }

export function refuseItems(
  { acceptBatch, access }: Pick<ApiServices, 'acceptBatch' | 'access'>,
  caller: Caller,
  findRefusal: (request: AcceptRequest) => AppError | null,
): ApiServices['acceptBatch'] {
  return async (requests, gone) => {
    const refusals = requests.map(findRefusal)
    // The batch as a whole succeeds, so nothing else would record that some items were refused.
    if (refusals.some((refusal) => refusal !== null)) await access.recordRefusal(caller, BATCH)
    const answers = [
      ...(await acceptBatch(
        requests.filter((_, index) => refusals[index] === null),
        gone,
      )),
    ]
    return refusals.map((reason) => {
      const answer = reason === null ? answers.shift() : { status: 'rejected' as const, reason }
      if (answer === undefined) throw new Error('a request of a batch has no answer')
      return answer
    })
  }
}
