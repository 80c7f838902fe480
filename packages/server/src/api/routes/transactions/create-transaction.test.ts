import { describe, expect, test } from 'vitest'
import { type InsertOutcome, StoreUnavailable } from '../../../ports/store.ts'
import {
  CHAIN_ID,
  createTestApi,
  REVERTING_DATA,
  SIGNER,
  SIGNER_CHECKSUMMED,
  STRANGER,
  TARGET,
  type TestApi,
} from '../../../testing/api/create-test-api.ts'
import { transactionResource } from '../../contract/resources/transaction-resource.ts'
import { problem } from '../../contract/values/problem.ts'

const BODY = { from: SIGNER_CHECKSUMMED, to: TARGET, value: '1000' }

function post({ server }: TestApi, payload: unknown, headers: Record<string, string> = {}) {
  return server.inject({ method: 'POST', url: '/v1/transactions', payload: payload as object, headers })
}

async function countStored({ store }: TestApi): Promise<number> {
  return (await store.listTransactions({}, { after: null, limit: 200 })).items.length
}

describe('accepting', () => {
  test('a new intent is stored and answered with 202 and its place', async () => {
    const api = await createTestApi()
    const reply = await post(api, { ...BODY, chainId: CHAIN_ID, metadata: { order: '17' } })
    expect(reply.statusCode).toBe(202)
    const body = transactionResource.strict().parse(reply.json())
    expect(body).toMatchObject({ state: 'QUEUED', from: SIGNER_CHECKSUMMED, value: '1000', metadata: { order: '17' } })
    expect(reply.headers.location).toBe(`/v1/transactions/${body.id}`)
    const again = await api.server.inject(String(reply.headers.location))
    expect(again.json()).toEqual(body)
    expect(await countStored(api)).toBe(1)
  })

  test('a call is encoded', async () => {
    const api = await createTestApi()
    const call = { function: 'transfer(address,uint256)', args: [TARGET, '5'] }
    const reply = await post(api, { from: SIGNER, to: TARGET, call })
    expect(reply.json().data).toMatch(/^0xa9059cbb0{24}8617e340/)
  })

  test('the same key and body again: 200 and the same transaction, though it would revert by now', async () => {
    const api = await createTestApi()
    const keyed = { ...BODY, requestId: 'order-17' }
    const first = await post(api, keyed)
    api.chain.setBalance(SIGNER, 0n)
    const second = await post(api, { requestId: 'order-17', value: '0x3e8', to: TARGET, from: SIGNER })
    expect([first.statusCode, second.statusCode]).toEqual([202, 200])
    expect(second.json()).toEqual(first.json())
    expect(second.headers.location).toBe(first.headers.location)
    expect(await countStored(api)).toBe(1)
  })

  test('many at once with the same key: one is stored', async () => {
    const api = await createTestApi()
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(api, { ...BODY, requestId: 'order-17' })))
    expect(replies.map((reply) => reply.statusCode).sort()).toEqual([...Array(19).fill(200), 202])
    expect(new Set(replies.map((reply) => reply.json().id)).size).toBe(1)
    expect(await countStored(api)).toBe(1)
  })

  test('the header Idempotency-Key is the request id', async () => {
    const api = await createTestApi()
    const first = await post(api, BODY, { 'idempotency-key': 'order-17' })
    const second = await post(api, { ...BODY, requestId: 'order-17' }, { 'idempotency-key': 'order-17' })
    expect([first.json().requestId, second.statusCode]).toEqual(['order-17', 200])
  })

  test('an unreachable chain is no reason to refuse', async () => {
    const api = await createTestApi()
    api.chain.setFault(() => 'unavailable')
    expect((await post(api, BODY)).statusCode).toBe(202)
  })
})

describe('refusing, with nothing stored', () => {
  test.each([
    ['a field that is not known', { ...BODY, nonce: 7 }, 400, 'invalid_request', 'nonce'],
    [
      'an argument',
      { from: SIGNER, to: TARGET, call: { function: 'f(bool)', args: [1] } },
      400,
      'invalid_request',
      'call.args[0]',
    ],
    ['no signer', { to: TARGET }, 400, 'invalid_request', 'from'],
    ['an unknown signer', { ...BODY, from: STRANGER }, 400, 'unknown_signer', 'from'],
    ['an unknown chain', { ...BODY, chainId: 5 }, 400, 'unknown_chain', 'chainId'],
    ['a passed deadline', { ...BODY, validUntil: '2020-01-01T00:00:00Z' }, 400, 'invalid_request', 'validUntil'],
    ['an empty object', {}, 400, 'invalid_request', 'from'],
    ['an array', [], 400, 'invalid_request', undefined],
  ])('%s', async (_, body, status, code, field) => {
    const api = await createTestApi()
    const reply = await post(api, body)
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(problem.parse(reply.json())).toMatchObject({ status, code, type: `urn:drover:error:${code}` })
    expect([reply.statusCode, reply.json().field]).toEqual([status, field])
    expect(await countStored(api)).toBe(0)
  })

  test('every bad field is listed', async () => {
    const reply = await post(await createTestApi(), { from: 'x', to: 'y' })
    expect(reply.json().issues.map((issue: { field: string }) => issue.field)).toEqual(['from', 'to'])
  })

  test('a certain revert: 422 with the reason', async () => {
    const api = await createTestApi()
    const reply = await post(api, { ...BODY, data: REVERTING_DATA })
    expect(reply.statusCode).toBe(422)
    expect(reply.json()).toMatchObject({ code: 'transaction_rejected', reason: 'Paused', outcome: 'reverted' })
    expect(await countStored(api)).toBe(0)
    const unsimulated = await post(api, { ...BODY, data: REVERTING_DATA, simulate: false })
    expect(unsimulated.statusCode).toBe(202)
  })

  test('more than the account has: 422', async () => {
    const reply = await post(await createTestApi(), { ...BODY, value: '1000000000000000001' })
    expect(reply.json()).toMatchObject({ status: 422, outcome: 'insufficient_funds' })
  })

  test.each([[true], [false]])('the same key with another body: 409 (simulate: %s)', async (simulate) => {
    const api = await createTestApi()
    const first = await post(api, { ...BODY, requestId: 'order-17' })
    const reply = await post(api, { ...BODY, value: '2', requestId: 'order-17', simulate })
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toMatchObject({ code: 'idempotency_conflict', transactionId: first.json().id })
    expect(await countStored(api)).toBe(1)
  })

  test('two different keys: 400', async () => {
    const reply = await post(await createTestApi(), { ...BODY, requestId: 'a' }, { 'idempotency-key': 'b' })
    expect(reply.json()).toMatchObject({ status: 400, field: 'requestId' })
  })

  test('an invalid Idempotency-Key header: 400', async () => {
    const reply = await post(await createTestApi(), BODY, { 'idempotency-key': 'x'.repeat(201) })
    expect(reply.json()).toMatchObject({ status: 400, field: 'idempotency-key' })
  })

  test('a full queue: 429 with Retry-After; what was taken is still stored', async () => {
    const held: (() => void)[] = []
    const api = await createTestApi({ limits: { maxBatch: 1, maxFlushes: 1, maxWaiting: 1 } })
    const insert = api.store.insertTransactions
    api.store.insertTransactions = (batch) =>
      new Promise<readonly InsertOutcome[]>((resolve) => held.push(() => resolve(insert(batch))))
    const settled: number[] = []
    const replies = [1, 2, 3].map((value) => post(api, { ...BODY, value, simulate: false }))
    for (const reply of replies) void reply.then(({ statusCode }) => settled.push(statusCode))
    const refused = await Promise.race(replies)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    expect(refused.json()).toMatchObject({ code: 'queue_full', retryAfterMs: 1_000 })
    while (settled.length < 3) {
      held.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(settled.sort()).toEqual([202, 202, 429])
    expect(await countStored(api)).toBe(2)
  })

  test('database down: 503, without its error text', async () => {
    const listTransactions = async () => {
      throw new StoreUnavailable('connect ECONNREFUSED postgres://user:secret@db')
    }
    const { server } = await createTestApi({ store: { listTransactions } })
    const reply = await server.inject({ method: 'GET', url: '/v1/transactions', headers: { host: 'localhost' } })
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '1'])
    expect(reply.json()).toMatchObject({
      code: 'database_unavailable',
      title: 'The database does not respond.',
      detail: expect.stringMatching(/^The database does not respond\. Send the request again\. For operators: /),
    })
    // It read only, so there is no doubt about what was stored.
    expect(reply.body).not.toMatch(/secret|stored/)
  })

  test('database down during a write: 503, which leaves open whether it was stored', async () => {
    const updateSigner = async () => {
      throw new StoreUnavailable('no answer')
    }
    const { server } = await createTestApi({ store: { updateSigner } })
    const reply = await server.inject({
      method: 'PATCH',
      url: `/v1/signers/${BODY.from}`,
      headers: { host: 'localhost' },
      payload: { label: 'ours' },
    })
    expect(reply.statusCode).toBe(503)
    expect(reply.json().detail).toContain('The request may or may not have been stored. Send it again')
  })
})
