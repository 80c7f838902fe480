import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tests/setup/database.ts'
import type { Store } from '../../ports/store.ts'
import { createPostgresStore } from '../../store/postgres/postgres-store.ts'
import { createTestApi, SIGNER, TARGET, type TestApi } from '../../testing/api/create-test-api.ts'
import { createSilentTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { MAX_DATA_BYTES, MAX_PRICE } from '../contract/requests/transaction-request.ts'
import { UINT256_MAX } from '../contract/values/amount.ts'

let database: TestDatabase
let store: Store
let api: TestApi

beforeAll(async () => {
  database = await createTestDatabase()
  store = createPostgresStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
  api = await createTestApi({ store, maxTxFeeWei: null })
})

afterAll(async () => {
  await store.close()
  await database.drop()
})

const BODY = { from: SIGNER, to: TARGET, simulate: false }

function post(payload: object) {
  return api.server.inject({ method: 'POST', url: '/v1/transactions', payload })
}

describe('whatever the contract accepts, PostgreSQL stores and returns unchanged', () => {
  test.each<[string, object]>([
    ['the largest amounts', { value: UINT256_MAX.toString(), gasLimit: (2n ** 63n - 1n).toString() }],
    ['the largest fees', { fees: { maxFeePerGas: MAX_PRICE.toString(), maxPriorityFeePerGas: '0' } }],
    ['the largest data', { data: `0x${'ab'.repeat(MAX_DATA_BYTES)}` }],
    ['the longest request id', { requestId: '~'.repeat(200) }],
    ['text of all kinds', { metadata: { 'ключ "\\': '🐑 \u0001\t\n\\u0000', empty: '' } }],
    ['the largest numbers', { priority: 1_000, finality: 10_000, validUntil: '9999-12-30T00:00:00Z' }],
    ['the smallest numbers', { priority: -1_000, finality: 0, value: 0 }],
    ['a deployment', { to: null, data: '0x6001' }],
  ])('%s', async (_, more) => {
    const posted = await post({ ...BODY, ...more })
    expect([posted.statusCode, posted.json().detail]).toEqual([202, undefined])
    const read = await api.server.inject(`/v1/transactions/${posted.json().id}`)
    expect(read.json()).toEqual(posted.json())
  })
})

test('a burst with shared keys stores each key once', async () => {
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => post({ ...BODY, value: index % 50, requestId: `burst-${index % 50}` })),
  )
  const statuses = replies.map((reply) => reply.statusCode)
  expect([
    statuses.filter((status) => status === 202).length,
    statuses.filter((status) => status === 200).length,
  ]).toEqual([50, 150])
  const stored = new Set(replies.map((reply) => reply.json().id))
  expect(stored.size).toBe(50)
})

describe('what operators do', () => {
  test('a transaction is suspended, explained, resumed and cancelled', async () => {
    const { id } = (await post(BODY)).json()
    const seen: unknown[] = []
    for (const action of ['suspend', 'resume', 'cancel']) {
      const url = `/v1/transactions/${id}/${action}`
      const reply = await api.server.inject({ method: 'POST', url, payload: { reason: 'to see "it" 🐑' } })
      const explained = await api.server.inject(`/v1/transactions/${id}/explain`)
      seen.push([reply.statusCode, reply.json().state, explained.json().cause])
    }
    expect(seen).toEqual([
      [200, 'QUEUED', 'suspended'],
      [200, 'QUEUED', 'no_owner'],
      [200, 'CANCELLED', 'cancelled'],
    ])
    const { items } = (await api.server.inject(`/v1/transactions/${id}/history`)).json()
    expect(items.at(-1)).toMatchObject({ type: 'operator.cancelled', detail: { reason: 'to see "it" 🐑' } })
  })

  test('the largest policy is kept, and other fields stay', async () => {
    const policy = { maxInFlight: 10_000, maxFeePerGas: UINT256_MAX.toString(), finality: 10_000 }
    const payload = { label: '🐑'.repeat(50), policy }
    const patched = await api.server.inject({ method: 'PATCH', url: `/v1/signers/${SIGNER}`, payload })
    expect(patched.json()).toMatchObject({ label: payload.label, policy: { ...policy, preset: 'fast' } })
    const pausing = { method: 'POST', url: `/v1/signers/${SIGNER}/pause`, payload: { reason: 'x' } } as const
    expect((await api.server.inject(pausing)).json()).toMatchObject({ paused: true, policy })
    const read = await api.server.inject(`/v1/signers/${SIGNER}`)
    expect(read.json().lanes).toMatchObject([{ paused: true, label: payload.label, policy }])
  })
})

test.each([
  ['/v1/transactions?limit=200&chainId=9007199254740991&nonce=9007199254740991&since=1970-01-01T00:00:00Z'],
  ['/v1/transactions?after=9007199254740991&state=QUEUED,EXPIRED'],
  ['/v1/events?after=9007199254740991&limit=200'],
  ['/v1/signers'],
  ['/v1/nodes'],
  ['/readyz'],
])('GET %s', async (url) => {
  const reply = await api.server.inject(url)
  expect([reply.statusCode, reply.json().detail]).toEqual([200, undefined])
})

test('a path that does not exist is answered before its body arrives, so strangers hold no memory for bodies', async () => {
  const url = new URL(await api.server.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname)
  socket.write(
    'POST /nope HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n{',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 .*connection: close/is)
  socket.destroy()
  await api.server.close()
})
