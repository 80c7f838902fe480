/** Webhooks and deliveries as JSON. */
import type { Delivery, Webhook } from '../../core/webhook/webhook.ts'
import type { DeliveryResource, WebhookResource } from '../contract/resources/webhook-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant } from '../contract/values/instant.ts'

export function presentWebhook(webhook: Webhook): WebhookResource {
  const { id, url, description, filter, disabled, failingSince, plannedTo, previousSecretUntil } = webhook
  return {
    id,
    url,
    description,
    plannedTo,
    types: filter.types === null ? null : [...filter.types],
    chainId: filter.chainId,
    from: filter.signer === null ? null : checksumAddress(filter.signer),
    completions: filter.completions,
    enabled: disabled === null,
    disabled: disabled === null ? null : { reason: disabled.reason, at: presentInstant(disabled.at) },
    failingSince: presentTime(failingSince),
    previousSecretUntil: presentTime(previousSecretUntil),
    createdAt: presentInstant(webhook.createdAt),
    createdBy: webhook.createdBy,
  }
}

export function presentDelivery(delivery: Delivery): DeliveryResource {
  const { id, webhookId, eventId, txId, type, state, dueAt, attempts, lastAttempt, createdAt, settledAt } = delivery
  return {
    id,
    webhookId,
    eventId,
    transactionId: txId,
    type,
    state,
    attempts,
    dueAt: presentTime(dueAt),
    lastAttempt: lastAttempt === null ? null : { ...lastAttempt, at: presentInstant(lastAttempt.at) },
    createdAt: presentInstant(createdAt),
    settledAt: presentTime(settledAt),
  }
}

function presentTime(ms: number | null): string | null {
  return ms === null ? null : presentInstant(ms)
}
