/** Signs requests to external servers, following Standard Webhooks, so receivers can detect forgeries. */
import { createHmac } from 'node:crypto'

export interface WebhookHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

const PREFIX = 'whsec_'

/** A secret is text, or base64 behind `whsec_`. During a rotation both secrets sign, and either is valid. */
export function signWebhook(
  secrets: string | readonly string[],
  id: string,
  nowMs: number,
  body: string,
): WebhookHeaders {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const sign = (secret: string) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  const signatures = [secrets].flat().map((secret) => `v1,${sign(secret)}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
}
