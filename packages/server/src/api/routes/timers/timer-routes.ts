/** `/v1/timers`: calls that Drover makes at a block, every N blocks, or when an event is logged. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { actorOf, type Caller, keyIdOfActor } from '../../../core/access/caller.ts'
import { AppError } from '../../../core/app-error.ts'
import { subjectsOf } from '../../../core/rules/rule-set.ts'
import { type ManagedTimer, TIMER_STATES, type TimerState } from '../../../core/timer/timer.ts'
import type { TimerFilter } from '../../../ports/timer-store.ts'
import type { ApiServices } from '../../api-services.ts'
import { type TimerRequest, timerChange, timerRequest } from '../../contract/requests/timer-request.ts'
import { timerPage, timerResource } from '../../contract/resources/timer-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { cursorParam, integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { uuidParam } from '../../contract/values/uuid-param.ts'
import { presentTimer } from '../../present/present-timer.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'
import { agreeOnRequestId, idempotencyHeaders } from '../idempotency-key.ts'

export const timerParams = z.strictObject({ id: uuidParam('a timer') })

export const createTimer = defineRoute(
  { ...NO_INPUT, headers: idempotencyHeaders, body: timerRequest },
  {
    operationId: 'createTimer',
    method: 'POST',
    path: '/v1/timers',
    summary: 'Create a timer: a call at a block, every so many blocks, or when an event is logged',
    scope: 'send',
    answers: [
      { status: 201, description: 'The timer.', schema: timerResource },
      { status: 200, description: 'The same request was already accepted.', schema: timerResource },
    ],
    errors: ['idempotency_conflict', 'unknown_signer', 'unknown_chain', 'timer_limit', 'timers_unavailable'],
  },
  async ({ body, headers: given }, { timers }, caller) => {
    const { type, timer } = await timers.create({
      ...body,
      requestId: agreeOnRequestId(body.requestId, given),
      digest: digestOf(body),
      by: actorOf(caller),
      tenant: caller.tenant ?? '',
      maxFeeWei: caller.maxTxFeeWei,
    })
    const headers = { location: `/v1/timers/${timer.id}` }
    return { status: type === 'created' ? 201 : 200, headers, body: presentTimer(timer) }
  },
)

/** Its fields are in a fixed order, whatever order they were sent in. The chain is part of what the request id names. */
function digestOf({ requestId: _requestId, ...body }: TimerRequest): `0x${string}` {
  const metadata = Object.fromEntries(Object.entries(body.metadata).sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = JSON.stringify({ ...body, chainId: null, metadata }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

const statesParam = z
  .string()
  .meta({ description: 'One or more states, separated by commas.', examples: ['ACTIVE,PAUSED'] })
  .transform((text, context) => {
    const names = text.split(',')
    const states = names.filter((name): name is TimerState => TIMER_STATES.some((state) => state === name))
    if (states.length === names.length) return states
    context.addIssue({ code: 'custom', message: `must be a comma-separated list of ${TIMER_STATES.join(', ')}` })
    return z.NEVER
  })

const listQuery = z.strictObject({
  chainId: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
  from: addressInput.optional(),
  to: addressInput.optional(),
  state: statesParam.optional(),
  limit: pageLimitParam,
  before: cursorParam.optional(),
})

export const listTimers = defineRoute(
  { ...NO_INPUT, query: listQuery },
  {
    operationId: 'listTimers',
    method: 'GET',
    path: '/v1/timers',
    summary: 'List timers, newest first, page by page',
    scope: 'read',
    answers: [{ status: 200, description: 'One page.', schema: timerPage }],
    errors: [],
  },
  async ({ query: { limit, before, chainId, from, to, state } }, { timers }) => {
    const filter: TimerFilter = {
      ...(chainId !== undefined && { chainId }),
      ...(from !== undefined && { owner: from }),
      ...(to !== undefined && { target: to }),
      ...(state !== undefined && { states: state }),
    }
    const found = await timers.list(filter, { before: before === undefined ? null : Number(before), limit })
    const next = found.length < limit ? null : String(found.at(-1)?.place)
    return { status: 200, body: { items: found.map(presentTimer), next } }
  },
)

export const showTimer = defineRoute(
  { ...NO_INPUT, params: timerParams },
  {
    operationId: 'showTimer',
    method: 'GET',
    path: '/v1/timers/{id}',
    summary: 'Show a timer',
    scope: 'read',
    answers: [{ status: 200, description: 'The timer.', schema: timerResource }],
    errors: ['not_found'],
  },
  async ({ params: { id } }, { timers }) => ({ status: 200, body: presentTimer(await timers.get(id)) }),
)

export const updateTimer = defineRoute(
  { ...NO_INPUT, params: timerParams, body: timerChange },
  {
    operationId: 'updateTimer',
    method: 'PATCH',
    path: '/v1/timers/{id}',
    summary: 'Change the schedule, calldata, gas limit or bid of a timer. It goes to the back of the line',
    scope: 'send',
    answers: [{ status: 200, description: 'The updated timer.', schema: timerResource }],
    errors: ['not_found', 'action_forbidden', 'timers_unavailable'],
  },
  async ({ params: { id }, body }, services, caller) => {
    const { timers } = services
    await refuseForeignTerms(services, await timers.get(id), caller)
    return { status: 200, body: presentTimer(await timers.update(id, body)) }
  },
)

/** Its fires are bound by the rules of the key that made it: with the terms of another key they would escape those. */
async function refuseForeignTerms({ rules }: ApiServices, timer: ManagedTimer, { keyId }: Caller): Promise<void> {
  const maker = keyIdOfActor(timer.createdBy)
  if (maker === keyId) return
  const subjects = [...subjectsOf(timer.spec.owner, maker), ...subjectsOf(timer.spec.owner, keyId)]
  const found = await Promise.all([...new Set(subjects)].map((subject) => rules.read(subject)))
  if (found.every(({ account }) => account === null)) return
  const message =
    'Spending rules bind this timer, so only the API key that made it can change it. Cancel it and create another one.'
  throw new AppError('forbidden', message, { action: 'update' })
}

export const cancelTimer = defineRoute(
  { ...NO_INPUT, params: timerParams },
  {
    operationId: 'cancelTimer',
    method: 'DELETE',
    path: '/v1/timers/{id}',
    summary: 'Cancel a timer for good. What it has fired is still sent',
    scope: 'send',
    answers: [{ status: 200, description: 'The cancelled timer.', schema: timerResource }],
    errors: ['not_found', 'action_forbidden', 'timers_unavailable'],
  },
  async ({ params: { id } }, { timers }) => ({ status: 200, body: presentTimer(await timers.cancel(id)) }),
)

export const pauseTimer = defineRoute(
  { ...NO_INPUT, params: timerParams },
  {
    operationId: 'pauseTimer',
    method: 'POST',
    path: '/v1/timers/{id}/pause',
    summary: 'Pause a timer: it does not fire until it is resumed',
    scope: 'send',
    answers: [{ status: 200, description: 'The paused timer.', schema: timerResource }],
    errors: ['not_found', 'action_forbidden', 'timers_unavailable'],
  },
  async ({ params: { id } }, { timers }) => ({ status: 200, body: presentTimer(await timers.pause(id)) }),
)

export const resumeTimer = defineRoute(
  { ...NO_INPUT, params: timerParams },
  {
    operationId: 'resumeTimer',
    method: 'POST',
    path: '/v1/timers/{id}/resume',
    summary: 'Resume a paused timer. An interval counts from now, and a watch sees events from now on',
    scope: 'send',
    answers: [{ status: 200, description: 'The resumed timer.', schema: timerResource }],
    errors: ['not_found', 'action_forbidden', 'timer_limit', 'timers_unavailable'],
  },
  async ({ params: { id } }, { timers }) => ({ status: 200, body: presentTimer(await timers.resume(id)) }),
)
