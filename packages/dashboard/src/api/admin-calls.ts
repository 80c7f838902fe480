/** Calls about webhooks, API keys and the audit log: those that need the scope `admin`. */

import type {
  ApiKeyResource,
  AuditResource,
  DeliveryResource,
  EventResource,
  WebhookResource,
} from './api-resources.ts'
import type { List } from './list.ts'
import type { Requester } from './requester.ts'

export interface DeliveryPage extends List<DeliveryResource> {
  readonly next: number | null
}

export interface AuditPage extends List<AuditResource> {
  readonly next: number | null
}

export interface NewKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly signers: readonly string[] | null
  readonly expiresAt: string | null
}

const PAGE = 50

export function createAdminCalls({ get, call }: Pick<Requester, 'get' | 'call'>) {
  return {
    listWebhooks: () => get<List<WebhookResource>>('/v1/webhooks'),
    getWebhook: (id: string) => get<WebhookResource>(`/v1/webhooks/${id}`),
    createWebhook: (body: {
      readonly url: string
      readonly description: string | null
      readonly completions: boolean
    }) => call<WebhookResource & { readonly secret: string }>('POST', '/v1/webhooks', body),
    changeWebhook: (id: string, change: { readonly enabled?: boolean; readonly rotateSecret?: true }) =>
      call<WebhookResource & { readonly secret?: string }>('PATCH', `/v1/webhooks/${id}`, change),
    deleteWebhook: (id: string) => call<WebhookResource>('DELETE', `/v1/webhooks/${id}`),
    testWebhook: (id: string) => call<DeliveryResource>('POST', `/v1/webhooks/${id}/test`),
    listDeliveries: (id: string, state: string | null, before: number | null) =>
      get<DeliveryPage>(
        `/v1/webhooks/${id}/deliveries?${new URLSearchParams({
          limit: String(PAGE),
          ...(state !== null && { state }),
          ...(before !== null && { before: String(before) }),
        })}`,
      ),
    redeliver: (id: string, deliveryId: string) =>
      call<DeliveryResource>('POST', `/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`),
    /** What a delivery carries; null where the event is no longer kept. */
    async findEvent(eventId: number): Promise<EventResource | null> {
      const { items } = await get<List<EventResource>>(`/v1/events?after=${eventId - 1}&limit=1`)
      return items.find((event) => event.eventId === eventId) ?? null
    },

    listApiKeys: () => get<List<ApiKeyResource>>('/v1/api-keys'),
    createApiKey: (body: NewKey) => call<ApiKeyResource & { readonly token: string }>('POST', '/v1/api-keys', body),
    revokeApiKey: (id: string) => call<ApiKeyResource>('DELETE', `/v1/api-keys/${encodeURIComponent(id)}`),
    listAudit: (before: number | null) =>
      get<AuditPage>(
        `/v1/audit?${new URLSearchParams({ limit: String(PAGE), ...(before !== null && { before: String(before) }) })}`,
      ),
  }
}
