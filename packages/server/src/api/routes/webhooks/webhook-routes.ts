/** `/v1/webhooks`: who receives events. */
import { z } from 'zod'
import { webhookChange, webhookRequest } from '../../contract/requests/webhook-request.ts'
import {
  changedWebhookResource,
  newWebhookResource,
  webhookList,
  webhookResource,
} from '../../contract/resources/webhook-resource.ts'
import { uuidParam } from '../../contract/values/uuid-param.ts'
import { presentWebhook } from '../../present/present-webhook.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const params = z.strictObject({ id: uuidParam('a webhook') })

export const createWebhook = defineRoute(
  { ...NO_INPUT, body: webhookRequest },
  {
    operationId: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook: Drover posts events to a URL, signed as in Standard Webhooks',
    scope: 'admin',
    answers: [{ status: 201, description: 'The webhook, with its secret.', schema: newWebhookResource }],
    errors: ['webhook_limit'],
  },
  async ({ body }, { webhooks }, caller) => {
    const { webhook, secret } = await webhooks.create(caller, body)
    return {
      status: 201,
      headers: { location: `/v1/webhooks/${webhook.id}` },
      body: { ...presentWebhook(webhook), secret },
    }
  },
)

export const listWebhooks = defineRoute(
  NO_INPUT,
  {
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List the webhooks, newest first, without their secrets',
    scope: 'admin',
    answers: [{ status: 200, description: 'All webhooks.', schema: webhookList }],
    errors: [],
  },
  async (_, { webhooks }) => ({ status: 200, body: { items: (await webhooks.list()).map(presentWebhook) } }),
)

export const showWebhook = defineRoute(
  { ...NO_INPUT, params },
  {
    operationId: 'showWebhook',
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Show a webhook',
    scope: 'admin',
    answers: [{ status: 200, description: 'The webhook.', schema: webhookResource }],
    errors: ['not_found'],
  },
  async ({ params: { id } }, { webhooks }) => ({ status: 200, body: presentWebhook(await webhooks.get(id)) }),
)

export const updateWebhook = defineRoute(
  { ...NO_INPUT, params, body: webhookChange },
  {
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change, disable or enable a webhook, or rotate its secret',
    scope: 'admin',
    answers: [{ status: 200, description: 'The updated webhook.', schema: changedWebhookResource }],
    errors: ['not_found'],
  },
  async ({ params: { id }, body }, { webhooks }) => {
    const { webhook, secret } = await webhooks.update(id, body)
    return { status: 200, body: { ...presentWebhook(webhook), ...(secret !== null && { secret }) } }
  },
)

export const deleteWebhook = defineRoute(
  { ...NO_INPUT, params },
  {
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook with all of its deliveries',
    scope: 'admin',
    answers: [{ status: 200, description: 'The deleted webhook.', schema: webhookResource }],
    errors: ['not_found'],
  },
  async ({ params: { id } }, { webhooks }) => ({ status: 200, body: presentWebhook(await webhooks.remove(id)) }),
)
