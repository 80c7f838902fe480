/** Signs what is posted to somebody else's server, in the way of Standard Webhooks, so that it can be told from a forgery. */
import { createHmac } from 'node:crypto'

export interface WebhookHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

const PREFIX = 'whsec_'

/** A secret is text, or base64 behind `whsec_`. */
export function signWebhook(secret: string, id: string, nowMs: number, body: string): WebhookHeaders {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
