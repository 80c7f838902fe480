/** `/v1/webhooks/{id}/deliveries`: what a webhook was sent, the result, and redelivery by hand. */
import { z } from 'zod'
import { DELIVERY_STATES } from '../../../core/webhook/webhook.ts'
import { deliveryPage, deliveryResource } from '../../contract/resources/webhook-resource.ts'
import { integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { uuidParam } from '../../contract/values/uuid-param.ts'
import { presentDelivery } from '../../present/present-webhook.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const id = uuidParam('a webhook')

export const listDeliveries = defineRoute(
  {
    ...NO_INPUT,
    params: z.strictObject({ id }),
    query: z.strictObject({
      state: z.enum(DELIVERY_STATES).optional().meta({ description: 'Only deliveries in this state.' }),
      before: integerParam(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: '`next` from the previous page.' }),
      limit: pageLimitParam,
    }),
  },
  {
    operationId: 'listDeliveries',
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook, newest first, page by page',
    scope: 'admin',
    answers: [{ status: 200, description: 'One page.', schema: deliveryPage }],
    errors: ['not_found'],
  },
  async ({ params, query: { state, before, limit } }, { webhooks }) => {
    const page = { state: state ?? null, before: before ?? null, limit }
    const items = await webhooks.listDeliveries(params.id, page)
    const next = items.length === limit ? (items.at(-1)?.place ?? null) : null
    return { status: 200, body: { items: items.map(presentDelivery), next } }
  },
)

export const redeliver = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id, deliveryId: uuidParam('a delivery') }) },
  {
    operationId: 'redeliver',
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    summary: 'Send a delivery again now, with the same id',
    scope: 'admin',
    answers: [{ status: 202, description: 'Scheduled.', schema: deliveryResource }],
    errors: ['not_found', 'action_forbidden'],
  },
  async ({ params }, { webhooks }) => ({
    status: 202,
    body: presentDelivery(await webhooks.redeliver(params.id, params.deliveryId)),
  }),
)

export const testWebhook = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id }) },
  {
    operationId: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send a webhook.test event to check that deliveries arrive',
    scope: 'admin',
    answers: [{ status: 202, description: 'Scheduled. Its delivery shows the result.', schema: deliveryResource }],
    errors: ['not_found', 'action_forbidden'],
  },
  async ({ params }, { webhooks }) => ({ status: 202, body: presentDelivery(await webhooks.test(params.id)) }),
)
