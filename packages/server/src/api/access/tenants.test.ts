/** What one tenant does is not seen, and not felt, by another. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { LOCAL_CALLER, type Rate, type Scope } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { Address } from '../../core/hex.ts'
import { moveReservation } from '../../core/lane/reservation.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'
import { CHAIN_ID, createTestApi, LANE, NOW, SIGNER, TARGET, type TestApi } from '../../testing/api/create-test-api.ts'
import { createBodyPool } from '../server/body-pool.ts'
import { listen } from '../server/listen.ts'
import { createApiKeys } from './api-keys.ts'

let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

interface Wanted {
  readonly name?: string
  readonly tenant?: string
  readonly scopes?: readonly Scope[]
  readonly signers?: readonly Address[]
  readonly rate?: Rate
}

async function makeKey(wanted: Wanted = {}) {
  const keys = createApiKeys({
    store: api.keys,
    clock: { now: () => NOW, schedule: () => () => {} },
    withoutKey: true,
    releaseReservations: async () => {},
  })
  const { key, token } = await keys.create(LOCAL_CALLER, {
    name: 'ann',
    scopes: ['read', 'send'] as const,
    signers: null,
    chains: null,
    rate: null,
    expiresAt: null,
    maxTxFeeWei: null,
    ...wanted,
  })
  return { key, headers: { authorization: `Bearer ${token}` } }
}

type Key = Awaited<ReturnType<typeof makeKey>>

async function post(url: string, { headers }: Pick<Key, 'headers'>, payload: object) {
  const reply = await api.server.inject({ method: 'POST', url, headers, payload })
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() }
}

const intent = (more: object = {}) => ({ from: SIGNER, to: TARGET, value: '1', ...more })

describe('a request id', () => {
  test('is recognized under another key of the same tenant, and unknown to other tenants', async () => {
    const [old, next, other] = [
      await makeKey({ name: 'ann 1', tenant: 'ann' }),
      await makeKey({ name: 'ann 2', tenant: 'ann' }),
      await makeKey({ name: 'bob' }),
    ]
    const first = await post('/v1/transactions', old, intent({ requestId: 'order-7' }))
    expect(first.status).toBe(202)
    const again = await post('/v1/transactions', next, intent({ requestId: 'order-7' }))
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
    const theirs = await post('/v1/transactions', other, intent({ requestId: 'order-7', value: '2' }))
    expect(theirs.status).toBe(202)
    expect(JSON.stringify(theirs.body)).not.toContain(first.body.id)
    expect(await post('/v1/transactions', next, intent({ requestId: 'order-7', value: '2' }))).toMatchObject({
      status: 409,
      body: { transactionId: first.body.id },
    })
  })

  test('finds only transactions of its own tenant, for all but operators and administrators [G12]', async () => {
    const [ann, bob, signer] = [
      await makeKey({ name: 'ann' }),
      await makeKey({ name: 'bob' }),
      await makeKey({ name: 'carl', signers: [SIGNER] }),
    ]
    const hers = await post('/v1/transactions', ann, intent({ requestId: 'order-7' }))
    const his = await post('/v1/transactions', bob, intent({ requestId: 'order-7', value: '2' }))
    const find = async ({ headers }: Key, query: string): Promise<readonly string[]> => {
      const reply = await api.server.inject({ url: `/v1/transactions?${query}`, headers })
      return reply.json().items.map(({ id }: { id: string }) => id)
    }
    for (const query of ['requestId=order-7', 'requestIdPrefix=ord', 'requestId=order-7&requestIdPrefix=order']) {
      expect(await find(ann, query)).toEqual([hers.body.id])
      expect(await find(bob, query)).toEqual([his.body.id])
      expect(await find(signer, query)).toEqual([])
      for (const scope of ['operate', 'admin'] as const) {
        const overseer = await makeKey({ name: scope, scopes: ['read', scope] })
        expect(await find(overseer, query)).toEqual([his.body.id, hers.body.id])
      }
    }
    expect(await find(bob, `from=${SIGNER}`)).toEqual([his.body.id, hers.body.id])
  })

  test('from before the first key is still recognized', async () => {
    const first = await post('/v1/transactions', { headers: { authorization: '' } }, intent({ requestId: 'early' }))
    expect(first.status).toBe(401)
    const open = await api.server.inject({
      method: 'POST',
      url: '/v1/transactions',
      payload: intent({ requestId: 'early' }),
    })
    expect(open.statusCode).toBe(202)
    const again = await post('/v1/transactions', await makeKey(), intent({ requestId: 'early' }))
    expect([again.status, again.body.id]).toEqual([200, open.json().id])
  })

  test('of a reservation belongs to the tenant too', async () => {
    const [ann, bob] = [await makeKey(), await makeKey({ name: 'bob' })]
    const wanted = { ttlMs: 60_000, requestId: 'nonce-1' }
    const path = `/v1/signers/${SIGNER}/nonces`
    const mine = await post(path, ann, wanted)
    const theirs = await post(path, bob, { ...wanted, count: 2 })
    expect([mine.status, theirs.status]).toEqual([202, 202])
    expect(theirs.body.items.map(({ id }: { id: string }) => id)).not.toContain(mine.body.items[0].id)
  })
})

describe('a reservation', () => {
  const path = `/v1/signers/${SIGNER}/nonces`
  const get = async (url: string, { headers }: Pick<Key, 'headers'>) => {
    const reply = await api.server.inject({ method: 'GET', url, headers })
    return { status: reply.statusCode, body: reply.json() }
  }

  /** Both have reserved: `ann` nonce 0, `bob` nonce 1, and `bob` waits for another. */
  async function reserveBoth() {
    const [ann, bob] = [await makeKey(), await makeKey({ name: 'bob' })]
    const [mine, theirs] = [
      await post(path, ann, { requestId: 'a' }),
      await post(path, bob, { count: 2, requestId: 'secret order', label: 'secret label' }),
    ]
    const [lease] = await api.store.acquireLeases('node-a', [LANE], 60_000)
    if (lease === undefined) throw new Error('no lease')
    const ids: string[] = [mine.body.items[0].id, theirs.body.items[0].id]
    for (const [nonce, id] of ids.entries()) {
      const [asked] = await api.store.findReservations([id])
      const step = asked && moveReservation(asked, { type: 'reservation.granted', at: NOW, nonce })
      if (!asked || !step) throw new Error('not asked')
      const write = { lease, saves: [], notes: [], reset: null, balance: null, cursor: null }
      const nonces = [{ nonce, status: 'RESERVED', txId: null, reservationId: id }] as const
      await api.store.writeLanes([
        { ...write, nonces, reservations: [{ before: asked, reservation: step.reservation, locks: true }] },
      ])
    }
    const secrets = [bob.key.id, ...theirs.body.items.map(({ id }: { id: string }) => id), 'secret', 'bob']
    return { ann, bob, ids, secrets }
  }

  test('of another tenant shows only its nonce, unless an operator asks', async () => {
    const { ann, ids, secrets } = await reserveBoth()
    const { body } = await get(path, ann)
    expect(body.items).toMatchObject([
      { nonce: 0, reservation: { id: ids[0], tenant: 'ann' } },
      { nonce: 1, reservation: null },
    ])
    const operator = await makeKey({ name: 'ops', scopes: ['read', 'operate'] })
    const all = (await get(path, operator)).body
    expect(all.items).toMatchObject([
      { nonce: 0 },
      { nonce: 1, reservation: { id: ids[1], holder: expect.stringMatching(/^bob /) } },
      { nonce: null, reservation: { tenant: 'bob' } },
    ])
    const shown = [body, (await get(`/v1/nonces/${ids[1]}`, ann)).body, (await get('/v1/signers', ann)).body]
    for (const secret of secrets)
      expect(JSON.stringify(shown).replaceAll(`no reservation ${ids[1]}`, '')).not.toContain(secret)
    expect((await get(`/v1/nonces/${ids[1]}`, ann)).status).toBe(404)
    expect((await get(`/v1/nonces/${ids[1]}`, operator)).status).toBe(200)
  })

  test('of another tenant appears in events without its holder, in pages and streams', async () => {
    const { ann, bob, ids, secrets } = await reserveBoth()
    const [mine, theirs] = ids
    for (const { key } of [ann, bob]) {
      await api.store.orderReservations({
        type: 'release',
        filter: { keyId: key.id },
        cause: 'key_revoked',
        by: { actor: 'root (r-1)', reason: `API key ${key.id} was revoked` },
      })
    }
    const operator = await makeKey({ name: 'ops', scopes: ['read', 'operate'] })
    const url = await listen(api.server, { host: '127.0.0.1', port: 0 })
    async function readBoth({ headers }: Key): Promise<readonly string[]> {
      const page = await (await fetch(`${url}/v1/events?after=0`, { headers })).text()
      const stream = await fetch(`${url}/v1/events/stream?after=0`, { headers })
      const reader = stream.body?.getReader()
      let text = ''
      while (!text.includes('reservation.released')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
      await reader?.cancel()
      return [page, text]
    }
    for (const seen of await readBoth(ann)) {
      expect(seen).toContain(`"reservationId":"${mine}","tenant":"ann"`)
      expect(seen).toContain('"detail":{"nonce":1}')
      for (const secret of secrets) expect(seen).not.toContain(secret)
    }
    for (const key of [bob, operator]) for (const seen of await readBoth(key)) expect(seen).toContain(theirs)
    await api.server.close()
  })

  test('can be taken back only by an operator, and is released when its key is revoked', async () => {
    const { ann, bob, ids } = await reserveBoth()
    for (const action of ['release', 'fill'])
      expect((await post(`${path}/${action}`, bob, { reason: 'mine now' })).status).toBe(403)
    const admin = await makeKey({ name: 'root', scopes: ['admin', 'operate', 'read'] })
    const url = `/v1/api-keys/${bob.key.id}`
    expect((await api.server.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode).toBe(200)
    const states = (await api.store.findReservations(ids)).map((each) => each?.state)
    expect(states).toEqual(['RESERVED', 'RELEASED'])
    const events = await api.store.readEvents(0, 100)
    expect(events.filter(({ type }) => type === 'reservation.released')).toMatchObject(
      [0, 1].map(() => ({ cause: 'key_revoked', detail: { actor: expect.stringMatching(/^root /) } })),
    )
    const taken = await post(`${path}/release`, admin, { reason: 'frozen', tenant: 'ann' })
    expect(taken.body.items).toMatchObject([{ outcome: 'released', reservation: { id: ids[0] } }])
    expect((await get(path, ann)).status).toBe(200)
  })

  test('is refused if the tenant has too many open ones', async () => {
    const ann = await makeKey()
    for (let count = 0; count < 5; count++) expect((await post(path, ann, { count: 100 })).status).toBe(202)
    expect(await post(path, ann, { count: 1 })).toMatchObject({ status: 429, body: { code: 'tenant_limit' } })
    expect((await post(path, await makeKey({ name: 'bob' }), { count: 100 })).status).toBe(202)
  })
})

describe('a key', () => {
  test('is its own tenant unless it names one, and stays in the tenant of a limited creator', async () => {
    const admin = await makeKey({ name: 'root', scopes: ['admin', 'read'] })
    const made = await post('/v1/api-keys', admin, { name: 'x', scopes: ['read'] })
    expect(made.body.tenant).toBe('x')
    const named = await post('/v1/api-keys', admin, { name: 'y', tenant: 'x', scopes: ['read'] })
    expect(named.body.tenant).toBe('x')
    const limited = { name: 'limited', tenant: 'shop', scopes: ['admin', 'read'], chains: [CHAIN_ID] }
    const { token } = (await post('/v1/api-keys', admin, limited)).body
    const maker = { headers: { authorization: `Bearer ${token}` } }
    const inner = { name: 'inner', scopes: ['read'], chains: [CHAIN_ID] }
    expect((await post('/v1/api-keys', maker, inner)).body.tenant).toBe('shop')
    expect(await post('/v1/api-keys', maker, { ...inner, tenant: 'other' })).toMatchObject({
      status: 403,
      body: { field: 'tenant' },
    })
  })

  test('may set a priority only with the scope for it', async () => {
    const [plain, urgent] = [await makeKey(), await makeKey({ name: 'urgent', scopes: ['send', 'priority'] })]
    expect(await post('/v1/transactions', plain, intent({ priority: 1 }))).toMatchObject({
      status: 403,
      body: { code: 'forbidden', scope: 'priority', field: 'priority' },
    })
    for (const priority of [0, -5])
      expect((await post('/v1/transactions', plain, intent({ priority }))).status).toBe(202)
    expect((await post('/v1/transactions', urgent, intent({ priority: 1_000 }))).status).toBe(202)
    const batch = { transactions: [intent(), intent({ priority: 7 })] }
    const { body } = await post('/v1/transactions/batch', plain, batch)
    expect(body.results).toMatchObject([{ status: 202 }, { status: 403, problem: { scope: 'priority' } }])
  })
})

describe('a rate counts items', () => {
  const batchOf = (count: number) => ({ transactions: Array.from({ length: count }, () => intent()) })

  test('a batch costs one per item, and is refused as a whole with the time to wait', async () => {
    const key = await makeKey({ rate: { perSecond: 1, burst: 5 } })
    expect((await post('/v1/transactions/batch', key, batchOf(3))).status).toBe(200)
    const refused = await post('/v1/transactions/batch', key, batchOf(4))
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfterMs: 2_000 } })
    expect(refused.headers['retry-after']).toBe('2')
    const { items } = (await api.server.inject({ url: '/v1/transactions', headers: (await makeKey()).headers })).json()
    expect(items).toHaveLength(3)
    // Refusals take nothing, so it fits at the time given.
    expect((await post('/v1/transactions/batch', key, batchOf(4))).body.retryAfterMs).toBe(2_000)
    api.elapse(2_000)
    expect((await post('/v1/transactions/batch', key, batchOf(4))).status).toBe(200)
  })

  test('a batch that can never fit is refused with that reason', async () => {
    const key = await makeKey({ rate: { perSecond: 1, burst: 1 } })
    expect(await post('/v1/transactions/batch', key, batchOf(1_000))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: expect.stringContaining('1000 items'), limit: 1 },
    })
  })

  test('requested nonces count as items', async () => {
    const key = await makeKey({ rate: { perSecond: 1, burst: 3 } })
    const refused = await post(`/v1/signers/${SIGNER}/nonces`, key, { ttlMs: 60_000, count: 4 })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

test('a batch of bad items lists at most 20 problems in all, and each item says what is wrong', async () => {
  const wrong = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 1]))
  const { body } = await post('/v1/transactions/batch', await makeKey(), { transactions: [wrong, wrong, intent()] })
  const [first, second, third] = body.results
  expect([first.problem.issues.length, second.problem.issues.length, third.status]).toEqual([20, 0, 202])
  expect(second.problem).toMatchObject({
    detail: expect.stringContaining('from is required'),
    more: first.problem.more + 20,
  })
})

test('one tenant gets at most half of the event streams [G12]', async () => {
  const [ann, bob] = [await makeKey(), await makeKey({ name: 'bob' })]
  const url = await listen(api.server, { host: '127.0.0.1', port: 0 })
  const open = ({ headers }: Key) => fetch(`${url}/v1/events/stream`, { headers })
  const streams = [await open(ann)]
  const refused = await open(ann)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ code: 'tenant_limit', bound: 'event streams', limit: 1 })
  streams.push(await open(bob))
  expect(streams.map(({ status }) => status)).toEqual([200, 200])
  await api.server.close()
})

test('request bodies in memory are bounded, one tenant to half, and freed when answered [G12]', async () => {
  const pool = createBodyPool({ maxBytes: 1_000 })
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrive = (): void => {}
  const accept = async () => {
    arrive()
    await released
    throw new AppError('not_found', 'There is none.')
  }
  api = await createTestApi({ services: { bodies: pool, accept } })
  const [ann, bob, eve] = [await makeKey(), await makeKey({ name: 'bob' }), await makeKey({ name: 'eve' })]
  const url = await listen(api.server, { host: '127.0.0.1', port: 0 })
  const send = ({ headers }: Key, length: number) =>
    fetch(`${url}/v1/transactions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(intent()).padEnd(length),
    })
  const hold = async (key: Key, length: number): Promise<() => Promise<Response>> => {
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const answer = send(key, length)
    await arrived
    return () => answer
  }
  const mine = await hold(ann, 400)
  const refused = await send(ann, 200)
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { code: 'tenant_limit', bound: 'bytes in requests at one time', limit: 500 },
  ])
  const theirs = await hold(bob, 500)
  const full = await send(eve, 200)
  expect([full.status, await full.json()]).toMatchObject([503, { code: 'overloaded' }])
  expect(pool.used()).toBe(900)
  release()
  expect([(await mine()).status, (await theirs()).status]).toEqual([404, 404])
  expect((await send(eve, 200)).status).toBe(404)
  await api.server.close()
})

test('a client that disconnects while queued leaves nothing behind, and its request is not carried out', async () => {
  const pool = createBodyPool({ maxBytes: 1_000 })
  let accepted = 0
  let arrive = (): void => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let leave = (): void => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const work: WorkTurns = {
    isCrowded: () => false,
    shareOf: () => 1,
    untilRefusal: async () => true,
    spend: () => undefined,
    spendWhenDue: () => null,
    begin: async (_tenant, { gone }) => {
      arrive()
      await new Promise<void>((resolve) => gone.addEventListener('abort', resolve))
      leave()
      // Its turn came all the same, as it may in the moment in which it went.
      return () => {}
    },
  }
  const accept = async () => {
    accepted++
    throw new AppError('not_found', 'There is none.')
  }
  api = await createTestApi({ services: { bodies: pool, accept, work } })
  const { headers } = await makeKey()
  const url = new URL(await listen(api.server, { host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname)
  const body = JSON.stringify(intent())
  const head = `Host: x\r\nAuthorization: ${headers.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`POST /v1/transactions HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  await arrived
  socket.destroy()
  await once(socket, 'close')
  await left
  // Whatever was still to be done for it is done by then.
  await api.server.close()
  expect([pool.used(), accepted]).toEqual([0, 0])
})

test('slow lists of one tenant leave the database usable for another [G12]', async () => {
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  api = await createTestApi({
    store: {
      listTransactions: async () => {
        running++
        most = Math.max(most, running)
        await new Promise<void>((resolve) => ends.push(resolve))
        running--
        return { items: [], next: null }
      },
    },
  })
  const [ann, bob] = [await makeKey(), await makeKey({ name: 'bob' })]
  const list = ({ headers }: Key) => api.server.inject({ url: '/v1/transactions?state=EXPIRED', headers })
  const floods = Array.from({ length: 40 }, () => list(ann))
  await vi.waitFor(() => expect(running).toBe(3))
  const theirs = list(bob)
  await vi.waitFor(() => expect(running).toBe(4))
  // The last that began is theirs: it ends although all of the flood still waits.
  ends.pop()?.()
  expect((await theirs).statusCode).toBe(200)
  const answered = Promise.all(floods)
  const timer = setInterval(() => ends.shift()?.(), 1)
  expect((await answered).every(({ statusCode }) => statusCode === 200)).toBe(true)
  clearInterval(timer)
  expect(most).toBe(4)
})
