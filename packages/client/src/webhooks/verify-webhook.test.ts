import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { event } from '../testing/stub-service.ts'
import { verifyWebhook } from './verify-webhook.ts'

const SECRET = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
const NOW = new Date(Date.UTC(2030, 0, 31, 12, 0, 0))
const BODY = JSON.stringify({ type: 'accepted', timestamp: '2030-01-31T12:00:00.000Z', data: event(7), note: 'ü €' })

/** As the reference implementation signs. */
function sign(secret = SECRET, body = BODY, at = NOW): Record<string, string> {
  const signature = new Webhook(secret.replace('whsec_', '')).sign('msg_1', at, body)
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

const verify = (
  headers: Record<string, string>,
  body: string | Uint8Array = BODY,
  secret: string | string[] = SECRET,
) => verifyWebhook(secret, headers, body, { nowMs: NOW.getTime() })

describe('what the reference implementation signed is trusted', () => {
  const message = { id: 'msg_1', type: 'accepted', timestamp: '2030-01-31T12:00:00.000Z', data: { eventId: 7 } }

  test('with headers as an object', async () => {
    expect(await verify(sign())).toMatchObject(message)
  })

  test('with Headers, and with the body as bytes', async () => {
    const headers = new Headers(sign())
    const bytes = new TextEncoder().encode(BODY)
    expect(await verifyWebhook(SECRET, headers, bytes, { nowMs: NOW.getTime() })).toMatchObject(message)
  })

  test('with header names in any case', async () => {
    const headers = Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name.toUpperCase(), value]))
    expect(await verify(headers)).toMatchObject(message)
  })

  test('behind a byte order mark', async () => {
    const body = `\uFEFF${BODY}`
    expect(await verify(sign(SECRET, body), new TextEncoder().encode(body))).toMatchObject(message)
  })

  test('while secrets change: any secret, any signature', async () => {
    const other = `whsec_${btoa('another secret of thirty-two byte')}`
    const [old, fresh] = [sign(), sign(other)]
    const both = { ...old, 'webhook-signature': `v1a,zzz ${old['webhook-signature']} ${fresh['webhook-signature']}` }
    expect(await verify(both, BODY, other)).toMatchObject(message)
    expect(await verify(both, BODY, SECRET)).toMatchObject(message)
    expect(await verify(old, BODY, [other, SECRET])).toMatchObject(message)
  })

  test('within five minutes of its time, by the clock of this machine if no other is given', async () => {
    const now = new Date()
    expect(await verifyWebhook(SECRET, sign(SECRET, BODY, now), BODY)).toMatchObject(message)
  })
})

describe('all else is refused', () => {
  const shifted = (ms: number) => sign(SECRET, BODY, new Date(NOW.getTime() + ms))

  test.each<[string, Record<string, string>, string?]>([
    ['another secret', sign(`whsec_${btoa('not the secret')}`)],
    ['a changed body', sign(), BODY.replace('accepted', 'rejected')],
    ['a changed id', { ...sign(), 'webhook-id': 'msg_2' }],
    ['a changed time', { ...sign(), 'webhook-timestamp': String(NOW.getTime() / 1_000 + 1) }],
    ['a time that is none', { ...sign(), 'webhook-timestamp': '1e9' }],
    ['an old one', shifted(-5 * 60_000 - 1_000)],
    ['one from the future', shifted(5 * 60_000 + 1_000)],
    ['a missing id', { ...sign(), 'webhook-id': '' }],
    ['no signature', { ...sign(), 'webhook-signature': '' }],
    ['a signature that is not base64', { ...sign(), 'webhook-signature': 'v1,***' }],
    [
      'a signature of another kind',
      { ...sign(), 'webhook-signature': sign()['webhook-signature']?.replace('v1,', 'v2,') ?? '' },
    ],
    ['a shortened signature', { ...sign(), 'webhook-signature': sign()['webhook-signature']?.slice(0, 20) ?? '' }],
  ])('%s', async (_, headers, body = BODY) => {
    const error = await verify(headers, body).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'DroverError', code: 'invalid_webhook' })
    expect(String(error)).not.toContain(SECRET)
  })

  test('a body that is signed but no message', async () => {
    await expect(verify(sign(SECRET, 'no json'), 'no json')).rejects.toMatchObject({ code: 'invalid_webhook' })
  })

  test.each(['', 'whsec_', 'whsec_***', []])('an invalid secret is a mistake of the receiver: %j', async (secret) => {
    await expect(verify(sign(), BODY, secret)).rejects.toMatchObject({ code: 'invalid_argument', field: 'secret' })
  })
})
