import { beforeEach, expect, test } from 'vitest'
import { CHAIN_ID, createTestApi, SIGNER, SIGNER_CHECKSUMMED, type TestApi } from '../../testing/api/create-test-api.ts'
import { webhookResource } from '../contract/resources/webhook-resource.ts'

let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object) {
  const url = `/v1/webhooks${path}`
  const reply = await api.server.inject({ method, url, ...(payload !== undefined && { payload }) })
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() }
}

const URL = 'https://hooks.example/drover'

test('made, shown without its secret, changed, deleted', async () => {
  const made = await call('POST', '', { url: URL, types: ['accepted'], from: SIGNER, chainId: CHAIN_ID })
  const { secret, ...webhook } = made.body
  expect([made.status, made.headers.location]).toEqual([201, `/v1/webhooks/${webhook.id}`])
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64').length).toBe(32)
  expect(webhookResource.strict().parse(webhook)).toMatchObject({
    url: URL,
    types: ['accepted'],
    from: SIGNER_CHECKSUMMED,
    chainId: CHAIN_ID,
    completions: false,
    enabled: true,
    createdBy: 'local',
    description: null,
  })
  const path = `/${webhook.id}`
  expect((await call('GET', path)).body).toEqual(webhook)
  expect((await call('GET')).body).toEqual({ items: [webhook] })
  const changed = await call('PATCH', path, { types: null, completions: true, description: 'x' })
  expect(changed.body).toEqual({ ...webhook, types: null, completions: true, description: 'x' })
  const rotated = await call('PATCH', path, { rotateSecret: true })
  expect(rotated.body.secret).not.toBe(secret)
  expect((await call('DELETE', path)).status).toBe(200)
  for (const method of ['GET', 'DELETE'] as const) expect((await call(method, path)).body.code).toBe('not_found')
  expect((await call('PATCH', path, { enabled: true })).body.code).toBe('not_found')
  expect((await call('GET', `${path}/deliveries`)).body.code).toBe('not_found')
})

test('where it may not point is told with the field, when made and when changed', async () => {
  const refused = { status: 400, body: { field: 'url', detail: 'url is not public.' } }
  expect(await call('POST', '', { url: 'https://private.example/' })).toMatchObject(refused)
  const { id } = (await call('POST', '', { url: URL })).body
  expect(await call('PATCH', `/${id}`, { url: 'https://private.example/' })).toMatchObject(refused)
  expect((await call('GET', `/${id}`)).body.url).toBe(URL)
})

test('no more than allowed', async () => {
  for (let index = 0; index < 3; index++) expect((await call('POST', '', { url: URL })).status).toBe(201)
  expect(await call('POST', '', { url: URL })).toMatchObject({ status: 409, body: { code: 'webhook_limit' } })
})

test.each<[object, string | undefined]>([
  [{}, undefined],
  [{ enabled: 'no' }, 'enabled'],
  [{ rotateSecret: false }, 'rotateSecret'],
  [{ types: [''] }, 'types[0]'],
  [{ after: 0 }, 'after'],
  [{ secret: 'whsec_x' }, 'secret'],
])('a change %j is refused, and changes nothing', async (change, field) => {
  const { secret: _secret, ...before } = (await call('POST', '', { url: URL })).body
  const { status, body } = await call('PATCH', `/${before.id}`, change)
  expect([status, body.field]).toEqual([400, field])
  expect((await call('GET', `/${before.id}`)).body).toEqual(before)
})

test('the log in pages', async () => {
  const { id } = (await call('POST', '', { url: URL })).body
  const sent = []
  for (let index = 0; index < 3; index++) sent.unshift((await call('POST', `/${id}/test`)).body)
  const first = (await call('GET', `/${id}/deliveries?limit=2`)).body
  const rest = (await call('GET', `/${id}/deliveries?limit=2&before=${first.next}&state=PENDING`)).body
  expect([...first.items, ...rest.items]).toEqual(sent)
  expect(rest.next).toBe(null)
  expect((await call('GET', `/${id}/deliveries?state=LOST`)).body.field).toBe('state')
  expect((await call('POST', `/${id}/deliveries/x/redeliver`)).body.field).toBe('deliveryId')
})
