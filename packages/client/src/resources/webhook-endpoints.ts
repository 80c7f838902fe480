/** Webhooks: where the service posts events, and the outcome of each delivery. */
import type {
  ChangedWebhook,
  Delivery,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookRequest,
} from '../generated/api-types.ts'
import type { CallOptions, Request } from '../transport/operation.ts'

export interface DeliveryOptions extends CallOptions {
  /** Only those in this state. */
  readonly state?: Delivery['state']
  /** How many are fetched at a time; at most 200. */
  readonly pageSize?: number
}

export interface WebhookEndpoints {
  /** Its `secret` is returned only here; `verifyWebhook` of `@drover/client/webhooks` takes it. */
  create(webhook: WebhookRequest, options?: CallOptions): Promise<NewWebhook>
  list(options?: CallOptions): Promise<readonly Webhook[]>
  get(id: string, options?: CallOptions): Promise<Webhook>
  /** With `rotateSecret` the response has the new secret; the old one also signs for a while. */
  update(id: string, change: WebhookChange, options?: CallOptions): Promise<ChangedWebhook>
  /** Also deletes all of its deliveries. */
  delete(id: string, options?: CallOptions): Promise<Webhook>
  /** Newest first, fetched page by page as you iterate. */
  deliveries(id: string, options?: DeliveryOptions): AsyncIterableIterator<Delivery>
  /** Redelivers it now, under the same id. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>
  /** Sends an event of the type `webhook.test`. */
  test(id: string, options?: CallOptions): Promise<Delivery>
}

export function createWebhookEndpoints(request: Request): WebhookEndpoints {
  return {
    create: (body, options) => request('POST /v1/webhooks', { body }, options),
    list: async (options) => (await request('GET /v1/webhooks', {}, options)).items,
    get: (id, options) => request('GET /v1/webhooks/{id}', { params: { id } }, options),
    update: (id, body, options) => request('PATCH /v1/webhooks/{id}', { params: { id }, body }, options),
    delete: (id, options) => request('DELETE /v1/webhooks/{id}', { params: { id } }, options),
    async *deliveries(id, { state, pageSize = 100, signal } = {}) {
      for (let before: number | null | undefined; before !== null; ) {
        const page = { limit: pageSize, ...(state !== undefined && { state }), ...(before !== undefined && { before }) }
        const input = { params: { id }, query: page }
        const { items, next } = await request('GET /v1/webhooks/{id}/deliveries', input, { signal })
        yield* items
        before = next
      }
    },
    redeliver: (id, deliveryId, options) =>
      request('POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', { params: { id, deliveryId } }, options),
    test: (id, options) => request('POST /v1/webhooks/{id}/test', { params: { id } }, options),
  }
}
