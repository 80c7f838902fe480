/** Rows of webhooks and deliveries as the program knows them. */
import type { Address } from '../../../core/hex.ts'
import type { Delivery, DeliveryState, DisabledReason, Webhook } from '../../../core/webhook/webhook.ts'

export interface WebhookRow {
  readonly webhook_id: string
  readonly url: string
  readonly description: string | null
  readonly types: readonly string[] | null
  readonly chain_id: number | null
  readonly signer: Address | null
  readonly completions: boolean
  readonly disabled_reason: DisabledReason | null
  readonly disabled_at: number | null
  readonly failing_since: number | null
  readonly planned_to: number
  readonly previous_secret_until: number | null
  readonly created_at: number
  readonly created_by: string
}

/** All but the secrets. */
export const WEBHOOK_COLUMNS = `
  w.webhook_id, w.url, w.description, w.types, w.chain_id, w.signer, w.completions, w.disabled_reason, w.disabled_at,
  w.failing_since, w.planned_to, w.previous_secret_until, w.created_at, w.created_by`

export function readWebhook(row: WebhookRow): Webhook {
  const { disabled_reason: reason, disabled_at: at } = row
  return {
    id: row.webhook_id,
    url: row.url,
    description: row.description,
    filter: { types: row.types, chainId: row.chain_id, signer: row.signer, completions: row.completions },
    disabled: reason === null || at === null ? null : { reason, at },
    failingSince: row.failing_since,
    plannedTo: row.planned_to,
    previousSecretUntil: row.previous_secret_until,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}

export interface DeliveryRow {
  readonly delivery_id: string
  readonly place: number
  readonly webhook_id: string
  readonly event_id: number | null
  readonly tx_id: string | null
  readonly event_type: string
  readonly state: DeliveryState
  readonly due_at: number | null
  readonly attempts: number
  readonly last_attempt_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly last_response: string | null
  readonly last_duration_ms: number | null
  readonly created_at: number
  readonly settled_at: number | null
}

export const DELIVERY_COLUMNS = `
  d.delivery_id, d.place, d.webhook_id, d.event_id, d.tx_id, d.event_type, d.state, d.due_at, d.attempts,
  d.last_attempt_at, d.last_status, d.last_error, d.last_response, d.last_duration_ms, d.created_at, d.settled_at`

export function readDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.delivery_id,
    place: row.place,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    txId: row.tx_id,
    type: row.event_type,
    state: row.state,
    dueAt: row.due_at,
    attempts: row.attempts,
    lastAttempt: row.last_attempt_at === null ? null : readAttempt(row, row.last_attempt_at),
    createdAt: row.created_at,
    settledAt: row.settled_at,
  }
}

function readAttempt(row: DeliveryRow, at: number) {
  return {
    at,
    status: row.last_status,
    error: row.last_error,
    response: row.last_response,
    durationMs: row.last_duration_ms ?? 0,
  }
}
