import { beforeEach, describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../ports/store.ts'
import {
  allocate,
  blockHash,
  CHAIN_ID,
  createTestApi,
  SIGNER,
  SIGNER_CHECKSUMMED,
  STRANGER,
  TARGET,
  type TestApi,
} from '../testing/api/create-test-api.ts'
import { eventPage, historyPage } from './contract/resources/event-resource.ts'
import { laneList, signerResource } from './contract/resources/signer-resource.ts'
import { chainList, nodeList, readinessResource } from './contract/resources/system-resource.ts'
import { attemptList, transactionPage } from './contract/resources/transaction-resource.ts'

const HASH = `0x${'a1'.repeat(32)}` as const
let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

async function send(value: number, more: object = {}): Promise<string> {
  const payload = { from: SIGNER, to: TARGET, value, simulate: false, ...more }
  const reply = await api.server.inject({ method: 'POST', url: '/v1/transactions', payload })
  expect(reply.statusCode).toBe(202)
  return reply.json().id
}

async function get(url: string) {
  const reply = await api.server.inject(url)
  return { status: reply.statusCode, body: reply.json() }
}

describe('GET /v1/transactions', () => {
  test('pages newest first, and each transaction once', async () => {
    const ids: string[] = []
    for (let value = 1; value <= 5; value++) ids.unshift(await send(value))
    const seen: string[] = []
    let after = ''
    do {
      const { status, body } = await get(`/v1/transactions?limit=2${after}`)
      const page = transactionPage.parse(body)
      expect(status).toBe(200)
      seen.push(...page.items.map((item) => item.id))
      after = page.next === null ? '' : `&after=${page.next}`
    } while (after !== '')
    expect(seen).toEqual(ids)
  })

  test('filters', async () => {
    const [first, second] = [await send(1, { requestId: 'order-1' }), await send(2)]
    await allocate(api.store, second, HASH)
    const find = async (query: string) => {
      const { body } = await get(`/v1/transactions?${query}`)
      return body.items.map((item: { id: string }) => item.id)
    }
    expect(await find(`chainId=${CHAIN_ID}&from=${SIGNER_CHECKSUMMED}`)).toEqual([second, first])
    expect(await find('chainId=5')).toEqual([])
    expect(await find(`from=${STRANGER}`)).toEqual([])
    expect(await find('state=QUEUED')).toEqual([first])
    expect(await find('state=QUEUED,ALLOCATED')).toEqual([second, first])
    expect(await find('requestId=order-1')).toEqual([first])
    expect(await find(`hash=${HASH.toUpperCase().replace('0X', '0x')}`)).toEqual([second])
    expect(await find('nonce=0')).toEqual([second])
    expect(await find('since=2026-01-02T03:04:05Z')).toEqual([second, first])
    expect(await find('since=2026-01-02T03:04:06Z')).toEqual([])
    expect(await find('until=2026-01-02T03:04:06Z')).toEqual([second, first])
    expect(await find('until=2026-01-02T03:04:05Z')).toEqual([])
    expect(await find(`to=${TARGET}&order=asc`)).toEqual([first, second])
    expect(await find(`to=${STRANGER}`)).toEqual([])
    expect(await find('requestIdPrefix=order-')).toEqual([first])
    const marked = await send(3, { metadata: { customer: '7', note: 'a=b' } })
    expect(await find('metadata=customer%3D7')).toEqual([marked])
    expect(await find('metadata=note=a=b')).toEqual([marked])
    expect(await find('metadata=customer=8')).toEqual([])
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=ten', 'limit'],
    ['after=nothing', 'after'],
    ['state=LOST', 'state'],
    ['state=QUEUED&state=STUCK', 'state'],
    ['from=0x12', 'from'],
    ['hash=0x12', 'hash'],
    ['nonce=-1', 'nonce'],
    ['since=yesterday', 'since'],
    ['until=tomorrow', 'until'],
    ['order=newest', 'order'],
    ['metadata=customer', 'metadata'],
    ['to=me', 'to'],
    ['status=QUEUED', 'status'],
  ])('%s is refused by name', async (query, field) => {
    expect(await get(`/v1/transactions?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field },
    })
  })
})

describe('one transaction', () => {
  test('by id in any case, and by the hash of an attempt', async () => {
    const id = await send(1)
    await allocate(api.store, id, HASH)
    const byId = await get(`/v1/transactions/${id.toUpperCase()}`)
    expect(byId).toMatchObject({ status: 200, body: { id, state: 'ALLOCATED', nonce: 0, hash: HASH, node: 'node-a' } })
    expect(await get(`/v1/transactions/${HASH}`)).toEqual(byId)
  })

  test('its attempts, with the signed bytes', async () => {
    const id = await send(1)
    expect((await get(`/v1/transactions/${id}/attempts`)).body).toEqual({ items: [] })
    await allocate(api.store, id, HASH)
    const { body } = await get(`/v1/transactions/${HASH}/attempts`)
    expect(attemptList.parse(body).items).toEqual([
      {
        hash: HASH,
        kind: 'original',
        nonce: 0,
        gasLimit: '21000',
        raw: '0x02ab',
        fees: { maxFeePerGas: '2', maxPriorityFeePerGas: '1' },
        createdAt: '2026-01-02T03:04:05.000Z',
      },
    ])
  })

  test('its history, amounts as text', async () => {
    const id = await send(1)
    await allocate(api.store, id, HASH)
    const { body } = await get(`/v1/transactions/${id}/history`)
    const entries = historyPage.parse(body).items
    expect(entries).toMatchObject([
      { type: 'accepted', transactionId: id, toState: 'QUEUED', from: SIGNER_CHECKSUMMED },
      { type: 'nonce.allocated', fromState: 'QUEUED', toState: 'ALLOCATED', node: 'node-a', detail: { feeWei: '5' } },
    ])
  })

  test('its history page by page, from either end', async () => {
    const id = await send(1)
    await allocate(api.store, id, HASH)
    const read = async (query: string) => {
      const { items, next } = historyPage.parse((await get(`/v1/transactions/${id}/history?${query}`)).body)
      return { types: items.map(({ type }) => type), next }
    }
    const first = await read('limit=1')
    expect(first.types).toEqual(['accepted'])
    expect(await read(`limit=1&after=${first.next}`)).toEqual({ types: ['nonce.allocated'], next: null })
    const last = await read('limit=1&order=desc')
    expect(last.types).toEqual(['nonce.allocated'])
    expect(await read(`limit=1&order=desc&after=${last.next}`)).toEqual({ types: ['accepted'], next: null })
  })

  test('no receipt while it is in no block', async () => {
    const id = await send(1)
    expect(await get(`/v1/transactions/${id}/receipt?include=logs`)).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('is not mined') },
    })
  })

  test.each([[''], ['/history'], ['/attempts'], ['/confirmations'], ['/receipt'], ['/explain']])(
    'nothing under an id or hash that is not there%s',
    async (suffix) => {
      const unknown = '01890a5d-ac96-774b-bcce-b302099a8057'
      for (const key of [unknown, HASH]) {
        const { status, body } = await get(`/v1/transactions/${key}${suffix}`)
        expect([status, body.code]).toEqual([404, 'not_found'])
        expect(body.detail).toContain(key)
      }
      expect(await get(`/v1/transactions/17${suffix}`)).toMatchObject({ status: 400, body: { field: 'id' } })
    },
  )
})

describe('signers', () => {
  test('lanes with cursor, load and owner', async () => {
    const [first] = [await send(1), await send(2)]
    await allocate(api.store, first, HASH)
    const { status, body } = await get('/v1/signers')
    expect(status).toBe(200)
    expect(laneList.parse(body).items).toMatchObject([
      {
        chainId: CHAIN_ID,
        address: SIGNER_CHECKSUMMED,
        label: 'treasury',
        paused: false,
        nextNonce: 1,
        queued: 1,
        inFlight: 1,
        stuck: 0,
        lease: { node: 'node-a', fence: 1, live: true },
        policy: { preset: 'fast', maxInFlight: 'auto', slotHeldUntil: 'mined', maxFeePerGas: null, finality: null },
      },
    ])
    const one = await get(`/v1/signers/${SIGNER}`)
    expect(signerResource.parse(one.body)).toEqual({ address: SIGNER_CHECKSUMMED, resets: [], lanes: body.items })
  })

  test('an address that is not a signer, and an invalid address', async () => {
    expect(await get(`/v1/signers/${STRANGER}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await get('/v1/signers/me')).toMatchObject({ status: 400, body: { field: 'address' } })
  })
})

describe('events', () => {
  test('a reader that continues from its cursor gets each event once, in order', async () => {
    for (let value = 1; value <= 3; value++) await send(value)
    const first = eventPage.parse((await get('/v1/events?limit=2')).body)
    const second = eventPage.parse((await get(`/v1/events?after=${first.next}&limit=2`)).body)
    const third = eventPage.parse((await get(`/v1/events?after=${second.next}`)).body)
    expect([...first.items, ...second.items].map((event) => event.eventId)).toEqual([1, 2, 3])
    expect(third).toEqual({ items: [], next: second.next })
    await send(4)
    expect((await get(`/v1/events?after=${third.next}`)).body.items).toHaveLength(1)
  })

  test('a filter leaves out the rest, and the cursor passes over it', async () => {
    for (let value = 1; value <= 3; value++) await send(value)
    const read = async (query: string) => eventPage.parse((await get(`/v1/events?${query}`)).body)
    expect(await read('types=inclusion.seen')).toEqual({ items: [], next: 3 })
    const own = `types=inclusion.seen,accepted&chainId=${CHAIN_ID}&from=${SIGNER.toLowerCase()}`
    const [first, rest] = [await read(`${own}&limit=2`), await read(`${own}&after=2&limit=2`)]
    expect([first, rest].map(({ items, next }) => [items.map(({ eventId }) => eventId), next])).toEqual([
      [[1, 2], 2],
      [[3], 3],
    ])
    expect(await read(`chainId=${CHAIN_ID + 1}`)).toEqual({ items: [], next: 3 })
    expect(await get('/v1/events?types=')).toMatchObject({ status: 400, body: { field: 'types' } })
  })

  test('the newest ones, counted from the end, and a cursor to go on from', async () => {
    for (let value = 1; value <= 3; value++) await send(value)
    const read = async (query: string) => eventPage.parse((await get(`/v1/events?${query}`)).body)
    expect((await read('tail=2')).items.map(({ eventId }) => eventId)).toEqual([2, 3])
    expect((await read('tail=100')).items).toHaveLength(3)
    expect(await read('tail=0')).toEqual({ items: [], next: 3 })
    expect(await get('/v1/events?tail=2&after=1')).toMatchObject({ status: 400, body: { field: 'tail' } })
  })

  test('an invalid cursor', async () => {
    expect(await get('/v1/events?after=-1')).toMatchObject({ status: 400, body: { field: 'after' } })
  })
})

describe('the service itself', () => {
  test('chains', async () => {
    expect(chainList.parse((await get('/v1/chains')).body).items).toEqual([
      {
        chainId: CHAIN_ID,
        safe: 100,
        finalized: 90,
        finality: 'safe',
        following: true,
        lastError: null,
        head: { number: 110, hash: blockHash(110), timestamp: '2026-01-02T03:04:05.000Z' },
        endpoints: [],
        health: { state: 'ok', since: null, message: null },
      },
    ])
  })

  test('RPC endpoints of a chain, with times that people can read', async () => {
    const figures = { name: 'a.example#2', state: 'lagging', inUse: false, lagBlocks: 7, errorRate: 0.5 } as const
    const rest = { ...figures, roles: ['read' as const, 'send' as const], latencyMs: 12, callsPerSecond: 20 }
    const at = Date.UTC(2026, 0, 2, 3, 4, 5)
    const report = {
      ...rest,
      since: at,
      retryAt: at,
      head: { number: 103, seenAt: at },
      lastError: { message: 'HTTP 429', at },
    }
    api = await createTestApi({ chainStatus: { endpoints: [report] } })
    const told = '2026-01-02T03:04:05.000Z'
    expect(chainList.parse((await get('/v1/chains')).body).items[0]?.endpoints).toEqual([
      {
        ...rest,
        since: told,
        retryAt: told,
        head: { number: 103, seenAt: told },
        lastError: { message: 'HTTP 429', at: told },
      },
    ])
  })

  test('nodes, with what they hold', async () => {
    await api.store.heartbeat({ nodeId: 'node-a', address: 'http://10.0.0.1:4747', ttlMs: 15_000, chains: [CHAIN_ID] })
    await api.store.heartbeat({ nodeId: 'node-b', address: null, ttlMs: 15_000, chains: null })
    await api.store.acquireLeases('node-b', [{ chainId: CHAIN_ID, signer: SIGNER }], 15_000)
    expect(nodeList.parse((await get('/v1/nodes')).body).items).toMatchObject([
      { id: 'node-a', address: 'http://10.0.0.1:4747', lanes: 0, self: true, chains: [CHAIN_ID] },
      { id: 'node-b', address: null, lanes: 1, self: false, chains: null },
    ])
  })

  test('ready', async () => {
    expect(await get('/readyz')).toEqual({ status: 200, body: { ready: true, status: 'ready', problems: [] } })
  })

  test('alive even when nothing else is', async () => {
    const ping = async () => {
      throw new StoreUnavailable('connect ECONNREFUSED postgres://user:secret@db')
    }
    api = await createTestApi({
      store: { ping },
      chainStatus: { health: { state: 'unreachable', since: 0, message: 'no answer' } },
    })
    expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'alive' } })
    const { status, body } = await get('/readyz')
    expect(status).toBe(503)
    expect(readinessResource.parse(body)).toEqual({
      ready: false,
      status: 'unavailable',
      problems: [
        {
          part: 'database',
          message: 'does not respond',
          action: expect.stringContaining('PostgreSQL'),
          runbook: 'docs/runbook.md#database-down',
        },
        {
          part: `chain ${CHAIN_ID}`,
          message: 'no answer',
          action: expect.stringContaining('RPC node'),
          runbook: 'docs/runbook.md#chain-unreachable',
        },
      ],
    })
  })

  test.each([
    ['standing', 'chain-stalled'],
    ['rewound', 'chain-rewound'],
  ] as const)('a %s chain degrades the node and takes it out of no balancer', async (state, entry) => {
    api = await createTestApi({ chainStatus: { health: { state, since: 0, message: 'no block for 2 min' } } })
    expect(await get('/readyz')).toEqual({
      status: 200,
      body: {
        ready: true,
        status: 'degraded',
        problems: [
          {
            part: `chain ${CHAIN_ID}`,
            message: 'no block for 2 min',
            action: expect.any(String),
            runbook: `docs/runbook.md#${entry}`,
          },
        ],
      },
    })
    const [chain] = chainList.parse((await get('/v1/chains')).body).items
    expect(chain?.health).toEqual({ state, since: '1970-01-01T00:00:00.000Z', message: 'no block for 2 min' })
  })

  test('metrics, as the telemetry renders them', async () => {
    const reply = await api.server.inject('/metrics')
    expect([reply.statusCode, reply.headers['content-type'], reply.body]).toEqual([
      ...[200, 'text/plain; version=0.0.4; charset=utf-8', 'drover_up 1\n'],
    ])
  })

  test('not ready with another schema', async () => {
    api = await createTestApi({ schemaVersion: 999 })
    const { status, body } = await get('/readyz')
    expect([status, body.problems[0].part]).toEqual([503, 'schema'])
    expect(body.problems[0].action).toContain('drover migrate')
  })

  test('openapi.json describes what the server has', async () => {
    const { body } = await get('/openapi.json')
    for (const [path, methods] of Object.entries<object>(body.paths)) {
      for (const method of Object.keys(methods)) {
        const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
        expect(api.server.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${url}`).toBe(true)
      }
    }
  })
})

test.each([
  ['/v1/signers'],
  ['/v1/chains'],
  ['/metrics'],
  [`/v1/chains/${CHAIN_ID}/blocks`],
  ['/v1/nodes'],
  ['/healthz'],
  ['/readyz'],
  ['/openapi.json'],
])('%s refuses query parameters that it does not know', async (url) => {
  expect(await get(`${url}?verbose=1`)).toMatchObject({ status: 400, body: { field: 'verbose' } })
})

test('a route without a body takes {} as none, and refuses anything in it', async () => {
  const { server } = await createTestApi()
  const url = '/v1/timers/01890a5d-ac96-774b-bcce-00000000dead/pause'
  const pause = async (payload: object) => (await server.inject({ method: 'POST', url, payload })).statusCode
  expect([await pause({}), await pause({ a: 1 })]).toEqual([404, 400])
})
