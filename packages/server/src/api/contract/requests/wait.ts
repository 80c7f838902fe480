/** `?wait=` and `?timeoutMs=`: how far a transaction must get before the response is sent. */
import { z } from 'zod'
import { WAIT_STAGES } from '../../../core/transaction/stage-table.ts'
import { integerParam } from '../values/query.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const MAX_TIMEOUT_MS = 60_000

/** Says in a response why the wait ended. */
export const WAIT_HEADER = 'drover-wait'

export const waitQuery = z
  .strictObject({
    wait: z
      .enum(WAIT_STAGES, { error: `must be one of ${WAIT_STAGES.join(', ')}, once` })
      .optional()
      .meta({
        description:
          'Wait with the response until the transaction has reached this stage. The response header `Drover-Wait` then says `reached`, `ended` (it reverted, ended in another way, or is stuck), `timeout`, or `stopping` (ask again).',
      }),
    timeoutMs: integerParam(1, MAX_TIMEOUT_MS)
      .optional()
      .meta({
        description: `How long to wait, in milliseconds. After that, the response has the transaction as it is. Only with \`wait\`. Default: ${DEFAULT_TIMEOUT_MS}.`,
      }),
  })
  .refine(({ wait, timeoutMs }) => wait !== undefined || timeoutMs === undefined, {
    path: ['timeoutMs'],
    error: 'can only be used together with wait',
  })

export type WaitQuery = z.output<typeof waitQuery>

export function timeoutOf({ timeoutMs }: WaitQuery): number {
  return timeoutMs ?? DEFAULT_TIMEOUT_MS
}
