import { describe, expect, test } from 'vitest'
import type { NewTransaction } from '../../../ports/store.ts'
import {
  CHAIN_ID,
  createTestApi,
  REVERTING_DATA,
  SIGNER,
  STRANGER,
  TARGET,
  type TestApi,
} from '../../../testing/api/create-test-api.ts'
import { transactionBatchResource } from '../../contract/requests/transaction-batch.ts'

const send = (value: number, more: object = {}) => ({ from: SIGNER, to: TARGET, value: String(value), ...more })

async function post({ server }: TestApi, payload: unknown, headers: Record<string, string> = {}) {
  const options = { method: 'POST', url: '/v1/transactions/batch', payload: payload as object, headers } as const
  return server.inject(options)
}

async function postItems(api: TestApi, transactions: readonly unknown[], headers: Record<string, string> = {}) {
  const reply = await post(api, { transactions }, headers)
  expect(reply.statusCode, reply.body).toBe(200)
  return transactionBatchResource.parse(reply.json()).results
}

const statuses = (results: readonly { readonly status: number }[]) => results.map(({ status }) => status)

async function listValues({ store }: TestApi): Promise<readonly bigint[]> {
  const queue = await store.readQueue({ chainId: CHAIN_ID, signer: SIGNER }, 2_000)
  return queue.map(({ intent }) => intent.value)
}

describe('a batch', () => {
  test('good items are stored in order; each bad item has its own problem', async () => {
    const api = await createTestApi()
    const results = await postItems(api, [
      send(1),
      send(2, { gas: 1 }),
      send(3),
      send(4, { data: REVERTING_DATA }),
      send(5, { from: STRANGER }),
      send(6, { chainId: 5 }),
      'nonsense',
      null,
      send(7),
    ])
    expect(statuses(results)).toEqual([202, 400, 202, 422, 400, 400, 400, 400, 202])
    expect(results[1]).toMatchObject({ problem: { code: 'invalid_request', field: 'gas' } })
    expect(results[3]).toMatchObject({ problem: { code: 'transaction_rejected', reason: 'Paused' } })
    expect(results[4]).toMatchObject({ problem: { code: 'unknown_signer', field: 'from' } })
    expect(results[5]).toMatchObject({ problem: { code: 'unknown_chain', field: 'chainId' } })
    expect(results[8]).toMatchObject({ transaction: { value: '7', state: 'QUEUED' } })
    expect(await listValues(api)).toEqual([1n, 3n, 7n])
  })

  test('a thousand cost one insert, and keep their order though they are more than one flush holds', async () => {
    const calls: string[] = []
    const api = await createTestApi({ limits: { maxBatch: 100 } })
    const { insertTransactions, findRequests } = api.store
    Object.assign(api.store, {
      insertTransactions: (batch: readonly NewTransaction[]) => {
        calls.push(`insert ${batch.length}`)
        return insertTransactions(batch)
      },
      findRequests: (keys: Parameters<typeof findRequests>[0]) => {
        calls.push(`find ${keys.length}`)
        return findRequests(keys)
      },
    })
    const items = Array.from({ length: 1_000 }, (_, index) => send(index, { requestId: `row-${index}` }))
    const results = await postItems(api, items)
    expect(new Set(statuses(results))).toEqual(new Set([202]))
    expect(calls).toEqual(['insert 1000'])
    expect(await listValues(api)).toEqual(items.map((_, index) => BigInt(index)))
    expect(new Set(statuses(await postItems(api, items)))).toEqual(new Set([200]))
    expect(calls.slice(1)).toEqual(['insert 1000'])
  })

  test('the same key twice in one batch is like two requests, one after the other', async () => {
    const api = await createTestApi()
    const results = await postItems(api, [
      send(1, { requestId: 'a' }),
      send(1, { requestId: 'a' }),
      send(2, { requestId: 'a' }),
      send(3, { requestId: 'b', data: REVERTING_DATA }),
      send(4, { requestId: 'b' }),
      send(1, { requestId: 'a' }),
    ])
    expect(statuses(results)).toEqual([202, 200, 409, 422, 202, 200])
    expect(await listValues(api)).toEqual([1n, 4n])
  })

  test('a key for the batch becomes a key of each item that has none', async () => {
    const api = await createTestApi()
    const items = [send(1), send(2, { requestId: 'mine' }), send(3)]
    const first = await postItems(api, items, { 'idempotency-key': 'payroll' })
    expect(first).toMatchObject([
      { status: 202, transaction: { requestId: 'payroll:0' } },
      { status: 202, transaction: { requestId: 'mine' } },
      { status: 202, transaction: { requestId: 'payroll:2' } },
    ])
    expect(statuses(await postItems(api, items, { 'idempotency-key': 'payroll' }))).toEqual([200, 200, 200])
    const long = await post(api, { transactions: items }, { 'idempotency-key': 'k'.repeat(198) })
    expect(long.json()).toMatchObject({ status: 400, field: 'idempotency-key', detail: expect.stringContaining('196') })
  })

  test('items that do not fit into the queue are refused one by one, and the rest is stored', async () => {
    const api = await createTestApi({ limits: { maxWaiting: 2 } })
    const results = await postItems(api, [send(1), send(2), send(3), send(4)])
    expect(statuses(results)).toEqual([202, 202, 429, 429])
    expect(results[3]).toMatchObject({ problem: { code: 'queue_full', retryAfterMs: 1_000 } })
    expect(await listValues(api)).toEqual([1n, 2n])
  })
})

describe('invalid batches', () => {
  test.each([
    [{}, 'transactions', /is required/],
    [{ transactions: [] }, 'transactions', /at least 1 item\b/],
    [{ transactions: 'all' }, 'transactions', /an array/],
    [{ transactions: [send(1)], wait: true }, 'wait', /unknown field/],
    [{ transactions: Array.from({ length: 1_001 }, () => send(1)) }, 'transactions', /at most 1000 items/],
  ])('%#', async (body, field, detail) => {
    const api = await createTestApi()
    const reply = await post(api, body)
    expect(reply.json()).toMatchObject({ status: 400, field, detail: expect.stringMatching(detail) })
    expect(await listValues(api)).toEqual([])
  })

  test('a body above the batch limit is refused, and the limit is named', async () => {
    const api = await createTestApi()
    const large = send(1, { data: `0x${'ab'.repeat(100_000)}` })
    expect(
      statuses(
        await postItems(
          api,
          Array.from({ length: 30 }, () => large),
        ),
      ),
    ).toEqual(Array(30).fill(202))
    const reply = await post(api, { transactions: Array.from({ length: 50 }, () => large) })
    expect(reply.json()).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      detail: expect.stringContaining('8 MiB'),
    })
  })
})
