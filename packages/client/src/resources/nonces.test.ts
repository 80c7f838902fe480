import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDrover } from '../create-drover.ts'
import type { Reservation } from '../generated/api-types.ts'
import { ADDRESS, ID, inTurn, json, NETWORK_DOWN, type Script, stubService } from '../testing/stub-service.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function setUp(script: Script) {
  const service = stubService(script)
  return { drover: createDrover({ url: 'http://drover.test', fetch: service.fetch }), requests: service.requests }
}

function reservation(change: Partial<Reservation> = {}): Reservation {
  const at = '2030-01-01T00:00:00.000Z'
  return {
    id: ID,
    chainId: 1,
    address: ADDRESS,
    state: 'RESERVED',
    nonce: 7,
    lockedUntil: at,
    ttlMs: 60_000,
    tenant: '',
    holder: null,
    alarm: null,
    fillOrderedAt: null,
    label: null,
    requestId: 'r',
    hash: null,
    hashes: [],
    inclusion: null,
    result: null,
    createdAt: at,
    reservedAt: at,
    usedAt: null,
    minedAt: null,
    finalAt: null,
    ...change,
  }
}

async function settle<T>(promise: Promise<T>): Promise<T> {
  const [value] = await Promise.all([promise, vi.runAllTimersAsync()])
  return value
}

test('a reservation has its own id and proof, so that a lost answer can be asked for again', async () => {
  const answer = json({ items: [reservation()], lockOwner: null })
  const { drover, requests } = setUp(inTurn(NETWORK_DOWN, answer))
  const { items, lockOwner } = await settle(drover.nonces.reserve(ADDRESS, { ttlMs: 60_000 }))
  expect(items[0]?.nonce).toBe(7)
  expect(requests[0]?.body).toMatchObject({ ttlMs: 60_000, lockOwner, requestId: expect.any(String) })
  expect(requests[1]?.text).toBe(requests[0]?.text)
  expect(lockOwner.length).toBeGreaterThan(60)
})

test('the proof and the id of the caller are kept', async () => {
  const { drover, requests } = setUp(() => json({ items: [], lockOwner: null }))
  const own = { ttlMs: 1_000, count: 2, requestId: 'mine', lockOwner: 'a proof' }
  expect((await drover.nonces.reserve(ADDRESS, own)).lockOwner).toBe('a proof')
  expect(requests[0]?.body).toEqual(own)
})

test('actions of the holder are sent again if the answer was lost', async () => {
  const { drover, requests } = setUp((_, count) => (count % 2 === 1 ? NETWORK_DOWN : json(reservation())))
  const lockOwner = 'a proof'
  await settle(drover.nonces.use(ID, { lockOwner, hash: '0xab' }))
  await settle(drover.nonces.extend(ID, { lockOwner, ttlMs: 1_000 }))
  await settle(drover.nonces.release(ID, { lockOwner }))
  expect(requests.map(({ url, text }) => `${url.pathname} ${text}`).filter((_, index) => index % 2 === 1)).toEqual([
    `/v1/nonces/${ID}/use {"lockOwner":"a proof","hash":"0xab"}`,
    `/v1/nonces/${ID}/extend {"lockOwner":"a proof","ttlMs":1000}`,
    `/v1/nonces/${ID}/release {"lockOwner":"a proof"}`,
  ])
})

test('waiting ends with the nonce, or when the reservation ends', async () => {
  const asked = reservation({ state: 'REQUESTED', nonce: null })
  const { drover } = setUp(inTurn(json(asked), json(asked), json(reservation())))
  expect(await settle(drover.nonces.wait(ID, 'reserved'))).toMatchObject({ nonce: 7 })
  const final = reservation({ state: 'USED', finalAt: '2030-01-01T00:00:00.000Z', result: 'succeeded' })
  const later = setUp(inTurn(json(reservation()), json(final)))
  expect(await settle(later.drover.nonces.wait(ID, 'final'))).toMatchObject({ result: 'succeeded' })
})

test('waiting for a nonce that never came fails', async () => {
  const { drover } = setUp(() => json(reservation({ state: 'EXPIRED', nonce: null })))
  await expect(drover.nonces.wait(ID, 'reserved')).rejects.toMatchObject({ code: 'reservation_expired' })
})

test('waiting is bounded', async () => {
  const { drover } = setUp(() => json(reservation({ state: 'REQUESTED', nonce: null })))
  const refused = expect(drover.nonces.wait(ID, 'reserved', { timeoutMs: 5_000 })).rejects.toMatchObject({
    code: 'wait_timeout',
  })
  await vi.runAllTimersAsync()
  await refused
  expect(vi.getTimerCount()).toBe(0)
})
