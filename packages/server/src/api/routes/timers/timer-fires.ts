/** Which timers have fired, which fire next, and by which rules. */
import { z } from 'zod'
import { timerParamsChange } from '../../contract/requests/timer-request.ts'
import { firePage, timerParamsResource, timerQueueResource } from '../../contract/resources/timer-resource.ts'
import { integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { presentFire, presentQueue } from '../../present/present-timer.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'
import { timerParams } from './timer-routes.ts'

const placeParam = z
  .string()
  .regex(/^[0-9]{1,15}-[0-9]{1,9}$/, { error: 'must be the `next` of a previous page' })
  .meta({ description: '`next` from the previous page.' })
  .transform((text) => {
    const [height, position] = text.split('-').map(Number)
    return { height: height ?? 0, position: position ?? 0 }
  })

export const listFires = defineRoute(
  { ...NO_INPUT, params: timerParams, query: z.strictObject({ limit: pageLimitParam, before: placeParam.optional() }) },
  {
    operationId: 'listFires',
    method: 'GET',
    path: '/v1/timers/{id}/fires',
    summary: 'List what a timer has fired, newest first, with the transactions that came of it',
    scope: 'read',
    answers: [{ status: 200, description: 'One page.', schema: firePage }],
    errors: ['not_found'],
  },
  async ({ params: { id }, query: { limit, before } }, { timers }) => {
    const fires = await timers.listFires(id, { before: before ?? null, limit })
    const last = fires.length < limit ? undefined : fires.at(-1)
    const next = last === undefined ? null : `${last.height}-${last.position}`
    return { status: 200, body: { items: fires.map(presentFire), next } }
  },
)

const chainQuery = { chainId: integerParam(1, Number.MAX_SAFE_INTEGER).optional() }

export const showTimerQueue = defineRoute(
  { ...NO_INPUT, query: z.strictObject({ ...chainQuery, limit: pageLimitParam }) },
  {
    operationId: 'showTimerQueue',
    method: 'GET',
    path: '/v1/timers/queue',
    summary: 'Show which timers fire at the next block, in order, and which limit holds back the others',
    scope: 'read',
    answers: [{ status: 200, description: 'The timers that are due.', schema: timerQueueResource }],
    errors: ['unknown_chain', 'timers_unavailable'],
  },
  async ({ query: { chainId, limit } }, { timers }) => ({
    status: 200,
    body: presentQueue(await timers.queue(chainId ?? null, limit)),
  }),
)

export const changeTimerParams = defineRoute(
  { ...NO_INPUT, query: z.strictObject(chainQuery), body: timerParamsChange },
  {
    operationId: 'changeTimerParams',
    method: 'PATCH',
    path: '/v1/timers/params',
    summary: 'Change the quotas and weights of the timers of a chain, from the next epoch of 64 blocks on',
    scope: 'operate',
    answers: [{ status: 200, description: 'All parameters as they will be.', schema: timerParamsResource }],
    errors: ['unknown_chain', 'timers_unavailable'],
  },
  async ({ query: { chainId }, body }, { timers }) => ({
    status: 200,
    body: await timers.changeParams(chainId ?? null, body),
  }),
)
