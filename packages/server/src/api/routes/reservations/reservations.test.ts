import { beforeEach, expect, test } from 'vitest'
import type { Lease } from '../../../core/lane/lane.ts'
import { moveReservation } from '../../../core/lane/reservation.ts'
import {
  CHAIN_ID,
  createTestApi,
  LANE,
  NOW,
  SIGNER,
  SIGNER_CHECKSUMMED,
  STRANGER,
  type TestApi,
} from '../../../testing/api/create-test-api.ts'
import {
  reservationList,
  reservationPage,
  reservationResource,
  takenList,
} from '../../contract/resources/reservation-resource.ts'
import { resetResource } from '../../contract/resources/reset-resource.ts'
import { signerResource } from '../../contract/resources/signer-resource.ts'

const HASH = `0x${'a1'.repeat(32)}` as const
const LOCK_OWNER = 'a proof of my own'
let api: TestApi
let lease: Lease | null

beforeEach(async () => {
  lease = null
  api = await createTestApi()
})

async function post(url: string, payload: object) {
  const reply = await api.server.inject({ method: 'POST', url, payload })
  return { status: reply.statusCode, body: reply.json() }
}

async function reserve(more: object = {}) {
  return await post(`/v1/signers/${SIGNER}/nonces`, { ttlMs: 60_000, lockOwner: LOCK_OWNER, ...more })
}

/** What the owner of the lane would do. */
async function lend(nonce: number): Promise<string> {
  const { body } = await reserve()
  lease ??= (await api.store.acquireLeases('node-a', [LANE], 60_000))[0] ?? null
  const { cursor } = await api.store.loadLane(LANE)
  const [asked] = await api.store.findReservations([body.items[0].id])
  const step = asked && moveReservation(asked, { type: 'reservation.granted', at: NOW, nonce })
  if (lease === null || !step) throw new Error('cannot be reserved')
  const next = Math.max(cursor ?? 0, nonce + 1)
  const [written] = await api.store.writeLanes([
    {
      lease,
      cursor: { expected: cursor, next },
      saves: [],
      notes: [step.note],
      reset: null,
      nonces: [{ nonce, status: 'RESERVED', txId: null, reservationId: asked.id }],
      reservations: [{ before: asked, reservation: step.reservation, locks: true }],
      balance: { wei: 123n, at: NOW },
    },
  ])
  expect(written).toMatchObject({ type: 'written' })
  return asked.id
}

test('a request that is not answered in time is 202, with all that is needed to ask again', async () => {
  const { status, body } = await reserve({ count: 2, requestId: 'r1', label: 'payout worker' })
  expect(status).toBe(202)
  const { items } = reservationList.strict().parse(body)
  expect(body.lockOwner).toBe(LOCK_OWNER)
  expect(items).toMatchObject([1, 2].map(() => ({ state: 'REQUESTED', nonce: null, label: 'payout worker' })))
  const shown = await api.server.inject(`/v1/nonces/${items[0]?.id}`)
  expect(shown.json()).toEqual(items[0])
  expect((await reserve({ count: 2, requestId: 'r1', label: 'payout worker' })).body.items).toEqual(items)
  expect(await reserve({ count: 1, requestId: 'r1' })).toMatchObject({
    status: 409,
    body: { code: 'idempotency_conflict' },
  })
})

test('a generated proof is shown once', async () => {
  const first = await reserve({ lockOwner: undefined, requestId: 'r2' })
  expect(first.body.lockOwner).toMatch(/^[\w-]{32}$/)
  expect((await reserve({ lockOwner: undefined, requestId: 'r2' })).body.lockOwner).toBeNull()
  expect(JSON.stringify(await api.store.readEvents(0, 100))).not.toContain(first.body.lockOwner)
  expect(JSON.stringify(api.telemetry.logs)).not.toContain(first.body.lockOwner)
})

test('only the holder uses, extends and releases', async () => {
  const id = await lend(7)
  const wrong = await post(`/v1/nonces/${id}/use`, { lockOwner: 'another', hash: HASH })
  expect(wrong).toMatchObject({ status: 403, body: { code: 'not_lock_owner', field: 'lockOwner' } })
  const extended = await post(`/v1/nonces/${id}/extend`, { lockOwner: LOCK_OWNER, ttlMs: 120_000 })
  expect(extended).toMatchObject({ status: 200, body: { lockedUntil: '2026-01-02T03:06:05.000Z', nonce: 7 } })
  const used = await post(`/v1/nonces/${id}/use`, { lockOwner: LOCK_OWNER, hash: HASH })
  expect(reservationResource.strict().parse(used.body)).toMatchObject({ state: 'USED', hash: HASH, hashes: [HASH] })
  const released = await post(`/v1/nonces/${id}/release`, { lockOwner: LOCK_OWNER })
  expect(released).toMatchObject({ status: 409, body: { code: 'action_forbidden', state: 'USED', action: 'release' } })
  expect(released.body.detail).toContain('nonce 7 is USED')
})

test('a holder that comes too late gets an error and must not send', async () => {
  const id = await lend(7)
  const later = await createTestApi({
    store: { ...api.store, actOnReservation: (key, owner, act) => expire(key, owner, act) },
  })
  async function expire(...[key]: Parameters<typeof api.store.actOnReservation>) {
    const [reservation] = await api.store.findReservations([key])
    return reservation ? ({ type: 'expired', reservation } as const) : null
  }
  const payload = { lockOwner: LOCK_OWNER, hash: HASH }
  const reply = await later.server.inject({ method: 'POST', url: `/v1/nonces/${id}/use`, payload })
  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({ code: 'reservation_expired', nonce: 7 })
  expect(reply.json().detail).toContain('Do not send anything')
})

test('a signer shows reservations, what blocks it, its health and its resets', async () => {
  const id = await lend(7)
  await api.store.insertReset({ id: '01890a5d-ac96-774b-bcce-000000000099', lane: LANE, actor: 'ann', reason: 'wiped' })
  const shown = (await api.server.inject(`/v1/signers/${SIGNER}`)).json()
  expect(signerResource.strict().parse(shown)).toMatchObject({
    lanes: [
      {
        nextNonce: 8,
        reserved: 1,
        free: 0,
        balance: { wei: '123' },
        lastConfirmationAt: null,
        lowestReserved: { reservationId: id, nonce: 7, lockedUntil: '2026-01-02T03:05:05.000Z' },
      },
    ],
    resets: [{ state: 'REQUESTED', actor: 'ann', reason: 'wiped', chainId: CHAIN_ID, address: SIGNER_CHECKSUMMED }],
  })
})

test('a reset that is not answered in time is 202; a refused one says what is in the way', async () => {
  const asked = await post(`/v1/signers/${SIGNER}/reset-nonce`, { reason: 'the chain was wiped' })
  expect(asked.status).toBe(202)
  expect(resetResource.strict().parse(asked.body)).toMatchObject({ state: 'REQUESTED', reason: 'the chain was wiped' })
  const refusal = 'the chain counts 5, and alive there are nonce 6 of transaction x (TRACKING)'
  const findReset = async (id: string) => {
    const reset = await api.store.findReset(id)
    return reset && { ...reset, state: 'REFUSED' as const, refusal }
  }
  const refusing = await createTestApi({ store: { ...api.store, findReset } })
  const url = `/v1/signers/${SIGNER}/reset-nonce`
  const reply = await refusing.server.inject({ method: 'POST', url, payload: { reason: 'again' } })
  expect(reply.json()).toMatchObject({
    status: 409,
    code: 'action_forbidden',
    detail: expect.stringContaining(refusal),
  })
})

test.each([
  ['a ttl above the maximum', { ttlMs: 600_001 }, 'ttlMs'],
  ['a ttl of nothing', { ttlMs: 10 }, 'ttlMs'],
  ['too many', { count: 101 }, 'count'],
  ['an unknown field', { nonce: 5 }, 'nonce'],
])('%s is refused', async (_name, more, field) => {
  expect(await reserve(more)).toMatchObject({ status: 400, body: { code: 'invalid_request', field } })
})

test('without a ttl the default applies; the maximum is named in the error, also for an extension', async () => {
  expect((await reserve({ ttlMs: undefined })).body.items).toMatchObject([{ ttlMs: 60_000 }])
  const id = await lend(7)
  const refused = await post(`/v1/nonces/${id}/extend`, { lockOwner: LOCK_OWNER, ttlMs: 86_400_000 })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'ttlMs' } })
  expect(refused.body.detail).toContain('ttlMs must be at most 600000')
})

test('open reservations are listed by nonce, page by page', async () => {
  for (const nonce of [9, 7, 8]) await lend(nonce)
  const list = async (query: string) => (await api.server.inject(`/v1/signers/${SIGNER}/nonces${query}`)).json()
  const first = reservationPage.strict().parse(await list('?limit=2'))
  expect(first.items.map(({ nonce }) => nonce)).toEqual([7, 8])
  const second = await list(`?limit=2&after=${first.next}`)
  expect([second.items.length, second.items[0].nonce, second.next]).toEqual([1, 9, null])
  expect(JSON.stringify([first, second])).not.toContain(LOCK_OWNER)
  expect(await list('?after=nonsense')).toMatchObject({ code: 'invalid_request', field: 'after' })
})

test('an operator releases all in one call; audit and events say who and why', async () => {
  const ids = [await lend(7), await lend(8)]
  const taken = await post(`/v1/signers/${SIGNER}/nonces/release`, { reason: 'holder is away' })
  expect(takenList.strict().parse(taken.body).items).toMatchObject(
    ids.map((id) => ({ outcome: 'released', why: null, reservation: { id, state: 'RELEASED' } })),
  )
  const events = await api.store.readEvents(0, 100)
  const told = events.filter(({ type }) => type === 'reservation.released')
  expect(told).toMatchObject(
    ids.map((id) => ({ cause: 'operator', detail: { reservationId: id, actor: 'local', reason: 'holder is away' } })),
  )
  expect(await api.keys.listAudit({ before: null, limit: 5 })).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ operation: 'releaseReservations', result: 'done' })]),
  )
})

test('an operator fills a nonce whose transaction no node knows, and only the named reservation', async () => {
  const [first, second] = [await lend(7), await lend(8)]
  await post(`/v1/nonces/${first}/use`, { lockOwner: LOCK_OWNER, hash: HASH })
  const body = { reason: 'never sent', reservationId: first }
  const filled = await post(`/v1/signers/${SIGNER}/nonces/fill`, body)
  expect(filled.body.items).toMatchObject([{ outcome: 'filled', reservation: { id: first } }])
  expect(filled.body.items[0].reservation.fillOrderedAt).not.toBeNull()
  expect((await post(`/v1/signers/${SIGNER}/nonces/fill`, body)).body.items).toMatchObject([{ outcome: 'left' }])
  expect((await api.server.inject(`/v1/nonces/${second}`)).json()).toMatchObject({ fillOrderedAt: null })
})

test('an unknown id is 404, an invalid one 400', async () => {
  const id = '01890a5d-ac96-774b-bcce-00000000dead'
  expect((await api.server.inject(`/v1/nonces/${id}`)).statusCode).toBe(404)
  expect(await post(`/v1/nonces/${id}/release`, { lockOwner: 'x' })).toMatchObject({ status: 404 })
  expect((await api.server.inject('/v1/nonces/7')).statusCode).toBe(400)
  expect(await post(`/v1/signers/${STRANGER}/nonces`, { ttlMs: 1_000 })).toMatchObject({ status: 404 })
})
