import { describe, expect, test } from 'vitest'
import { createDrover } from '../create-drover.ts'
import { ADDRESS, ID, inTurn, json, problem, type Script, stubService, transaction } from '../testing/stub-service.ts'

function setUp(script: Script) {
  const service = stubService(script)
  return { drover: createDrover({ url: 'http://drover.test', fetch: service.fetch }), requests: service.requests }
}

const page = (ids: readonly string[], next: string | null) =>
  json({ items: ids.map((id) => transaction({ id })), next })

describe('a list', () => {
  test('is read page by page, each only when needed', async () => {
    const { drover, requests } = setUp(inTurn(page(['a', 'b'], 'b'), page([], 'c'), page(['d'], null)))
    const seen: [string, number][] = []
    for await (const tx of drover.transactions.list()) seen.push([tx.id, requests.length])
    expect(seen).toEqual([
      ['a', 1],
      ['b', 1],
      ['d', 3],
    ])
    expect(requests.map(({ url }) => url.searchParams.get('after'))).toEqual([null, 'b', 'c'])
  })

  test('that is left early reads no more pages', async () => {
    const { drover, requests } = setUp(inTurn(page(['a', 'b'], 'b')))
    for await (const tx of drover.transactions.list()) {
      expect(tx.id).toBe('a')
      break
    }
    expect(requests).toHaveLength(1)
  })

  test('is filtered on every page', async () => {
    const { drover, requests } = setUp(inTurn(page(['a'], 'a'), page([], null)))
    const filter = {
      chainId: 1,
      from: ADDRESS,
      state: ['STUCK', 'TRACKING'] as const,
      requestId: 'order & 17',
      nonce: 0,
      since: new Date(0),
      until: new Date(1),
      to: ADDRESS,
      requestIdPrefix: 'order',
      metadata: { key: 'a', value: 'b=c' },
    }
    for await (const _ of drover.transactions.list(filter, { pageSize: 10, order: 'asc' }));
    const asked = requests.map(({ url }) => Object.fromEntries(url.searchParams))
    expect(asked[0]).toEqual({
      chainId: '1',
      from: ADDRESS,
      state: 'STUCK,TRACKING',
      requestId: 'order & 17',
      nonce: '0',
      since: '1970-01-01T00:00:00.000Z',
      until: '1970-01-01T00:00:00.001Z',
      to: ADDRESS,
      limit: '10',
      requestIdPrefix: 'order',
      metadata: 'a=b=c',
      order: 'asc',
    })
    expect(asked[1]).toEqual({ ...asked[0], after: 'a' })
  })

  test('ends with the reason of the signal', async () => {
    const { drover } = setUp(inTurn(page(['a'], 'a')))
    const controller = new AbortController()
    const list = drover.transactions.list({}, { signal: controller.signal })
    expect(await list.next()).toMatchObject({ value: { id: 'a' } })
    controller.abort('enough')
    await expect(list.next()).rejects.toBe('enough')
  })
})

describe('one', () => {
  test('that does not exist: find returns null, get throws', async () => {
    const { drover } = setUp(() => problem(404, 'not_found'))
    expect(await drover.transactions.find(ID)).toBeNull()
    await expect(drover.transactions.get(ID)).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })

  test('is not reported as missing because of another error', async () => {
    const { drover } = setUp(() => problem(400, 'invalid_request'))
    await expect(drover.transactions.find(ID)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

test('signers, chains and nodes use their routes', async () => {
  const { drover, requests } = setUp(() => json({ items: [] }))
  expect(await drover.signers.list()).toEqual([])
  expect(await drover.chains.list()).toEqual([])
  expect(await drover.nodes()).toEqual([])
  await drover.signers.get(ADDRESS)
  await drover.signers.update(ADDRESS, { policy: { maxFeePerGas: 10n ** 30n } })
  await drover.signers.pause(ADDRESS, { reason: 'audit' })
  await drover.signers.resume(ADDRESS, { reason: 'done', chainId: 1 })
  await drover.signers.resetNonce(ADDRESS, { reason: 'drift' })
  await drover.signers.fillGap(ADDRESS, { reason: 'gap' })
  await drover.signers.register({ chainId: 1, address: ADDRESS })
  await drover.chains.blocks(1, { after: 7 })
  await drover.chains.fees(1)
  await drover.apiKeys.list()
  await drover.apiKeys.create({ name: 'reader', scopes: ['read'], expiresAt: new Date(0) })
  await drover.apiKeys.revoke('k1')
  expect(
    requests.map(({ method, url, text }) => `${method} ${url.pathname}${url.search} ${text ?? ''}`.trim()),
  ).toEqual([
    'GET /v1/signers',
    'GET /v1/chains',
    'GET /v1/nodes',
    `GET /v1/signers/${ADDRESS}`,
    `PATCH /v1/signers/${ADDRESS} {"policy":{"maxFeePerGas":"1000000000000000000000000000000"}}`,
    `POST /v1/signers/${ADDRESS}/pause {"reason":"audit"}`,
    `POST /v1/signers/${ADDRESS}/resume {"reason":"done","chainId":1}`,
    `POST /v1/signers/${ADDRESS}/reset-nonce {"reason":"drift"}`,
    `POST /v1/signers/${ADDRESS}/fill-gap {"reason":"gap"}`,
    `POST /v1/signers {"chainId":1,"address":"${ADDRESS}"}`,
    'GET /v1/chains/1/blocks?after=7',
    'GET /v1/chains/1/fees',
    'GET /v1/api-keys',
    'POST /v1/api-keys {"name":"reader","scopes":["read"],"expiresAt":"1970-01-01T00:00:00.000Z"}',
    'DELETE /v1/api-keys/k1',
  ])
})

test('the audit log is read page by page', async () => {
  const { drover, requests } = setUp(
    inTurn(json({ items: [{ id: 3 }, { id: 2 }], next: 2 }), json({ items: [], next: null })),
  )
  const seen: number[] = []
  for await (const { id } of drover.audit()) seen.push(id)
  expect(seen).toEqual([3, 2])
  expect(requests.map(({ url }) => url.search)).toEqual(['?limit=100', '?limit=100&before=2'])
})

test('the audit log is verified to its end, or to the first break', async () => {
  const found = (id: number, brokenAt: number | null = null) => json({ brokenAt, last: { id, hash: 'ab' } })
  const whole = setUp(inTurn(found(20_000), found(25_000), found(25_000)))
  expect(await whole.drover.checkAudit()).toEqual({ brokenAt: null, last: { id: 25_000, hash: 'ab' } })
  expect(whole.requests.map(({ url }) => url.search)).toEqual(['?after=0', '?after=20000', '?after=25000'])
  const broken = setUp(inTurn(found(20_000), found(25_000, 20_007)))
  expect(await broken.drover.checkAudit({ after: 3 })).toMatchObject({ brokenAt: 20_007 })
  expect(broken.requests).toHaveLength(2)
})
