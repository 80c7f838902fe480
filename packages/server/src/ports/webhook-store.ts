/**
 * Webhooks and their deliveries. Anybody may change a webhook; its deliveries are made, tried and settled by the one node
 * that holds its lease, and each of those writes is held to the lease inside its own database transaction.
 */
import type { EventFilter } from '../core/webhook/event-filter.ts'
import type {
  AttemptAnswer,
  Delivery,
  DeliveryId,
  DeliveryState,
  DisabledReason,
  Webhook,
  WebhookId,
} from '../core/webhook/webhook.ts'
import type { HistoryEntry } from './history.ts'

export interface NewWebhook {
  readonly id: WebhookId
  readonly url: string
  readonly description: string | null
  readonly filter: EventFilter
  readonly secret: string
  /** The last event that it does not receive; null: it receives events from now on. */
  readonly after: number | null
  readonly createdBy: string
}

export interface WebhookChange {
  readonly url?: string
  readonly description?: string | null
  readonly filter?: EventFilter
  readonly enabled?: boolean
  /** The old secret also signs for a while. */
  readonly newSecret?: { readonly secret: string; readonly overlapMs: number }
}

export interface WebhookLease {
  readonly webhookId: WebhookId
  readonly fence: number
  /** There are nodes with fewer: to be released when nothing of it is under way. */
  readonly isSurplus: boolean
}

export interface DueDelivery {
  readonly delivery: Delivery
  readonly fence: number
  readonly url: string
  /** The current one first. Empty: they are stored under a key that this node does not have. */
  readonly secrets: readonly string[]
  /** Null for a test, and for an event that is no longer kept. */
  readonly event: HistoryEntry | null
  /** Of a test. */
  readonly body: string | null
  /** By the database's clock; null before the first attempt. */
  readonly sinceFirstMs: number | null
  /** Since it was planned, or since its receiver fails if that is longer. */
  readonly waitedMs: number
}

export type AttemptOutcome =
  | { readonly type: 'delivered' }
  | { readonly type: 'retry'; readonly pauseMs: number }
  | { readonly type: 'failed' }

export interface AttemptResult {
  readonly due: Pick<DueDelivery, 'delivery' | 'fence'>
  readonly outcome: AttemptOutcome
  readonly answer: AttemptAnswer
  /** The receiver wants no more events. */
  readonly isGone: boolean
}

export interface WebhookRoom {
  readonly webhookId: WebhookId
  readonly fence: number
  /** How many of its deliveries may be handed out. */
  readonly room: number
  /** Those that are under way. */
  readonly busy: readonly DeliveryId[]
}

export interface DeliveryPage {
  readonly state: DeliveryState | null
  /** The place of the last one of the page before. */
  readonly before: number | null
  readonly limit: number
}

export type RedeliverOutcome =
  | { readonly type: 'due'; readonly delivery: Delivery }
  /** It is not sent before an earlier one of the same transaction. */
  | { readonly type: 'waiting' }
  | { readonly type: 'missing' }

export interface DueDeliveries {
  readonly due: readonly DueDelivery[]
  readonly nextInMs: number | null
  /** The longest `waitedMs`, with those that wait for their next attempt. */
  readonly longestWaitMs: number
}

export interface WebhookStore {
  /** Null if the limit is reached. */
  insertWebhook(webhook: NewWebhook, most: number): Promise<Webhook | null>
  /** Newest first. */
  listWebhooks(): Promise<readonly Webhook[]>
  findWebhook(id: WebhookId): Promise<Webhook | null>
  updateWebhook(id: WebhookId, change: WebhookChange): Promise<Webhook | null>
  /** Also deletes all of its deliveries; null if it does not exist. */
  deleteWebhook(id: WebhookId): Promise<Webhook | null>
  /** Newest first. */
  listDeliveries(id: WebhookId, page: DeliveryPage): Promise<readonly Delivery[]>
  /** Makes it due immediately, whatever happened to it before, and resets its attempts. */
  redeliver(id: WebhookId, deliveryId: DeliveryId): Promise<RedeliverOutcome>
  /** Due at once; null where there is no such webhook. */
  insertTest(id: WebhookId, test: { readonly id: DeliveryId; readonly body: string }): Promise<Delivery | null>

  /** Renews this node's leases, and takes free webhooks up to its share among that many nodes. */
  keepWebhooks(nodeId: string, nodes: number, ttlMs: number): Promise<readonly WebhookLease[]>
  releaseWebhooks(nodeId: string, ids: readonly WebhookId[]): Promise<void>
  /**
   * Makes deliveries of the next events of every webhook that this node holds, at most so many events each. A webhook
   * with so many pending, or so many to send now, gets none: then `isHeldBack`. `more`: read further events right away.
   */
  planDeliveries(
    nodeId: string,
    limits: { readonly events: number; readonly pending: number; readonly due: number },
  ): Promise<{ readonly planned: number; readonly more: boolean; readonly isHeldBack: boolean }>
  /** What can be sent now, and how long it is until there is more. */
  readDue(nodeId: string, rooms: readonly WebhookRoom[]): Promise<DueDeliveries>
  /** What is not under its lease any more is left as it is. Answers the webhooks that were disabled by it. */
  settleDeliveries(
    nodeId: string,
    results: readonly AttemptResult[],
    disableAfterMs: number,
  ): Promise<readonly { readonly webhookId: WebhookId; readonly reason: DisabledReason }[]>
  /** Deletes older settled deliveries, up to a limit at once. */
  pruneDeliveries(olderThanMs: number, limit: number): Promise<number>
  close(): Promise<void>
}
