/** Somebody's URL that is told of events, and one thing that it is told. */

import type { TxId } from '../transaction/transaction.ts'
import type { EventFilter } from './event-filter.ts'

export type WebhookId = string
export type DeliveryId = string

export type DisabledReason =
  /** Somebody switched it off. */
  | 'operator'
  /** The receiver answered that it is gone for good. */
  | 'gone'
  /** Nothing could be delivered for a long time. */
  | 'failing'

/** Without its secrets: those are only with what is to be signed. */
export interface Webhook {
  readonly id: WebhookId
  readonly url: string
  readonly description: string | null
  readonly filter: EventFilter
  readonly disabled: { readonly reason: DisabledReason; readonly at: number } | null
  readonly failingSince: number | null
  /** Events up to this one have their deliveries. */
  readonly plannedTo: number
  /** While it lies ahead, what is sent is signed with the secret before the current one too. */
  readonly previousSecretUntil: number | null
  readonly createdAt: number
  readonly createdBy: string
}

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** The id is what receivers know it by: the same with every attempt. */
export interface Delivery {
  readonly id: DeliveryId
  /** Its place in the log, which grows. */
  readonly place: number
  readonly webhookId: WebhookId
  /** Null for a test. */
  readonly eventId: number | null
  readonly txId: TxId | null
  readonly type: string
  readonly state: DeliveryState
  /** Null where it is settled, and while an earlier one of the same transaction is pending. */
  readonly dueAt: number | null
  readonly attempts: number
  readonly lastAttempt: AttemptReport | null
  readonly createdAt: number
  readonly settledAt: number | null
}

interface AttemptReport extends AttemptAnswer {
  readonly at: number
}

/** What came back of one attempt: a status, or why there is none. */
export interface AttemptAnswer {
  readonly status: number | null
  readonly error: string | null
  /** The first bytes of the answer's body. */
  readonly response: string | null
  readonly durationMs: number
}
