import { expect, test } from 'vitest'
import { allocate, createTestApi, LANE, SIGNER, TARGET, type TestApi } from '../../../testing/api/create-test-api.ts'
import { fillList } from '../../contract/resources/signer-resource.ts'

const HASH = `0x${'ab'.repeat(32)}` as const

function fill({ server }: TestApi, payload: object = { reason: 'somebody took the nonce and left' }) {
  return server.inject({ method: 'POST', url: `/v1/signers/${SIGNER}/fill-gap`, payload })
}

/** One transaction on its way, and these nonces free. */
async function createGaps(free: readonly number[], sent: number): Promise<TestApi> {
  const api = await createTestApi()
  const { server, store } = api
  const payload = { from: SIGNER, to: TARGET, value: '1' }
  const { id } = (await server.inject({ method: 'POST', url: '/v1/transactions', payload })).json()
  const allocated = await allocate(store, id, HASH)
  if (allocated.state !== 'ALLOCATED') throw new Error('not allocated')
  const [lease] = await store.listLeases()
  if (lease === undefined) throw new Error('no lease')
  const before = { version: allocated.version + 1, state: allocated.state, attemptCount: 1 }
  const [written] = await store.writeLanes([
    {
      lease,
      cursor: { expected: 1, next: sent + 1 },
      notes: [],
      reservations: [],
      reset: null,
      balance: null,
      saves: [{ before, tx: { ...allocated, nonce: sent }, notes: [] }],
      nonces: free.map((nonce) => ({ nonce, status: 'RECYCLABLE', txId: null })),
    },
  ])
  expect(written).toMatchObject({ type: 'written' })
  return api
}

test('each free nonce below an assigned one gets an empty transaction, before all others', async () => {
  const api = await createGaps([3, 4, 9], 7)
  const reply = await fill(api)
  expect(reply.statusCode, reply.body).toBe(202)
  const { items } = fillList.parse(reply.json())
  expect(items.map(({ to, value, data, metadata }) => [to === items[0]?.from, value, data, metadata.nonce])).toEqual([
    [true, '0', '0x', '3'],
    [true, '0', '0x', '4'],
  ])
  expect(items[0]?.metadata).toMatchObject({ purpose: 'gap_fill', reason: 'somebody took the nonce and left' })
  expect((await api.store.readQueue(LANE, 10)).map(({ id }) => id)).toEqual(items.map(({ id }) => id))
})

test('a second order finds nothing left to do', async () => {
  const api = await createGaps([3], 7)
  await fill(api)
  expect((await fill(api)).json()).toMatchObject({ status: 409, code: 'action_forbidden' })
  expect(await api.store.readQueue(LANE, 10)).toHaveLength(1)
})

test('without a gap, or a reason, nothing is queued', async () => {
  const api = await createTestApi()
  const none = await fill(api)
  expect(none.json()).toMatchObject({ status: 409, detail: expect.stringContaining('There is no gap to fill') })
  expect((await fill(api, {})).json()).toMatchObject({ status: 400, field: 'reason' })
  expect(await api.store.readQueue(LANE, 10)).toEqual([])
})
