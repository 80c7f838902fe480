import { expect, test } from 'vitest'
import { createDrover } from '../create-drover.ts'
import { inTurn, json, stubService } from '../testing/stub-service.ts'

test('webhooks use their routes', async () => {
  const service = stubService(() => json({ items: [] }))
  const { webhooks } = createDrover({ url: 'http://drover.test', fetch: service.fetch })
  await webhooks.create({ url: 'https://receiver.test/hook', types: ['finality.reached'] })
  await webhooks.list()
  await webhooks.get('w1')
  await webhooks.update('w1', { rotateSecret: true })
  await webhooks.test('w1')
  await webhooks.redeliver('w1', 'd/1')
  await webhooks.delete('w1')
  expect(
    service.requests.map(({ method, url, text }) => `${method} ${url.pathname}${url.search} ${text ?? ''}`.trim()),
  ).toEqual([
    'POST /v1/webhooks {"url":"https://receiver.test/hook","types":["finality.reached"]}',
    'GET /v1/webhooks',
    'GET /v1/webhooks/w1',
    'PATCH /v1/webhooks/w1 {"rotateSecret":true}',
    'POST /v1/webhooks/w1/test',
    'POST /v1/webhooks/w1/deliveries/d%2F1/redeliver',
    'DELETE /v1/webhooks/w1',
  ])
  // A body that is announced and not there would be refused.
  expect(service.requests.map(({ headers }) => headers.has('content-type'))).toEqual([
    ...[true, false, false, true, false, false, false],
  ])
})

test('deliveries are read page by page', async () => {
  const service = stubService(
    inTurn(json({ items: [{ id: 'b' }], next: 7 }), json({ items: [{ id: 'a' }], next: null })),
  )
  const { webhooks } = createDrover({ url: 'http://drover.test', fetch: service.fetch })
  const seen: string[] = []
  for await (const { id } of webhooks.deliveries('w1', { state: 'FAILED', pageSize: 1 })) seen.push(id)
  expect(seen).toEqual(['b', 'a'])
  expect(service.requests.map(({ url }) => url.search)).toEqual([
    '?limit=1&state=FAILED',
    '?limit=1&state=FAILED&before=7',
  ])
})
