import { beforeEach, describe, expect, test } from 'vitest'
import type { Stuck, Transaction } from '../../../core/transaction/transaction.ts'
import {
  allocate,
  blockHash,
  CHAIN_ID,
  createTestApi,
  NOW,
  SIGNER,
  TARGET,
  type TestApi,
} from '../../../testing/api/create-test-api.ts'
import { inclusionIn, proofOf } from '../../../testing/core/sample-transactions.ts'
import { historyPage } from '../../contract/resources/event-resource.ts'
import { transactionResource } from '../../contract/resources/transaction-resource.ts'

const HASH = `0x${'a1'.repeat(32)}` as const
const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'
const ACTIONS = ['suspend', 'resume', 'retry', 'cancel', 'resolve', 'requeue', 'close', 'speed-up'] as const
let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

async function send(): Promise<string> {
  const payload = { from: SIGNER, to: TARGET, value: 1, simulate: false }
  return (await api.server.inject({ method: 'POST', url: '/v1/transactions', payload })).json().id
}

async function act(key: string, action: string, payload: object = { reason: 'customer asked' }) {
  const reply = await api.server.inject({ method: 'POST', url: `/v1/transactions/${key}/${action}`, payload })
  return { status: reply.statusCode, body: reply.json() }
}

/** As the owner of its lane would after it waited too long. */
async function getStuck(tx: Transaction): Promise<void> {
  if (tx.state !== 'ALLOCATED') throw new Error('has no nonce')
  const next: Stuck = { ...tx, state: 'STUCK', subState: 'foreign_nonce', stuckAt: NOW }
  const before = { version: tx.version + 1, state: tx.state, attemptCount: 1 }
  const note = { type: 'stuck.declared', cause: 'foreign_nonce', detail: {} }
  expect(await api.store.amend({ before, tx: next, notes: [note] }, [])).toMatchObject({ type: 'written' })
}

describe('a queued transaction', () => {
  test('is suspended, resumed and cancelled, each with who and why in its history', async () => {
    const id = await send()
    const suspended = await act(id, 'suspend', { reason: '  check the amount ' })
    expect(suspended).toMatchObject({ status: 200, body: { id, state: 'QUEUED', subState: 'suspended' } })
    expect(transactionResource.strict().parse(suspended.body)).toEqual(suspended.body)
    expect((await act(id, 'resume')).body).toMatchObject({ state: 'QUEUED', subState: 'accepted' })
    expect((await act(id, 'cancel')).body).toMatchObject({ state: 'CANCELLED', subState: 'cancelled', nonce: null })
    const entries = historyPage.parse((await api.server.inject(`/v1/transactions/${id}/history`)).json()).items
    expect(entries.slice(1)).toMatchObject([
      { type: 'operator.suspended', cause: 'operator', detail: { actor: 'local', reason: 'check the amount' } },
      { type: 'operator.resumed', detail: { actor: 'local', reason: 'customer asked' } },
      { type: 'operator.cancelled', toState: 'CANCELLED' },
    ])
  })

  test('an impossible action is a conflict that says why', async () => {
    const id = await send()
    expect(await act(id, 'retry')).toMatchObject({
      status: 409,
      body: { code: 'action_forbidden', detail: expect.stringContaining('Nothing has failed'), action: 'retry' },
    })
    expect(await act(id, 'resume')).toMatchObject({ status: 409, body: { detail: 'It is not suspended.' } })
    await act(id, 'cancel')
    expect(await act(id, 'cancel')).toMatchObject({ status: 409, body: { state: 'CANCELLED' } })
  })
})

test('a transaction can be named by the hash of an attempt', async () => {
  const id = await send()
  await allocate(api.store, id, HASH)
  expect(await act(HASH, 'suspend')).toMatchObject({ status: 200, body: { id, state: 'ALLOCATED' } })
  const explained = await api.server.inject(`/v1/transactions/${HASH}/explain`)
  expect(explained.json()).toMatchObject({ cause: 'suspended' })
})

describe('resolve', () => {
  const foreign = `0x${'f0'.repeat(32)}` as const

  async function resolveIn(blockNumber: number, change: { readonly value?: bigint } = {}) {
    const id = await send()
    await getStuck(await allocate(api.store, id, HASH))
    const inclusion = inclusionIn(blockNumber, { txHash: foreign, blockHash: blockHash(blockNumber) })
    const { to, value } = { to: TARGET, value: 1n, ...change } as const
    api.chain.findNonceUser = async () =>
      proofOf({ chainId: CHAIN_ID, from: SIGNER, nonce: 0, to, value, minedAt: NOW, inclusion }).user
    api.chain.findReceipts = async () => [{ type: 'found', inclusion }]
    return act(id, 'resolve', { reason: 'seen on the explorer', hash: foreign })
  }

  test('a stuck transaction ends as the one that used its nonce', async () => {
    expect(await resolveIn(98)).toMatchObject({
      status: 200,
      body: { state: 'CONFIRMED', subState: 'resolved', receipt: { transactionHash: foreign }, nonce: 0 },
    })
  })

  test('but not if that one had another effect', async () => {
    expect(await resolveIn(98, { value: 2n })).toMatchObject({
      status: 409,
      body: { code: 'action_forbidden', detail: expect.stringContaining('Requeue or close it') },
    })
  })

  test('but not before that one is final', async () => {
    expect(await resolveIn(99)).toMatchObject({
      status: 409,
      body: { code: 'action_forbidden', field: 'hash', detail: expect.stringContaining('not final yet') },
    })
  })

  test('a node that is down decides nothing', async () => {
    const id = await send()
    await getStuck(await allocate(api.store, id, HASH))
    api.chain.setFault(() => 'unavailable')
    const { status, body } = await act(id, 'resolve', { reason: 'x', hash: foreign })
    expect([status, body.code]).toEqual([503, 'chain_unavailable'])
  })

  test.each([['0x12'], [17]])('with hash %j it is refused with the field name', async (hash) => {
    const id = await send()
    expect(await act(id, 'resolve', { reason: 'x', hash })).toMatchObject({ status: 400, body: { field: 'hash' } })
  })
})

describe.each(ACTIONS.map((action) => [action]))('%s', (action) => {
  const more = action === 'resolve' ? { hash: HASH } : {}

  test.each([
    ['no reason', {}],
    ['an empty one', { reason: '' }],
    ['blanks', { reason: '   ' }],
    ['too long a one', { reason: 'x'.repeat(501) }],
    ['one that cannot be stored', { reason: 'a\0b' }],
    ['one that is no text', { reason: 5 }],
  ])('%s is refused, and nothing is stored', async (_, body) => {
    const id = await send()
    expect(await act(id, action, { ...more, ...body })).toMatchObject({ status: 400, body: { field: 'reason' } })
    expect(await api.store.readHistory(id)).toHaveLength(1)
  })

  test('unknown fields are refused, and missing ones are named', async () => {
    const body = { reason: 'x', ...more }
    expect(await act(UNKNOWN, action, { ...body, force: true })).toMatchObject({
      status: 400,
      body: { field: 'force' },
    })
    expect(await act(UNKNOWN, action, body)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await act('17', action, body)).toMatchObject({ status: 400, body: { field: 'id' } })
  })
})

describe('a sent transaction', () => {
  test('is sped up, then cancelled: the request is stored for the lane owner, and explained', async () => {
    const id = await send()
    await allocate(api.store, id, HASH)
    expect(await act(id, 'speed-up')).toMatchObject({ status: 200, body: { id, state: 'ALLOCATED' } })
    expect(await api.store.findTransaction(id)).toMatchObject({ requestedReplacement: 'speed_up' })
    expect(await act(id, 'speed-up')).toMatchObject({ status: 409, body: { code: 'action_forbidden' } })
    expect((await act(id, 'cancel')).status).toBe(200)
    expect(await api.store.findTransaction(id)).toMatchObject({ requestedReplacement: 'cancel' })
    const explained = (await api.server.inject(`/v1/transactions/${id}/explain`)).json()
    expect(explained.summary).toContain('It is being cancelled')
  })

  test('of a signer whose policy forbids replacement stays as it is', async () => {
    await api.server.inject({
      method: 'PATCH',
      url: `/v1/signers/${SIGNER}`,
      payload: { policy: { preset: 'stable', mayReplace: 'never' } },
    })
    const id = await send()
    await allocate(api.store, id, HASH)
    for (const action of ['speed-up', 'cancel']) {
      expect(await act(id, action)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('policy') } })
    }
  })
})
