/**
 * Verifies that a webhook comes from the service and is neither forged nor replayed, following Standard Webhooks:
 * HMAC-SHA256 over id, time and body, with the secret that was shown when the webhook was made.
 */

import type { Event } from '../generated/api-types.ts'
import { DroverError } from '../transport/drover-error.ts'
import { parseObject } from '../transport/parse-object.ts'

/** What is posted to a webhook. */
export interface WebhookMessage {
  /** Of the message: the same when it is delivered again, so a receiver can detect duplicates. */
  readonly id: string
  /** Of the event, such as `finality.reached`. */
  readonly type: string
  /** When the event happened. */
  readonly timestamp: string
  readonly data: Event
}

/** As a framework has them: `Headers`, or an object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How far the clock of the service may be from this one, either way. Five minutes if left out. */
  readonly toleranceMs?: number
  /** In place of the clock, for tests. */
  readonly nowMs?: number
}

const SECRET_PREFIX = 'whsec_'

/**
 * Returns the message, or fails with `invalid_webhook`. The body must be the exact bytes received: a parsed and
 * re-serialised body has another signature. While you rotate secrets, pass both.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceMs = 5 * 60_000, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature').split(' ').flatMap(readSignature)
  if (!/^\d{1,12}$/.test(timestamp)) throw refuse('webhook-timestamp is not a time in seconds')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = [secret].flat()
  if (secrets.length === 0) throw refuseSecret()
  const keys = await Promise.all(secrets.map(readSecret))
  const verdicts = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed))),
  )
  if (!verdicts.includes(true)) throw refuse('no signature fits: another secret, or a body that was changed')
  // Checked last: an unauthenticated sender learns nothing about the clock.
  if (Math.abs(nowMs - Number(timestamp) * 1_000) > toleranceMs) {
    throw refuse('it is signed at a time too far from now: an old one, or a clock that is wrong')
  }
  return parseMessage(id, new TextDecoder().decode(bytes))
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw refuse(`the header ${name} is missing`)
  return value
}

function isHeaders(headers: WebhookHeaders): headers is Extract<WebhookHeaders, { get(name: string): string | null }> {
  return typeof headers.get === 'function'
}

/** The bytes as they came: text that is not quite UTF-8 would not survive being read and written. */
function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(head.length + tail.length)
  joined.set(head)
  joined.set(tail, head.length)
  return joined
}

/** `v1,` and base64. Other versions, which may stand beside it, are not for this code. */
function readSignature(signature: string): readonly Uint8Array<ArrayBuffer>[] {
  const [version, encoded = ''] = signature.split(',')
  const bytes = version === 'v1' ? decodeBase64(encoded) : null
  return bytes === null ? [] : [bytes]
}

/** Base64 behind `whsec_`, or any other text as it is. */
function readSecret(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const isEncoded = secret.startsWith(SECRET_PREFIX)
  const bytes = isEncoded ? decodeBase64(secret.slice(SECRET_PREFIX.length)) : new TextEncoder().encode(secret)
  if (bytes === null || bytes.length === 0) throw refuseSecret()
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function refuseSecret(): DroverError {
  const detail = 'secret must be text, or base64 behind whsec_; one or more.'
  return new DroverError({ code: 'invalid_argument', detail, field: 'secret' })
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 === 1) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function parseMessage(id: string, text: string): WebhookMessage {
  const message = parseObject(text)
  if (message === null || !('type' in message && 'data' in message)) throw refuse('it is not a message of Drover')
  return { ...(message as Omit<WebhookMessage, 'id'>), id }
}

function refuse(why: string): DroverError {
  return new DroverError({ code: 'invalid_webhook', detail: `This is not to be trusted: ${why}.` })
}
