import { beforeEach, expect, test } from 'vitest'
import type { LoadedLane } from '../../../ports/lane-write.ts'
import {
  allocate,
  CHAIN_ID,
  createTestApi,
  LANE,
  SIGNER,
  SIGNER_CHECKSUMMED,
  TARGET,
  type TestApi,
} from '../../../testing/api/create-test-api.ts'
import { anyNote, toStuck } from '../../../testing/store/samples.ts'
import { explanationResource } from '../../contract/resources/explanation-resource.ts'

const HASH = `0x${'a1'.repeat(32)}` as const
let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

async function send(): Promise<string> {
  const payload = { from: SIGNER, to: TARGET, value: 1, simulate: false }
  return (await api.server.inject({ method: 'POST', url: '/v1/transactions', payload })).json().id
}

async function explain(key: string) {
  const reply = await api.server.inject(`/v1/transactions/${key}/explain`)
  expect(reply.statusCode).toBe(200)
  const body = reply.json()
  expect(explanationResource.strict().parse(body)).toEqual(body)
  return body
}

test('nobody runs the lane', async () => {
  const explanation = await explain(await send())
  expect(explanation).toMatchObject({
    cause: 'no_owner',
    blockedBy: { type: 'node', node: null },
    nextActionAt: null,
    options: [{ action: 'suspend' }, { action: 'cancel' }],
  })
})

test('others of the same signer go first, and their number is given', async () => {
  const ids = [await send(), await send(), await send()]
  await api.store.acquireLeases('node-a', [LANE], 15_000)
  expect(await explain(ids[2] ?? '')).toMatchObject({
    cause: 'waiting_in_line',
    summary: expect.stringContaining('2 transactions'),
    blockedBy: { type: 'lane', chainId: CHAIN_ID, address: SIGNER_CHECKSUMMED },
  })
  expect(await explain(ids[0] ?? '')).toMatchObject({ cause: 'preparing', nextActionAt: '2026-01-02T03:04:05.000Z' })
})

test('the signer is paused', async () => {
  const id = await send()
  await api.store.acquireLeases('node-a', [LANE], 15_000)
  await api.store.updateSigner(LANE, { paused: true }, anyNote())
  expect(await explain(id)).toMatchObject({ cause: 'lane_paused' })
})

test('the lane is full: the lowest unmined nonce is named', async () => {
  const [first, second] = [await send(), await send()]
  await allocate(api.store, first, HASH)
  const policy = (await api.store.listSigners())[0]?.policy
  if (policy === undefined) throw new Error('no signer')
  await api.store.updateSigner(LANE, { policy: { ...policy, maxInFlight: 1 } }, anyNote())
  expect(await explain(second)).toMatchObject({
    cause: 'waiting_for_slot',
    blockedBy: { type: 'transaction', transactionId: first, nonce: 0, state: 'ALLOCATED' },
  })
  expect(await explain(HASH)).toMatchObject({ cause: 'not_sent', summary: expect.stringContaining(HASH) })
})

test('a transaction that got its nonce meanwhile is explained as it is now', async () => {
  const id = await send()
  const loadLane = async (lane: typeof LANE): Promise<LoadedLane> => {
    await allocate(api.store, id, HASH)
    return api.store.loadLane(lane)
  }
  const racing = await createTestApi({ store: { ...api.store, loadLane } })
  const { body } = await racing.server.inject(`/v1/transactions/${id}/explain`)
  expect(JSON.parse(body).summary).toContain(HASH)
})

test('a final transaction is explained without loading its lane', async () => {
  const id = await send()
  await api.server.inject({ method: 'POST', url: `/v1/transactions/${id}/cancel`, payload: { reason: 'x' } })
  const loadLane = () => Promise.reject(new Error('was loaded'))
  const other = await createTestApi({ store: { ...api.store, loadLane } })
  const reply = await other.server.inject(`/v1/transactions/${id}/explain`)
  expect(reply.json()).toMatchObject({ cause: 'cancelled', options: [], nextActionAt: null })
})

test('what no block took is best sped up, where the policy allows that', async () => {
  const id = await send()
  await allocate(api.store, id, HASH)
  const tx = await api.store.findTransaction(id)
  if (tx?.state !== 'ALLOCATED') throw new Error('has no nonce')
  await api.store.amend(
    {
      before: { version: tx.version, state: tx.state, attemptCount: 1 },
      tx: toStuck(tx),
      notes: [anyNote('stuck.declared')],
    },
    [],
  )
  const { options, advice, cause } = await explain(id)
  expect([cause, options[0].action]).toEqual(['no_inclusion', 'speed-up'])
  expect(advice).toContain(`drover tx speed-up ${id}`)
})

test('the explanation names the revert reason, if the nodes know it', async () => {
  expect(await explain(await send())).toMatchObject({ revertReason: null })
  const readRevert = async () => 'not enough'
  const other = await createTestApi({ store: api.store, services: { readRevert } })
  const reply = await other.server.inject(`/v1/transactions/${await send()}/explain`)
  expect(reply.json()).toMatchObject({ revertReason: 'not enough' })
})
