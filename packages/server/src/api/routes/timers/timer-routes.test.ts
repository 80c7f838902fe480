import { expect, test } from 'vitest'
import { LOCAL_CALLER, type Scope } from '../../../core/access/caller.ts'
import { CHAIN_ID, createTestApi, LANE, NOW, SIGNER, STRANGER } from '../../../testing/api/create-test-api.ts'
import { anyBlock, anyFire, anySpec, handOffOf, startTimer, writeBlock } from '../../../testing/store/sample-timers.ts'
import { acquire, toSave, toWrite } from '../../../testing/store/samples.ts'
import { createApiKeys } from '../../access/api-keys.ts'

const BODY = {
  from: SIGNER,
  to: STRANGER,
  gasLimit: '50000',
  schedule: { type: 'interval', blocks: 5 },
  metadata: { a: '1', b: '2' },
}

async function setUp() {
  const api = await createTestApi()
  const call =
    (method: 'POST' | 'PATCH', url: string) =>
    async (payload: object, headers: Record<string, string> = {}) =>
      (await api.server.inject({ method, url, payload, headers })).json()
  return { ...api, call, post: call('POST', '/v1/timers') }
}

// No node answers here: what is accepted waits.
const ACCEPTED = { code: 'timers_unavailable' }
const CONFLICT = { code: 'idempotency_conflict', field: 'requestId' }

test('a repeated request is the same whatever the order of its fields and metadata', async () => {
  const { post } = await setUp()
  const body = { ...BODY, requestId: 'again' }
  expect(await post(body)).toMatchObject(ACCEPTED)
  const turned = Object.fromEntries(Object.entries({ ...body, metadata: { b: '2', a: '1' } }).reverse())
  expect(await post(turned)).toMatchObject(ACCEPTED)
  expect(await post({ ...body, metadata: { a: '1', b: '3' } })).toMatchObject(CONFLICT)
})

test('a repeated request is the same with and without the only chain there is', async () => {
  const { post } = await setUp()
  expect(await post({ ...BODY, requestId: 'again' })).toMatchObject(ACCEPTED)
  expect(await post({ ...BODY, requestId: 'again', chainId: CHAIN_ID })).toMatchObject(ACCEPTED)
})

test('another body under a used request id is a conflict that names the timer, also while that is being made', async () => {
  const { post, timers } = await setUp()
  await post({ ...BODY, requestId: 'pending' })
  const [asked] = await timers.readPendingCommands(CHAIN_ID, 1)
  const pending = asked?.command.type === 'set' ? asked.command.timerId : ''
  expect(await post({ ...BODY, requestId: 'pending', gasLimit: '50001' })).toMatchObject({
    ...CONFLICT,
    timerId: pending,
    detail: expect.stringContaining(pending),
  })
  const [lease] = await timers.keepTimerLeases('node-a', [CHAIN_ID], 60_000)
  if (lease === undefined) throw new Error('no lease')
  const { id } = await startTimer(timers, lease, anySpec(LANE), { requestId: 'made' })
  expect(await post({ ...BODY, requestId: 'made' })).toMatchObject({ ...CONFLICT, timerId: id })
})

test('the header Idempotency-Key is the request id, as for transactions', async () => {
  const { post, timers } = await setUp()
  const key = { 'idempotency-key': 'one' }
  expect(await post(BODY, key)).toMatchObject(ACCEPTED)
  expect(await post({ ...BODY, requestId: 'one' }, key)).toMatchObject(ACCEPTED)
  expect(await timers.readPendingCommands(CHAIN_ID, 10)).toHaveLength(1)
  expect(await post({ ...BODY, value: '1' }, key)).toMatchObject(CONFLICT)
  expect(await post({ ...BODY, requestId: 'two' }, key)).toMatchObject({ status: 400, field: 'requestId' })
})

test('a bid needs the scope priority: bids cost nothing, and would put one tenant before all others', async () => {
  const { keys: store, post, call, timers } = await setUp()
  const keys = createApiKeys({
    store,
    clock: { now: () => NOW, schedule: () => () => {} },
    withoutKey: true,
    releaseReservations: async () => {},
  })
  const makeKey = async (scopes: readonly Scope[]) => {
    const none = { signers: null, chains: null, rate: null, maxTxFeeWei: null, expiresAt: null }
    const { token } = await keys.create(LOCAL_CALLER, { name: 'shop', tenant: 'shop', scopes, ...none })
    return { authorization: `Bearer ${token}` }
  }
  const plain = await makeKey(['read', 'send', 'admin'])
  const first = await makeKey(['read', 'send', 'priority'])
  const forbidden = { status: 403, code: 'forbidden', field: 'bid', scope: 'priority' }
  expect(await post({ ...BODY, bid: '1' }, plain)).toMatchObject(forbidden)
  expect(await post({ ...BODY, bid: '0' }, plain)).toMatchObject(ACCEPTED)
  expect(await post({ ...BODY, bid: '1' }, first)).toMatchObject(ACCEPTED)
  const [lease] = await timers.keepTimerLeases('node-a', [CHAIN_ID], 60_000)
  if (lease === undefined) throw new Error('no lease')
  const { id } = await startTimer(timers, lease, anySpec(LANE, { bid: 0n }), { tenant: 'shop' })
  const patch = call('PATCH', `/v1/timers/${id}`)
  expect(await patch({ bid: '1' }, plain)).toMatchObject(forbidden)
  expect(await patch({ bid: '1' }, first)).toMatchObject(ACCEPTED)
  expect(await patch({ gasLimit: '60000' }, plain)).toMatchObject(ACCEPTED)
})

test('a fire whose transaction ended without success says why', async () => {
  const { server, store, timers } = await setUp()
  const [lease] = await timers.keepTimerLeases('node-a', [CHAIN_ID], 60_000)
  if (lease === undefined) throw new Error('no lease')
  const timer = await startTimer(timers, lease, anySpec(LANE))
  const block = anyBlock(11)
  const fires = [0, 1, 2].map((position) => anyFire(timer, block, { position, fireSeq: position }))
  const handOffs = await Promise.all(fires.map((fire) => handOffOf(timers, fire)))
  await writeBlock(timers, lease, block, { fires, handOffs })
  const [rejected, cancelled] = handOffs.map(({ transaction }) => transaction.id)
  const own = await acquire(store, LANE)
  const tx = await store.findTransaction(rejected ?? '')
  if (tx?.state !== 'QUEUED') throw new Error('it is not queued')
  const error = { code: 'reverted', message: 'The call reverts: Paused' }
  const ended = { ...tx, state: 'CANCELLED', subState: 'rejected', error, nonce: null, finalAt: 5 } as const
  await store.writeLanes([toWrite(own, [toSave(tx, ended, 'prepare.rejected')])])
  const url = `/v1/transactions/${cancelled}/cancel`
  await server.inject({ method: 'POST', url, payload: { reason: 'not needed' } })
  const { items } = (await server.inject({ method: 'GET', url: `/v1/timers/${timer.id}/fires` })).json()
  expect(items.map(({ state, reason }: Record<string, unknown>) => [state, reason])).toEqual([
    ['QUEUED', null],
    ['CANCELLED', 'An operator cancelled it.'],
    ['CANCELLED', 'The call reverts: Paused.'],
  ])
})
