import { expect, test } from 'vitest'
import { createDrover } from '../create-drover.ts'
import { inTurn, json, problem, stubService } from '../testing/stub-service.ts'

const address = `0x${'11'.repeat(20)}`

test('timers use their routes', async () => {
  const service = stubService(() => json({ items: [] }))
  const { timers } = createDrover({ url: 'http://drover.test', fetch: service.fetch })
  await timers.create({ from: address, to: address, schedule: { type: 'interval', blocks: 5 }, requestId: 'r' })
  await timers.get('t1')
  await timers.update('t1', { bid: 7 })
  await timers.pause('t1')
  await timers.resume('t1')
  await timers.cancel('t1')
  await timers.queue({ chainId: 1, limit: 10 })
  await timers.changeParams({ maxFiresPerBlock: 10 }, { chainId: 1 })
  expect(
    service.requests.map(({ method, url, text }) => `${method} ${url.pathname}${url.search} ${text ?? ''}`.trim()),
  ).toEqual([
    `POST /v1/timers {"from":"${address}","to":"${address}","schedule":{"type":"interval","blocks":5},"requestId":"r"}`,
    'GET /v1/timers/t1',
    'PATCH /v1/timers/t1 {"bid":7}',
    'POST /v1/timers/t1/pause',
    'POST /v1/timers/t1/resume',
    'DELETE /v1/timers/t1',
    'GET /v1/timers/queue?chainId=1&limit=10',
    'PATCH /v1/timers/params?chainId=1 {"maxFiresPerBlock":10}',
  ])
})

test('a timer without a request id gets one, so that it can be tried again', async () => {
  const service = stubService(inTurn(problem(503, 'timers_unavailable'), json({ id: 't1' })))
  const { timers } = createDrover({ url: 'http://drover.test', fetch: service.fetch, retry: { minDelayMs: 1 } })
  await timers.create({ from: address, to: address, schedule: { type: 'timeout', blocks: 1 } })
  const [first, second] = service.requests.map(({ text }) => JSON.parse(text ?? '{}').requestId)
  expect(first).toMatch(/^.{16,}$/)
  expect(second).toBe(first)
})

test('timers and fires are read page by page', async () => {
  const service = stubService(
    inTurn(
      ...[json({ items: [{ id: 'b' }], next: '7' }), json({ items: [{ id: 'a' }], next: null })],
      ...[json({ items: [{ id: 'x' }], next: '5-1' }), json({ items: [{ id: 'y' }], next: null })],
    ),
  )
  const { timers } = createDrover({ url: 'http://drover.test', fetch: service.fetch })
  const seen: string[] = []
  for await (const { id } of timers.list({ state: ['ACTIVE', 'PAUSED'] }, { pageSize: 1 })) seen.push(id)
  for await (const { id } of timers.fires('a', { pageSize: 1 })) seen.push(id)
  expect(seen).toEqual(['b', 'a', 'x', 'y'])
  expect(service.requests.map(({ url }) => url.search)).toEqual([
    ...['?state=ACTIVE%2CPAUSED&limit=1', '?state=ACTIVE%2CPAUSED&limit=1&before=7', '?limit=1', '?limit=1&before=5-1'],
  ])
})
