/** Webhooks of a real service: what is made, sent, retried, sent again by hand, switched off, and never shown. */
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../setup/webhook-receiver.ts'

const { address: from } = developmentAccount(0)

let running: TestService
let chain: TestChain
let database: TestDatabase
let drover: DroverProcess
let receiver: WebhookReceiver
/** Everything that was told as a secret. */
const secrets: string[] = []
const answers: string[] = []

/** Without what makes the first one patient and open to this machine. */
const start = (env: Record<string, string>) => running.startPeer({ ...UNSET, ...env })

const UNSET = {
  DROVER_WEBHOOK_ALLOW_PRIVATE: 'false',
  DROVER_WEBHOOK_RETRY_MAX_INTERVAL: '1h',
}

beforeAll(async () => {
  running = await startService({
    chain: { blockTimeSeconds: 1 },
    env: {
      DROVER_LOG_LEVEL: 'debug',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_FINALITY: '1',
      DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
      DROVER_WEBHOOK_RETRY_INTERVAL: '100ms',
      DROVER_WEBHOOK_RETRY_MAX_INTERVAL: '100ms',
    },
  })
  ;({ chain, database, drover } = running)
})

beforeEach(async () => {
  await receiver?.stop()
  receiver = await startWebhookReceiver()
})

afterAll(async () => {
  await running?.stop()
  await receiver?.stop()
})

async function create(more: object = {}) {
  const { status, body } = await drover.post('/v1/webhooks', { url: `${receiver.url}/?token=hidden-part`, ...more })
  expect([status, body.detail]).toEqual([201, undefined])
  secrets.push(body.secret)
  const { secret, ...rest } = body
  answers.push(JSON.stringify(rest))
  return { id: body.id as string, secret: secret as string, path: `/v1/webhooks/${body.id}` }
}

async function call(method: string, path: string, body?: unknown) {
  const answer = await drover.request(method, path, body)
  answers.push(JSON.stringify({ ...answer.body, secret: undefined }))
  return answer
}

const send = async () =>
  (await drover.post('/v1/transactions', { from, to: from, value: '1', simulate: false })).body.id as string
const receive = (count: number) =>
  eventually(
    async () => receiver.received.slice(),
    (all) => all.length >= count,
  )
const deliveries = async (path: string) => (await call('GET', `${path}/deliveries`)).body.items

test('an event arrives: its own JSON, signed so that a library can verify it', async () => {
  const { secret, path } = await create({ types: ['accepted'], from, chainId: Number(await chain.rpc('eth_chainId')) })
  const id = await send()
  const [got] = await receive(1)
  const message = new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {})
  const { items } = (await drover.get(`/v1/transactions/${id}/history`)).body
  expect(message).toEqual({ type: 'accepted', timestamp: items[0].at, data: items[0] })
  expect(got).toMatchObject({ path: '/?token=hidden-part', headers: { 'content-type': 'application/json' } })
  const [delivery] = await eventually(
    () => deliveries(path),
    ([first]) => first?.state === 'DELIVERED',
  )
  expect(delivery).toMatchObject({
    id: got?.headers['webhook-id'],
    eventId: items[0].eventId,
    transactionId: id,
    type: 'accepted',
    attempts: 1,
    dueAt: null,
    lastAttempt: { status: 200, error: null },
  })
  expect(() => new Webhook(secret).verify(`${got?.body} `, got?.headers ?? {})).toThrow()
  await call('DELETE', path)
})

test('an error, a redirect and a Retry-After are retried under the same id, and the log says why', async () => {
  const { path } = await create({ types: ['accepted'] })
  const replies = [
    { status: 500, body: `${'x'.repeat(600)}end` },
    { status: 302, headers: { location: `${receiver.url}/elsewhere` } },
    { status: 429, headers: { 'retry-after': '1' } },
  ]
  // The last answer waits until the log was read.
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answerWith(() => replies.shift() ?? released.then(() => ({ status: 204 })))
  await send()
  await eventually(
    () => deliveries(path),
    ([first]) => first?.lastAttempt?.error === 'answered 429',
  )
  release()
  const [delivery] = await eventually(
    () => deliveries(path),
    ([first]) => first?.state === 'DELIVERED',
  )
  expect(delivery).toMatchObject({ attempts: 4, lastAttempt: { status: 204 } })
  expect(receiver.received.map(({ path: at }) => at)).toEqual(Array(4).fill('/?token=hidden-part'))
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await call('DELETE', path)
})

test('a failing delivery delays only the events of its own transaction', async () => {
  const { path } = await create()
  // From its very first event on: until it is known which one that is, all are refused.
  let refused: string | null = null
  receiver.answerWith(({ body }) => {
    const { transactionId } = JSON.parse(body).data
    return { status: refused === null || transactionId === refused ? 503 : 200 }
  })
  const bad = await send()
  refused = bad
  await receive(1)
  const good = await send()
  const typesOf = (id: string) =>
    receiver.received.filter(({ body }) => body.includes(id)).map(({ body }) => JSON.parse(body).type)
  await eventually(
    async () => typesOf(good),
    (types) => types.includes('finality.reached'),
  )
  expect(new Set(typesOf(bad))).toEqual(new Set(['accepted']))
  receiver.answerWith(() => ({ status: 200 }))
  await eventually(
    async () => typesOf(bad),
    (types) => types.includes('finality.reached'),
  )
  await call('DELETE', path)
})

test('on request: a test event, and a redelivery', async () => {
  const { secret, path } = await create({ types: ['finality.reached'] })
  const sent = await call('POST', `${path}/test`)
  expect([sent.status, sent.body.type]).toEqual([202, 'webhook.test'])
  const [got] = await receive(1)
  expect(new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {})).toMatchObject({ type: 'webhook.test' })
  await eventually(
    () => deliveries(path),
    ([first]) => first?.state === 'DELIVERED',
  )
  const again = await call('POST', `${path}/deliveries/${sent.body.id}/redeliver`)
  expect([again.status, again.body.state]).toEqual([202, 'PENDING'])
  const all = await receive(2)
  expect(all[1]).toMatchObject({ body: got?.body, headers: { 'webhook-id': got?.headers['webhook-id'] } })
  const missing = '00000000-0000-4000-8000-000000000000'
  expect((await call('POST', `${path}/deliveries/${missing}/redeliver`)).body.code).toBe('not_found')
  expect((await call('POST', `/v1/webhooks/${missing}/test`)).body.code).toBe('not_found')
  await call('DELETE', path)
})

test('secret rotation: both secrets sign during the overlap', async () => {
  const { secret, path } = await create({ types: ['accepted'] })
  const changed = await call('PATCH', path, { rotateSecret: true })
  secrets.push(changed.body.secret)
  expect(changed.body.secret).not.toBe(secret)
  expect(Date.parse(changed.body.previousSecretUntil)).toBeGreaterThan(Date.now())
  await send()
  const [got] = await receive(1)
  for (const either of [secret, changed.body.secret])
    expect(new Webhook(either).verify(got?.body ?? '', got?.headers ?? {})).toMatchObject({ type: 'accepted' })
  expect((await call('GET', path)).body.secret).toBeUndefined()
  await call('DELETE', path)
})

test('410 Gone disables the webhook; enabled again, it gets everything it missed', async () => {
  const { path } = await create({ types: ['accepted'] })
  receiver.answerWith(() => ({ status: 410 }))
  await send()
  const off = await eventually(
    async () => (await call('GET', path)).body,
    (webhook) => !webhook.enabled,
  )
  expect(off.disabled.reason).toBe('gone')
  const before = receiver.received.length
  const missed = [await send(), await send()]
  receiver.answerWith(() => ({ status: 200 }))
  expect((await call('PATCH', path, { enabled: true })).body).toMatchObject({ enabled: true, disabled: null })
  const all = await receive(before + 3)
  const bodies = all.slice(before).map(({ body }) => body)
  for (const id of missed) expect(bodies.some((body) => body.includes(id))).toBe(true)
  expect(drover.output()).toContain('a webhook was disabled')
  await call('DELETE', path)
})

test('a bad request is refused with the field name, and creates nothing', async () => {
  const before = (await call('GET', '/v1/webhooks')).body.items.length
  const url = 'https://example.com/'
  const wrong: readonly [object, string][] = [
    [{}, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'not a url' }, 'url'],
    [{ url: 'https://user:password@example.com/' }, 'url'],
    [{ url, types: [] }, 'types'],
    [{ url, types: ['Accepted!'] }, 'types[0]'],
    [{ url, from: '0x12' }, 'from'],
    [{ url, chainId: -1 }, 'chainId'],
    [{ url, secret: 'mine' }, 'secret'],
    [{ url, after: 1.5 }, 'after'],
  ]
  for (const [body, field] of wrong)
    expect(await call('POST', '/v1/webhooks', body), JSON.stringify(body)).toMatchObject({
      status: 400,
      body: { field },
    })
  expect((await call('GET', '/v1/webhooks')).body.items.length).toBe(before)
})

test('private targets are refused: on creation, and when DNS points there later', async () => {
  const strict = await start({})
  const targets = [
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'https://10.1/',
  ]
  for (const url of [...targets, 'https://0x7f000001/', 'https://[::ffff:127.0.0.1]/', 'http://example.com/']) {
    const { status, body } = await strict.post('/v1/webhooks', { url })
    expect([url, status, body.field]).toEqual([url, 400, 'url'])
  }
  // As if the name had been public when it was given: stored, and resolved to this machine when it is used.
  const { id, path } = await create()
  await drover.end()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('update webhook set url = $2 where webhook_id = $1', [
    id,
    receiver.url.replace('http', 'https').replace('127.0.0.1', 'localhost'),
  ])
  await client.end()
  await strict.request('POST', `${path}/test`)
  const [delivery] = await eventually(
    async () => (await strict.get(`${path}/deliveries`)).body.items,
    ([first]) => first?.lastAttempt !== null && first?.lastAttempt !== undefined,
  )
  expect(delivery.lastAttempt).toMatchObject({ status: null, error: expect.stringContaining('not public') })
  expect(receiver.received).toEqual([])
  answers.push(strict.output())
  await strict.end()
})

test('a delivery that fails too long is given up, a webhook that fails longer is disabled; both can be resumed', async () => {
  const impatient = await start({
    DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
    DROVER_WEBHOOK_RETRY_INTERVAL: '100ms',
    DROVER_WEBHOOK_RETRY_MAX_INTERVAL: '100ms',
    DROVER_WEBHOOK_RETRY_FOR: '4s',
    DROVER_WEBHOOK_DISABLE_AFTER: '5s',
  })
  receiver.answerWith(() => ({ status: 500 }))
  const made = (await impatient.post('/v1/webhooks', { url: receiver.url, types: ['accepted'] })).body
  secrets.push(made.secret)
  const path = `/v1/webhooks/${made.id}`
  const test = (await impatient.request('POST', `${path}/test`)).body
  const [failed] = await eventually(
    async () => (await impatient.get(`${path}/deliveries?state=FAILED`)).body.items,
    (items) => items.length === 1,
  )
  expect(failed).toMatchObject({ id: test.id, dueAt: null, lastAttempt: { status: 500 } })
  expect(failed.attempts).toBeGreaterThan(2)
  await eventually(
    async () => {
      await impatient.request('POST', `${path}/test`)
      return (await impatient.get(path)).body
    },
    ({ disabled }) => disabled?.reason === 'failing',
    { everyMs: 200 },
  )
  receiver.answerWith(() => ({ status: 200 }))
  await impatient.request('PATCH', path, { enabled: true })
  expect((await impatient.request('POST', `${path}/deliveries/${test.id}/redeliver`)).status).toBe(202)
  await eventually(
    async () => (await impatient.get(`${path}/deliveries?state=DELIVERED&limit=200`)).body.items,
    (items) => items.some(({ id }: { id: string }) => id === test.id),
  )
  expect((await impatient.get(path)).body).toMatchObject({ enabled: true, failingSince: null })
  answers.push(impatient.output())
  await impatient.end()
})

test('the secret is only in the answer that created it and in its column: not in other answers or logs', async () => {
  expect(secrets.length).toBeGreaterThan(4)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ row: string }>(
    'select t::text as row from (select d.*, e.* from webhook_delivery d left join tx_event e using (event_id)) t union all select a::text from audit_entry a',
  )
  await client.end()
  const places = [drover.output(), ...answers, ...rows.map(({ row }) => row)].join('\n')
  for (const secret of secrets) expect(places.includes(secret.slice('whsec_'.length))).toBe(false)
  expect(drover.output()).not.toContain('hidden-part')
})
