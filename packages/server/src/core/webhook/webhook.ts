/** A URL that receives events, and one delivery to it. */

import type { TxId } from '../transaction/transaction.ts'
import type { EventFilter } from './event-filter.ts'

export type WebhookId = string
export type DeliveryId = string

export type DisabledReason =
  /** An operator switched it off. */
  | 'operator'
  /** The receiver answered that it is permanently gone. */
  | 'gone'
  /** Nothing could be delivered for a long time. */
  | 'failing'

/** Without its secrets: those are only kept with deliveries to be signed. */
export interface Webhook {
  readonly id: WebhookId
  readonly url: string
  readonly description: string | null
  readonly filter: EventFilter
  readonly disabled: { readonly reason: DisabledReason; readonly at: number } | null
  readonly failingSince: number | null
  /** Events up to this one have their deliveries. */
  readonly plannedTo: number
  /** Until this time, deliveries are also signed with the previous secret. */
  readonly previousSecretUntil: number | null
  readonly createdAt: number
  readonly createdBy: string
}

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Receivers know it by its id: the same with every attempt. */
export interface Delivery {
  readonly id: DeliveryId
  /** Its place in the log, which only grows. */
  readonly place: number
  readonly webhookId: WebhookId
  /** Null for a test. */
  readonly eventId: number | null
  readonly txId: TxId | null
  readonly type: string
  readonly state: DeliveryState
  /** Null if it is settled, and while an earlier one of the same transaction is pending. */
  readonly dueAt: number | null
  readonly attempts: number
  readonly lastAttempt: AttemptReport | null
  readonly createdAt: number
  readonly settledAt: number | null
}

interface AttemptReport extends AttemptAnswer {
  readonly at: number
}

/** The result of one attempt: a status, or why there is none. */
export interface AttemptAnswer {
  readonly status: number | null
  readonly error: string | null
  /** The first bytes of the response body. */
  readonly response: string | null
  readonly durationMs: number
}
