import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { allocate, createTestApi, SIGNER, TARGET, type TestApi } from '../../../testing/api/create-test-api.ts'
import { listen } from '../../server/listen.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const BODY = { from: SIGNER, to: TARGET, value: '1' }

async function send({ server }: TestApi, query = '') {
  return server.inject({ method: 'POST', url: `/v1/transactions${query}`, payload: BODY })
}

/** Resolves when so many requests wait. */
async function untilWaiting({ telemetry }: TestApi, count: number): Promise<void> {
  while (telemetry.valueOf('drover_waiting_requests') !== count) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves when the first transaction is stored; its place to wait is taken before that. */
async function untilStored({ store }: TestApi): Promise<string> {
  for (;;) {
    const [first] = (await store.listTransactions({}, { after: null, limit: 1 })).items
    if (first !== undefined) return first.id
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('a held answer', () => {
  test('comes when the stage is reached, and says so', async () => {
    const api = await createTestApi()
    const answer = send(api, '?wait=submitted')
    const id = await untilStored(api)
    const allocated = await allocate(api.store, id, HASH)
    if (allocated.state !== 'ALLOCATED') throw new Error('not allocated')
    const [lease] = await api.store.listLeases()
    if (lease === undefined) throw new Error('no lease')
    const sent = { ...allocated, state: 'TRACKING', subState: 'pending', submittedAt: 1, lastSubmitAt: 1 } as const
    await api.store.writeLanes([
      {
        lease,
        cursor: null,
        nonces: [],
        notes: [],
        reservations: [],
        reset: null,
        balance: null,
        saves: [
          {
            before: { version: allocated.version + 1, state: 'ALLOCATED', attemptCount: 1 },
            tx: { ...sent, inclusion: null, minedAt: null },
            notes: [{ type: 'broadcast.accepted', cause: null, detail: {} }],
          },
        ],
      },
    ])
    const reply = await answer
    expect([reply.statusCode, reply.headers['drover-wait']]).toEqual([202, 'reached'])
    expect(reply.json()).toMatchObject({ id, state: 'TRACKING', hash: HASH })
    expect(reply.headers.location).toBe(`/v1/transactions/${id}`)
    const again = await api.server.inject(`/v1/transactions/${HASH}?wait=submitted`)
    expect([again.headers['drover-wait'], again.json().id]).toEqual(['reached', id])
    expect(api.telemetry.valueOf('drover_waiting_requests')).toBe(0)
  })

  test('is given at once when the server closes', async () => {
    const api = await createTestApi()
    const answer = send(api, '?wait=confirmed')
    await untilStored(api)
    await api.server.close()
    const reply = await answer
    expect([reply.statusCode, reply.headers['drover-wait'], reply.json().state]).toEqual([202, 'stopping', 'QUEUED'])
  })

  test('a client that goes away leaves nothing behind', async () => {
    const api = await createTestApi()
    const { id } = (await send(api)).json()
    const url = await listen(api.server, { host: '127.0.0.1', port: 0 })
    const call = request(`${url}/v1/transactions/${id}?wait=mined`)
    const failed = new Promise((resolve) => call.on('error', resolve))
    call.end()
    await untilWaiting(api, 1)
    call.destroy()
    await failed
    await untilWaiting(api, 0)
    await api.server.close()
  })

  test('beyond the limit nothing is stored and no request waits', async () => {
    const api = await createTestApi({ maxWaiting: 1 })
    const first = send(api, '?wait=mined')
    await untilStored(api)
    const second = await send(api, '?wait=mined')
    expect(second.json()).toMatchObject({ status: 503, code: 'too_many_waiting' })
    expect(second.headers['retry-after']).toBe('1')
    expect((await api.store.listTransactions({}, { after: null, limit: 10 })).items).toHaveLength(1)
    expect((await send(api)).statusCode).toBe(202)
    await api.server.close()
    expect((await first).headers['drover-wait']).toBe('stopping')
  })
})

test.each([
  ['?wait=final', 'wait'],
  ['?wait=', 'wait'],
  ['?wait=mined&wait=mined', 'wait'],
  ['?timeoutMs=5', 'timeoutMs'],
  ['?wait=mined&timeoutMs=0', 'timeoutMs'],
  ['?wait=mined&timeoutMs=60001', 'timeoutMs'],
  ['?wait=mined&timeoutMs=soon', 'timeoutMs'],
])('%s is refused with the field name, and nothing is stored', async (query, field) => {
  const api = await createTestApi()
  expect((await send(api, query)).json()).toMatchObject({ status: 400, code: 'invalid_request', field })
  expect((await api.store.listTransactions({}, { after: null, limit: 10 })).items).toEqual([])
})

test('a refused request frees its slot', async () => {
  const api = await createTestApi({ maxWaiting: 1 })
  const payload = { ...BODY, from: TARGET }
  const refused = await api.server.inject({ method: 'POST', url: '/v1/transactions?wait=mined', payload })
  expect([refused.statusCode, api.telemetry.valueOf('drover_waiting_requests')]).toEqual([400, 0])
})
