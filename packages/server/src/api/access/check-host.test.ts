import { describe, expect, test } from 'vitest'
import { createTestApi } from '../../testing/api/create-test-api.ts'
import { checkHost, checkNotForwarded } from './check-host.ts'

describe('hosts', () => {
  test.each([
    ['localhost'],
    ['localhost:4747'],
    ['LocalHost:4747'],
    ['127.0.0.1'],
    ['127.0.0.1:4747'],
    ['127.1.2.3:80'],
    ['[::1]'],
    ['[::1]:4747'],
  ])('%s is served', (host) => {
    expect(() => checkHost(host)).not.toThrow()
  })

  test.each([
    [undefined],
    [''],
    ['attacker.example'],
    ['attacker.example:4747'],
    ['localhost.attacker.example'],
    ['127.0.0.1.attacker.example'],
    ['attacker.example#localhost'],
    ['localhost@attacker.example'],
    ['10.0.0.1'],
    ['0.0.0.0:4747'],
    ['128.0.0.1'],
    ['127.0.0'],
    ['[::]'],
    ['[::ffff:10.0.0.1]'],
    ['::1'],
    ['localhost:'],
    ['localhost\nattacker.example'],
  ])('%j is not', (host) => {
    expect(() => checkHost(host)).toThrow(expect.objectContaining({ code: 'misdirected_request' }))
  })
})

describe('forwarded requests', () => {
  test.each([
    ...['forwarded', 'via', 'cdn-loop', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-anything', 'x-real-ip'],
    ...['client-ip', 'x-client-ip', 'x-cluster-client-ip', 'fastly-client-ip', 'fly-client-ip', 'true-client-ip'],
    ...['cf-connecting-ip', 'cf-connecting-ipv6', 'x-original-forwarded-for', 'x-original-host', 'x-forwarded'],
    ...['x-envoy-external-address', 'x-proxyuser-ip', 'x-azure-clientip', 'x-azure-socketip', 'x-appengine-user-ip'],
  ])('are refused for %s', (name) => {
    const headers = { host: '127.0.0.1:4747', [name]: '203.0.113.7' }
    expect(() => checkNotForwarded(headers)).toThrow(expect.objectContaining({ code: 'misdirected_request' }))
  })

  test('are not those that a client on this machine sends', () => {
    const names = ['host', 'user-agent', 'accept', 'origin', 'referer', 'connection', 'content-type', 'content-length']
    const more = ['authorization', 'idempotency-key', 'last-event-id', 'sec-fetch-site', 'traceparent', 'x-request-id']
    const headers = Object.fromEntries([...names, ...more].map((name) => [name, 'x']))
    expect(() => checkNotForwarded(headers)).not.toThrow()
  })
})

test('a DNS-rebinding page gets nothing: no reads, no sends, not even the page', async () => {
  const { server } = await createTestApi()
  const headers = { host: 'attacker.example:4747' }
  for (const request of [
    { method: 'GET', url: '/v1/signers' },
    { method: 'GET', url: '/' },
    { method: 'GET', url: '/healthz' },
    { method: 'GET', url: '/nothing' },
    { method: 'POST', url: '/v1/transactions', payload: { from: 'anything' } },
    { method: 'PATCH', url: '/v1/signers/me', payload: {} },
  ] as const) {
    const reply = await server.inject({ ...request, headers })
    expect([request.url, reply.statusCode, reply.json().code]).toEqual([request.url, 421, 'misdirected_request'])
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  }
  expect((await server.inject({ url: '/healthz', headers: { host: '127.0.0.1:4747' } })).statusCode).toBe(200)
})

test.each([
  ['https://attacker.example', 403],
  ['http://localhost.attacker.example:4747', 403],
  ['null', 403],
  ['http://127.0.0.1:5173', 404],
  [undefined, 404],
])('a simple cross-site request from %s is answered %i', async (origin, status) => {
  const { server } = await createTestApi()
  const headers = { host: '127.0.0.1:4747', ...(origin !== undefined && { origin }) }
  const url = '/v1/webhooks/01890a5d-ac96-774b-bcce-000000000999/test'
  expect((await server.inject({ method: 'POST', url, headers })).statusCode).toBe(status)
})
