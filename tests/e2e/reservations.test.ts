/**
 * A tenant reserves what it can of a signer and goes away. Another tenant's intents go on: after one call of an operator,
 * after the time of the reservation, or once its key is revoked. Every intent is on the chain once, and no nonce is missing.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKeyAdmin } from '../../packages/server/src/app/keys/open-key-admin.ts'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { startService } from '../setup/service.ts'

const [released, phantom, expiring, revoked, overbid] = [0, 1, 2, 3, 4].map(developmentAccount)
const to = developmentAccount(9).address
const PHANTOM = `0x${'de'.repeat(32)}`

type Headers = { readonly authorization: string }
type Signer = ReturnType<typeof developmentAccount> | undefined

let chain: TestChain
let database: TestDatabase
let drover: DroverProcess
let stop: () => Promise<void>
let ops: Headers
let bank: Headers

beforeAll(async () => {
  const grant = { name: 'ops', scopes: ['read', 'send', 'operate', 'admin'] }
  const started = await startService({
    signers: [released, phantom, expiring, revoked, overbid].flatMap((each) => each ?? []),
    prepare: async ({ url }) => {
      ops = toHeaders(await createFirstKey(url, grant))
    },
    env: {
      DROVER_FINALITY: '1',
      DROVER_STUCK_AFTER: '2s',
      DROVER_RESUBMIT_INTERVAL: '1s',
      DROVER_SIGNER_POLICY: `fast,${phantom?.address}=stable`,
      DROVER_MAX_IN_FLIGHT: '4',
    },
  })
  ;({ chain, database, drover, stop } = started)
  bank = (await makeKey('bank')).headers
  await chain.mine(3)
})

afterAll(() => stop?.())

function toHeaders({ token }: { readonly token: string }): Headers {
  return { authorization: `Bearer ${token}` }
}

async function makeKey(name: string) {
  const made = await drover.post('/v1/api-keys', { name, scopes: ['read', 'send'] }, { ...ops })
  expect(made.status).toBe(201)
  return { id: String(made.body.id), headers: toHeaders(made.body) }
}

const get = async (path: string, headers: Headers) =>
  (await drover.request('GET', path, undefined, { ...headers })).body
const post = (path: string, body: object, headers: Headers) => drover.post(path, body, { ...headers })
const nonces = (signer: Signer) => `/v1/signers/${signer?.address}/nonces`

/** Asks for `count` nonces, and answers the `lent` that the tenant may have, once it has them. */
async function reserve(signer: Signer, headers: Headers, { count, lent, ttlMs = 600_000 }: Wish) {
  const lockOwner = 'a proof that nobody guesses'
  const asked = await post(nonces(signer), { count, ttlMs, lockOwner }, headers)
  const ids: string[] = asked.body.items.map(({ id }: { id: string }) => id)
  const shown = await eventually(
    () => Promise.all(ids.map((id) => get(`/v1/nonces/${id}`, headers))),
    (all) => all.filter(wasLent).length === lent,
  )
  return { lockOwner, lent: shown.filter(wasLent) }
}

/** Also one whose time is over by the time that a busy machine looks at it. */
function wasLent({ nonce, state }: { readonly nonce: number | null; readonly state: string }): boolean {
  return nonce !== null || state === 'EXPIRED'
}

interface Wish {
  readonly count: number
  readonly lent: number
  readonly ttlMs?: number
}

async function send(signer: Signer, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const sent = await post('/v1/transactions', { from: signer?.address, to, value: String(index + 1) }, bank)
    expect(sent.status).toBe(202)
    ids.push(sent.body.id)
  }
  return ids
}

const read = (id: string) => get(`/v1/transactions/${id}`, bank)

async function readAlarms(signer: Signer): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (let after = 0; ; ) {
    const page = await get(`/v1/events?types=reservation.stuck&from=${signer?.address}&limit=200&after=${after}`, ops)
    found.push(...page.items)
    if (page.next === after) return found
    after = page.next
  }
}

async function mineUntilConfirmed(ids: readonly string[]) {
  const look = async () => {
    await chain.mine(1)
    return await Promise.all(ids.map(read))
  }
  return await eventually(look, (all) => all.every(({ state }) => state === 'CONFIRMED'), { everyMs: 150 })
}

test('a tenant reserves all it can and disappears: one operator call frees the signer', async () => {
  const shop = await makeKey('shop')
  const { lent } = await reserve(released, shop.headers, { count: 4, lent: 2 })
  // Half of the window is the most that a tenant gets.
  expect(lent.map(({ nonce }) => nonce)).toEqual([0, 1])
  const ids = await send(released, 4)
  const [first = '', , , last = ''] = ids
  await eventually(
    () => read(first),
    ({ state }) => state === 'TRACKING',
  )
  const explained = await get(`/v1/transactions/${first}/explain`, ops)
  expect(explained).toMatchObject({
    cause: 'blocked_by_reservation',
    blockedBy: {
      type: 'reservation',
      reservationId: lent[0].id,
      nonce: 0,
      holder: `shop (${shop.id})`,
      tenant: 'shop',
    },
    nextActionAt: lent[0].lockedUntil,
    summary: expect.stringContaining(`shop (${shop.id})`),
    nextAction: expect.stringContaining('release-reservations'),
  })
  await eventually(
    () => get(`/v1/transactions/${last}/explain`, ops),
    ({ cause }) => cause === 'blocked_by_reservation',
  )
  const seen = JSON.stringify([
    await get(nonces(released), bank),
    await get(`/v1/transactions/${first}/explain`, bank),
    await get(`/v1/signers/${released?.address}`, bank),
  ])
  for (const secret of [shop.id, 'shop', ...lent.map(({ id }) => id)]) expect(seen).not.toContain(secret)
  expect((await post(`${nonces(released)}/release`, { reason: 'mine' }, bank)).status).toBe(403)
  const taken = await post(`${nonces(released)}/release`, { reason: 'the holder is away' }, ops)
  expect(taken.body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(4).fill('released'))
  await expectExactlyOnce(chain, await mineUntilConfirmed(ids))
  expect((await get(nonces(released), ops)).items).toEqual([])
  const audit = await get('/v1/audit', ops)
  expect(audit.items).toContainEqual(expect.objectContaining({ operation: 'releaseReservations', result: 'done' }))
})

test('a hash that no node knows raises an alarm; one operator call fills the nonce, and the lane continues', async () => {
  const shop = await makeKey('phantom shop')
  const { lent, lockOwner } = await reserve(phantom, shop.headers, { count: 1, lent: 1 })
  const [{ id }] = lent
  expect((await post(`/v1/nonces/${id}/use`, { lockOwner, hash: PHANTOM }, shop.headers)).status).toBe(200)
  const ids = await send(phantom, 2)
  const signer = await eventually(
    async () => {
      await chain.mine(1)
      return await get(`/v1/signers/${phantom?.address}`, ops)
    },
    ({ lanes }) => lanes[0].stuckReserved === 1,
    { everyMs: 150 },
  )
  const named = {
    reservationId: id,
    nonce: 0,
    holder: `phantom shop (${shop.id})`,
    alarm: 'unknown_hash',
    hash: PHANTOM,
  }
  expect(signer.lanes[0].lowestReserved).toMatchObject(named)
  const explained = await get(`/v1/transactions/${ids[0]}/explain`, ops)
  expect(explained).toMatchObject({ cause: 'blocked_by_reservation', blockedBy: named })
  expect(explained.summary).toContain('No RPC node knows that transaction')
  await eventually(
    async () => String(await get('/metrics', ops)),
    (metrics) => metrics.includes('drover_alarms_total{cause="reservation_unknown_hash"} 1'),
  )
  expect(drover.output()).toContain('a reserved nonce blocks a signer')
  expect(await readAlarms(phantom)).toMatchObject([{ cause: 'unknown_hash', detail: { reservationId: id, nonce: 0 } }])
  // Still frozen: nothing but an order frees it.
  expect(await read(ids[0] ?? '')).toMatchObject({ state: 'QUEUED', nonce: null })
  const taken = await post(`${nonces(phantom)}/release`, { reason: 'never sent' }, ops)
  expect(taken.body.items).toMatchObject([{ outcome: 'filled', reservation: { id } }])
  const confirmed = await mineUntilConfirmed(ids)
  expect(confirmed.map(({ nonce }) => nonce)).toEqual([1, 2])
  await expectExactlyOnce(chain, confirmed, { fills: 1 })
  expect(await get(`/v1/nonces/${id}`, shop.headers)).toMatchObject({ state: 'USED', result: 'foreign' })
})

test('without any call, the signer continues when the reservations expire', async () => {
  const shop = await makeKey('short shop')
  const { lent } = await reserve(expiring, shop.headers, { count: 2, lent: 2, ttlMs: 5_000 })
  const ids = await send(expiring, 4)
  await expectExactlyOnce(chain, await mineUntilConfirmed(ids))
  for (const { id } of lent) expect(await get(`/v1/nonces/${id}`, shop.headers)).toMatchObject({ state: 'EXPIRED' })
})

test('reservations of a revoked key are free at once, also if the command line revoked it', async () => {
  const shop = await makeKey('revoked shop')
  const { lent } = await reserve(revoked, shop.headers, { count: 2, lent: 2 })
  const ids = await send(revoked, 4)
  const keys = await openKeyAdmin(database.url)
  await keys.revoke(shop.id)
  await keys.close()
  await expectExactlyOnce(chain, await mineUntilConfirmed(ids))
  expect(await get(`/v1/nonces/${lent[0].id}`, ops)).toMatchObject({ state: 'RELEASED' })
})

test('a ttl above the maximum is refused, with the field name', async () => {
  const refused = await post(nonces(overbid), { ttlMs: 86_400_000 }, bank)
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'ttlMs' } })
  expect(refused.body.detail).toContain('ttlMs must be at most 600000')
})
