import { describe, expect, test } from 'vitest'
import { SENT_TX } from '../words/sample-resources.suite.ts'
import { createApiClient } from './api-client.ts'
import { ApiProblem, ServiceAway } from './api-failure.ts'

/** A client whose every request gets this answer, and the requests it made. */
function createAnswered(answer: () => Response) {
  const requests: { readonly path: string; readonly init: RequestInit | undefined }[] = []
  const api = createApiClient({
    fetch: async (input, init) => {
      requests.push({ path: String(input), init })
      return answer()
    },
  })
  return { api, requests }
}

const json = (body: unknown, status = 200, type = 'application/json; charset=utf-8') =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': type } })
const problem = (status: number, code: string) =>
  json(
    { type: `urn:drover:error:${code}`, title: 'No', status, detail: 'No, because.', code },
    status,
    'application/problem+json',
  )

const BARE = { states: [], from: null, after: null, limit: 25 }

test('a filter becomes a query, and what is not filtered is left out', async () => {
  const { api, requests } = createAnswered(() => json({ items: [], next: null }))
  await api.listTransactions({ states: ['ALLOCATED', 'TRACKING'], from: '0xab', after: 'c1', limit: 25 })
  await api.listTransactions({ states: [], from: null, after: null, limit: 25 })
  await api.listTransactions({ ...BARE, found: { metadata: 'a=b c' }, order: 'asc' })
  expect(requests.map(({ path }) => path)).toEqual([
    '/v1/transactions?limit=25&state=ALLOCATED%2CTRACKING&from=0xab&after=c1',
    '/v1/transactions?limit=25',
    '/v1/transactions?limit=25&metadata=a%3Db+c&order=asc',
  ])
})

test('a history is read from its newest end, shown oldest first, and continued from there', async () => {
  const { api, requests } = createAnswered(() => json({ items: [{ eventId: 9 }, { eventId: 7 }], next: 7 }))
  expect(await api.readHistory('0xab')).toEqual({ entries: [{ eventId: 7 }, { eventId: 9 }], earlier: 7 })
  await api.readHistory('0xab', 7)
  expect(requests.map(({ path }) => path)).toEqual([
    '/v1/transactions/0xab/history?order=desc&limit=100',
    '/v1/transactions/0xab/history?order=desc&limit=100&after=7',
  ])
})

test('the end of the stream is read in pages, up to a bound', async () => {
  const full = { items: Array.from({ length: 200 }, (_, index) => ({ eventId: index })), next: 7 }
  const { api, requests } = createAnswered(() => json(full))
  expect(await api.readTail(600)).toMatchObject({ items: { length: 600 }, next: 7 })
  expect(requests.map(({ path }) => path)).toEqual([
    '/v1/events?tail=600&limit=200',
    '/v1/events?after=7&limit=200',
    '/v1/events?after=7&limit=200',
  ])
})

test('a transfer carries its key', async () => {
  const { api, requests } = createAnswered(() => json(SENT_TX, 202))
  await api.sendTransfer({ chainId: 31337, from: '0x1', to: '0x2', value: '1' }, 'key-1')
  expect(requests[0]?.init).toMatchObject({ method: 'POST', headers: { 'idempotency-key': 'key-1' } })
  expect(JSON.parse(String(requests[0]?.init?.body))).toEqual({ chainId: 31337, from: '0x1', to: '0x2', value: '1' })
})

test('an act of an operator goes to its transaction, with its reason', async () => {
  const { api, requests } = createAnswered(() => json(SENT_TX))
  await api.operate('0xab', 'speed-up', { reason: 'late' })
  expect(requests[0]?.path).toBe('/v1/transactions/0xab/speed-up')
  expect(JSON.parse(String(requests[0]?.init?.body))).toEqual({ reason: 'late' })
})

test('an order to a lane goes to its signer; to cancel all is a reset of its own kind', async () => {
  const { api, requests } = createAnswered(() => json({}))
  const body = { chainId: 1, reason: 'late' }
  await api.orderLane('0xab', 'pause', body)
  await api.orderLane('0xab', 'cancel-all', body)
  expect(requests.map(({ path, init }) => [path, JSON.parse(String(init?.body))])).toEqual([
    ['/v1/signers/0xab/pause', body],
    ['/v1/signers/0xab/reset-nonce', { ...body, cancelInFlight: true }],
  ])
})

describe('what goes wrong', () => {
  test('"not ready" is an answer', async () => {
    const body = { ready: false, problems: [{ part: 'database', message: 'does not answer' }] }
    expect(await createAnswered(() => json(body, 503)).api.readReadiness()).toEqual(body)
  })

  test('a refusal comes with its problem document', async () => {
    const refused = createAnswered(() => problem(404, 'not_found')).api.getTransaction('x')
    await expect(refused).rejects.toThrow(ApiProblem)
    await expect(refused).rejects.toMatchObject({ problem: { code: 'not_found', detail: 'No, because.' } })
  })

  test.each(['chain_unavailable', 'timers_unavailable'])(
    'a chain or its timers being down is not absence: %s',
    async (code) => {
      await expect(createAnswered(() => problem(503, code)).api.showTimerQueue(1)).rejects.toThrow(ApiProblem)
    },
  )

  test.each([
    ['no connection', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['a part of the service that is down', async () => problem(503, 'database_unavailable')],
    ['a proxy that speaks for it', async () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['an answer cut off', async () => new Response('{"items":[', { status: 200 })],
  ])('%s is absence', async (_, answer) => {
    await expect(createApiClient({ fetch: answer }).listChains()).rejects.toThrow(ServiceAway)
  })
})
