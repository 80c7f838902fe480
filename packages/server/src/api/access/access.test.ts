/** Who gets in, with what, and what they see: over all routes, so that a new one cannot be forgotten. */
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import type { KeyGrant } from '../../core/access/api-key.ts'
import { LOCAL_CALLER, SCOPES, type Scope } from '../../core/access/caller.ts'
import type { Address } from '../../core/hex.ts'
import { FAST } from '../../core/lane/policy.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import {
  allocate,
  CHAIN_ID,
  createTestApi,
  NO_TURNS,
  NOW,
  SIGNER,
  SIGNER_CHECKSUMMED,
  STRANGER,
  TARGET,
  type TestApi,
} from '../../testing/api/create-test-api.ts'
import { anySpec, startTimer } from '../../testing/store/sample-timers.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes.ts'
import { createAccess } from './access.ts'
import { createApiKeys } from './api-keys.ts'
import { createKeyToken } from './key-token.ts'

const OTHER = '0x2222222222222222222222222222222222222222'
const ELSEWHERE = { host: 'drover.example' }
const COMMAND_LINE = { ...LOCAL_CALLER, name: 'command line' }
let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

async function makeKey(change: Partial<KeyGrant> = {}) {
  const keys = createApiKeys({
    store: api.keys,
    clock: { now: () => NOW, schedule: () => () => {} },
    withoutKey: true,
    releaseReservations: async () => {},
  })
  const grant = {
    name: 'test',
    scopes: SCOPES,
    signers: null,
    chains: null,
    rate: null,
    maxTxFeeWei: null,
    expiresAt: null,
    ...change,
  }
  const { key, token } = await keys.create(COMMAND_LINE, grant)
  return { id: key.id, token, headers: { authorization: `Bearer ${token}` } }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Headers = Record<string, string>

async function call(method: Method, url: string, headers: Headers = {}, payload?: object) {
  const reply = await api.server.inject({ method, url, headers, ...(payload && { payload }) })
  const isJson = String(reply.headers['content-type']).includes('json')
  return { status: reply.statusCode, headers: reply.headers, body: isJson ? reply.json() : reply.body }
}

/** Any path of a route: right in shape, about nothing that exists. */
function pathOf(route: Route): string {
  return route.path
    .replace('/signers/{address}', `/signers/${STRANGER}`)
    .replace('{chainId}', '1')
    .replace('/api-keys/{id}', `/api-keys/${'0'.repeat(16)}`)
    .replace('{id}', '01890a5d-ac96-774b-bcce-000000000999')
    .replaceAll(/\{\w+\}/g, '1')
}

const named = (routes: readonly Route[]) => routes.map((route) => [`${route.method} ${route.path}`, route] as const)
const GUARDED = ROUTES.filter(({ scope }) => scope !== null)

describe('without keys', () => {
  test('every local caller may do everything, others nothing', async () => {
    expect((await call('GET', '/v1/signers')).status).toBe(200)
    expect(await call('GET', '/v1/signers', ELSEWHERE)).toMatchObject({ status: 421 })
  })

  test('the caller learns that it may do everything', async () => {
    expect((await call('GET', '/v1/caller')).body).toMatchObject({ keyId: null, name: 'local', scopes: SCOPES })
  })

  test('an unknown key is still refused', async () => {
    const headers = { authorization: `Bearer ${createKeyToken().token}` }
    expect(await call('GET', '/v1/signers', headers)).toMatchObject({ status: 401 })
  })

  test('no caller can create the first key: it comes from the command line', async () => {
    for (const scopes of [['read'], ['admin']]) {
      const refused = await call('POST', '/v1/api-keys', {}, { name: 'first', scopes })
      expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('drover key create') } })
    }
    expect((await call('GET', '/v1/api-keys')).body.items).toEqual([])
    const { headers } = await makeKey({ name: 'first' })
    expect((await call('GET', '/v1/api-keys', headers)).body.items).toHaveLength(1)
    expect(await call('GET', '/v1/api-keys')).toMatchObject({ status: 401 })
  })

  test.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'cf-connecting-ip'])(
    'proxied requests are refused: %s',
    async (name) => {
      for (const [method, path] of [
        ['GET', '/v1/signers'],
        ['POST', '/v1/transactions'],
        ['GET', '/healthz'],
      ] as const) {
        const refused = await call(method, path, { [name]: '203.0.113.9' })
        expect([path, refused.status, refused.body.code]).toEqual([path, 421, 'misdirected_request'])
      }
      const { headers } = await makeKey()
      expect((await call('GET', '/v1/signers', { ...headers, [name]: '203.0.113.9' })).status).toBe(200)
    },
  )
})

describe('with keys', () => {
  test.each(named(GUARDED))('%s needs a key, and one with its scope', async (_, route) => {
    const all = await makeKey()
    for (const headers of [{}, ELSEWHERE]) {
      const without = await call(route.method, pathOf(route), headers)
      expect(without).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
      expect(without.headers['www-authenticate']).toBe('Bearer realm="drover"')
    }
    const scopes = SCOPES.filter((scope) => scope !== route.scope)
    const lesser = await makeKey({ scopes })
    expect(await call(route.method, pathOf(route), lesser.headers)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', scope: route.scope, detail: expect.stringContaining(String(route.scope)) },
    })
    if (route.operationId === 'streamEvents' || route.operationId === 'streamBlocks') return
    const enough = await call(route.method, pathOf(route), { ...ELSEWHERE, ...all.headers })
    expect([401, 403, 421]).not.toContain(enough.status)
  })

  test.each(named(ROUTES.filter(({ scope }) => scope === null)))('%s is open', async (_, route) => {
    await makeKey()
    await call('GET', '/v1/signers')
    expect((await call(route.method, pathOf(route))).status).toBe(200)
    expect((await call(route.method, pathOf(route), ELSEWHERE)).status).toBe(200)
  })

  test('HEAD needs the same key', async () => {
    const { headers } = await makeKey({ scopes: ['read'] })
    for (const [given, status] of [
      [{}, 401],
      [headers, 200],
    ] as const)
      expect((await api.server.inject({ method: 'HEAD', url: '/v1/signers', headers: given })).statusCode).toBe(status)
  })

  test('the page is open, and an unknown path is 404', async () => {
    await makeKey()
    await call('GET', '/v1/signers')
    expect((await call('GET', '/')).status).toBe(200)
    expect((await call('GET', '/v1/nothing')).status).toBe(404)
  })

  test.each([
    ['nothing behind it', 'Bearer', 'must be'],
    ['another scheme', 'Basic YTpi', 'must be'],
    ['another shape', 'Bearer 123', 'must be'],
    ['one character less', `Bearer ${createKeyToken().token.slice(0, -1)}`, 'must be'],
    ['two of them', `Bearer ${createKeyToken().token} ${createKeyToken().token}`, 'must be'],
    ['an id that there is not', `Bearer ${createKeyToken().token}`, 'is unknown'],
  ])('a header with %s is refused', async (_, authorization, words) => {
    await makeKey()
    const { status, body } = await call('GET', '/v1/signers', { authorization })
    expect([status, body.code]).toEqual([401, 'unauthorized'])
    expect(body.detail).toContain(words)
    if (authorization.length > 40) expect(JSON.stringify(body)).not.toContain(authorization.slice(-20))
  })

  test('a caller learns what its key may do', async () => {
    const { id, headers } = await makeKey({ name: 'viewer', scopes: ['read'], signers: [SIGNER], chains: [CHAIN_ID] })
    expect((await call('GET', '/v1/caller', headers)).body).toEqual({
      keyId: id,
      name: 'viewer',
      tenant: 'viewer',
      scopes: ['read'],
      signers: [SIGNER_CHECKSUMMED],
      chains: [CHAIN_ID],
    })
  })

  test('the scheme may be in any case', async () => {
    const { token } = await makeKey()
    expect((await call('GET', '/v1/signers', { authorization: `bearer ${token}` })).status).toBe(200)
  })

  test('a wrong secret and an unknown id get the same answer', async () => {
    const { id } = await makeKey()
    const wrong = createKeyToken().token.replace(/^drv_[0-9a-f]{16}/, `drv_${id}`)
    const unknown = await call('GET', '/v1/signers', { authorization: `Bearer ${createKeyToken().token}` })
    expect((await call('GET', '/v1/signers', { authorization: `Bearer ${wrong}` })).body).toEqual(unknown.body)
  })

  test('an expired key is refused, by the clock of the database', async () => {
    const { id, token, secretDigest } = createKeyToken()
    const own = { tenant: 'old', maxTxFeeWei: null, createdBy: 'x' }
    const rest = { name: 'old', scopes: SCOPES, signers: null, chains: null, rate: null, ...own }
    await api.keys.insertKey({ ...rest, id, secretDigest, expiresAt: NOW })
    expect(await call('GET', '/v1/signers', { authorization: `Bearer ${token}` })).toMatchObject({
      status: 401,
      body: { detail: `API key ${id} has expired.` },
    })
  })

  test('a revoked key is refused from the moment of the answer', async () => {
    const [admin, victim] = [await makeKey({ scopes: ['admin'] }), await makeKey({ scopes: ['read'] })]
    expect((await call('GET', '/v1/signers', victim.headers)).status).toBe(200)
    const revoked = await call('DELETE', `/v1/api-keys/${victim.id}`, admin.headers)
    expect(revoked).toMatchObject({ status: 200, body: { id: victim.id, revokedBy: `test (${admin.id})` } })
    expect(await call('GET', '/v1/signers', victim.headers)).toMatchObject({
      status: 401,
      body: { detail: `API key ${victim.id} was revoked.` },
    })
    expect(await call('DELETE', `/v1/api-keys/${victim.id}`, admin.headers)).toMatchObject({ body: revoked.body })
  })

  test('the last admin key cannot be revoked over the API, and revoking all others opens nothing', async () => {
    const admin = await makeKey({ scopes: ['admin'] })
    expect(await call('DELETE', `/v1/api-keys/${admin.id}`, admin.headers)).toMatchObject({
      status: 409,
      body: { code: 'action_forbidden', detail: expect.stringContaining('drover key revoke') },
    })
    expect((await call('GET', '/v1/api-keys', admin.headers)).status).toBe(200)
    await api.keys.revokeKey(admin.id, { actor: 'x', reach: { signers: null, chains: null }, evenLast: true })
    expect((await call('GET', '/v1/signers')).status).toBe(401)
  })

  test('requests above the rate are refused with Retry-After, and other keys are not affected', async () => {
    const slow = await makeKey({ rate: { perSecond: 2, burst: 3 } })
    const other = await makeKey()
    for (let count = 0; count < 3; count++) expect((await call('GET', '/v1/signers', slow.headers)).status).toBe(200)
    const refused = await call('GET', '/v1/signers', slow.headers)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfterMs: 500 } })
    expect(refused.headers['retry-after']).toBe('1')
    expect((await call('GET', '/v1/signers', other.headers)).status).toBe(200)
  })
})

describe('what a key may grant', () => {
  test.each<[string, Partial<KeyGrant>, object, string]>([
    ['a scope', { scopes: ['admin', 'read'] }, { scopes: ['send'] }, 'scopes'],
    ['all signers', { signers: [SIGNER] }, { scopes: ['read'] }, 'signers'],
    ['another signer', { signers: [SIGNER] }, { scopes: ['read'], signers: [SIGNER, OTHER] }, 'signers'],
    ['all chains', { chains: [1, 2] }, { scopes: ['read'] }, 'chains'],
    ['another chain', { chains: [1, 2] }, { scopes: ['read'], chains: [3] }, 'chains'],
    ['no end', { expiresAt: NOW + 1_000 }, { scopes: ['read'] }, 'expiresAt'],
    ['a later end', { expiresAt: NOW + 1_000 }, { scopes: ['read'], expiresAt: '2030-01-01T00:00:00Z' }, 'expiresAt'],
    ['no rate', { rate: { perSecond: 5, burst: 5 } }, { scopes: ['read'] }, 'rate'],
    ['no limit on fees', { maxTxFeeWei: 5n }, { scopes: ['read'] }, 'maxTxFee'],
    ['a higher limit on fees', { maxTxFeeWei: 5n }, { scopes: ['read'], maxTxFee: '6' }, 'maxTxFee'],
    ['a higher rate', { rate: { perSecond: 5, burst: 5 } }, { scopes: ['read'], rate: { perSecond: 6 } }, 'rate'],
  ])('not %s that it does not have', async (_, own, wanted, field) => {
    const maker = await makeKey({ scopes: ['read', 'admin'], ...own })
    const before = await api.keys.listKeys({ signers: null, chains: null })
    const refused = await call('POST', '/v1/api-keys', maker.headers, { name: 'more', ...wanted })
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', field } })
    expect(await api.keys.listKeys({ signers: null, chains: null })).toEqual(before)
  })

  test('anything up to its own rights', async () => {
    const own = { signers: [SIGNER, OTHER], chains: [1, 2], rate: { perSecond: 5, burst: 9 }, expiresAt: NOW + 60_000 }
    const maker = await makeKey({ scopes: ['read', 'admin'], ...own } as Partial<KeyGrant>)
    const same = { ...own, expiresAt: new Date(own.expiresAt).toISOString(), scopes: ['admin', 'read', 'read'] }
    const made = await call('POST', '/v1/api-keys', maker.headers, { name: 'same', ...same })
    expect(made).toMatchObject({ status: 201, body: { scopes: ['admin', 'read'], createdBy: `test (${maker.id})` } })
    const less = { scopes: ['read'], signers: [OTHER], chains: [2], rate: { perSecond: 1 } }
    const headers = { authorization: `Bearer ${made.body.token}` }
    const lesser = await call('POST', '/v1/api-keys', headers, { name: 'less', ...less, expiresAt: same.expiresAt })
    expect(lesser).toMatchObject({ status: 201, body: { chains: [2], rate: { perSecond: 1, burst: 1 } } })
  })

  test.each<[object, string]>([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['write'] }, 'scopes[0]'],
    [{ scopes: 'read' }, 'scopes'],
    [{ name: ' ' }, 'name'],
    [{ name: undefined }, 'name'],
    [{ signers: [] }, 'signers'],
    [{ signers: ['0x12'] }, 'signers[0]'],
    [{ chains: [0] }, 'chains[0]'],
    [{ chains: ['1'] }, 'chains[0]'],
    [{ rate: { perSecond: 0 } }, 'rate.perSecond'],
    [{ rate: 5 }, 'rate'],
    [{ expiresAt: 'soon' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ secret: 'x' }, 'secret'],
  ])('%j is refused by name', async (change, field) => {
    const { headers } = await makeKey()
    const payload = { name: 'x', scopes: ['read'], ...change }
    expect(await call('POST', '/v1/api-keys', headers, payload)).toMatchObject({ status: 400, body: { field } })
    expect(await api.keys.listKeys({ signers: null, chains: null })).toHaveLength(1)
  })
})

describe('a key for some signers', () => {
  let theirs: { tx: string; hash: string; reservation: string; timer: string }
  let mine: { tx: string }
  let limited: Headers
  const OTHERS_LANE = { chainId: CHAIN_ID, signer: SIGNER } as const
  const TIMER = {
    chainId: CHAIN_ID,
    from: SIGNER,
    to: TARGET,
    gasLimit: '100000',
    schedule: { type: 'interval', blocks: 5 },
  }

  async function send(from: Address, headers: Headers = {}): Promise<string> {
    const sent = await call('POST', '/v1/transactions', headers, { from, to: TARGET, simulate: false })
    expect(sent.status).toBe(202)
    return sent.body.id
  }

  beforeEach(async () => {
    await api.store.registerSigners([{ lane: { chainId: CHAIN_ID, signer: OTHER }, policy: FAST, label: null }])
    const tx = await send(SIGNER)
    const { attempts } = await allocate(api.store, tx, `0x${'ab'.repeat(32)}`)
    const reserved = await call('POST', `/v1/signers/${SIGNER}/nonces`, {}, { ttlMs: 60_000 })
    const [lease] = await api.timers.keepTimerLeases('node-a', [CHAIN_ID], 60_000)
    if (lease === undefined) throw new Error('no lease')
    const timer = await startTimer(api.timers, lease, anySpec(OTHERS_LANE))
    theirs = { tx, hash: String(attempts[0]?.hash), reservation: reserved.body.items[0].id, timer: timer.id }
    mine = { tx: await send(OTHER) }
    limited = (await makeKey({ signers: [OTHER] })).headers
  })

  /** How each route is asked for what is not the key's; `list`: it answers, and shows nothing of it. */
  type Probe = { readonly body?: object; readonly expect: 400 | 403 | 404 | 'list' | 'unrelated' }
  const reason = { reason: 'trying' }
  const RULES: Readonly<Record<string, Probe>> = {
    createTransaction: { body: { from: SIGNER, to: TARGET }, expect: 403 },
    createTransactionBatch: { expect: 'unrelated' },
    listTransactions: { expect: 'list' },
    showTransaction: { expect: 404 },
    showHistory: { expect: 404 },
    listAttempts: { expect: 404 },
    showConfirmations: { expect: 404 },
    showReceipt: { expect: 404 },
    explainTransaction: { expect: 404 },
    suspendTransaction: { body: reason, expect: 404 },
    resumeTransaction: { body: reason, expect: 404 },
    retryTransaction: { body: reason, expect: 404 },
    speedUpTransaction: { body: reason, expect: 404 },
    cancelTransaction: { body: reason, expect: 404 },
    resolveTransaction: { body: { ...reason, hash: `0x${'12'.repeat(32)}` }, expect: 404 },
    requeueTransaction: { body: reason, expect: 404 },
    closeTransaction: { body: reason, expect: 404 },
    approveTransaction: { body: reason, expect: 404 },
    rejectTransaction: { body: reason, expect: 404 },
    showSignerRules: { expect: 404 },
    setSignerRules: { body: {}, expect: 404 },
    clearSignerRules: { expect: 404 },
    showKeyRules: { expect: 404 },
    setKeyRules: { body: {}, expect: 404 },
    clearKeyRules: { expect: 404 },
    listSigners: { expect: 'list' },
    showSigner: { expect: 404 },
    updateSigner: { body: { label: 'mine' }, expect: 404 },
    registerSigner: { body: { chainId: CHAIN_ID, address: SIGNER }, expect: 400 },
    pauseSigner: { body: reason, expect: 404 },
    verifySigner: { expect: 404 },
    removeSigner: { body: reason, expect: 403 },
    resumeSigner: { body: reason, expect: 404 },
    resetNonce: { body: reason, expect: 404 },
    showReset: { expect: 404 },
    fillGap: { body: reason, expect: 404 },
    reserveNonces: { body: { ttlMs: 60_000 }, expect: 404 },
    listReservations: { expect: 404 },
    releaseReservations: { body: reason, expect: 404 },
    fillReservations: { body: reason, expect: 404 },
    showReservation: { expect: 404 },
    useNonce: { body: { lockOwner: 'x', hash: `0x${'12'.repeat(32)}` }, expect: 404 },
    extendNonce: { body: { lockOwner: 'x', ttlMs: 60_000 }, expect: 404 },
    releaseNonce: { body: { lockOwner: 'x' }, expect: 404 },
    listEvents: { expect: 'list' },
    streamEvents: { expect: 'unrelated' },
    listApiKeys: { expect: 'list' },
    createApiKey: { body: { name: 'x', scopes: ['read'], signers: [SIGNER] }, expect: 403 },
    revokeApiKey: { expect: 404 },
    listAudit: { expect: 403 },
    checkAudit: { expect: 403 },
    createWebhook: { body: { url: 'https://hooks.example/x' }, expect: 403 },
    listWebhooks: { expect: 403 },
    showWebhook: { expect: 403 },
    updateWebhook: { body: { description: 'mine' }, expect: 403 },
    deleteWebhook: { expect: 403 },
    listDeliveries: { expect: 403 },
    redeliver: { expect: 403 },
    testWebhook: { expect: 403 },
    createTimer: { body: TIMER, expect: 403 },
    listTimers: { expect: 'list' },
    showTimerQueue: { expect: 403 },
    changeTimerParams: { body: { maxFiresPerBlock: 1 }, expect: 403 },
    showTimer: { expect: 404 },
    updateTimer: { body: { gasLimit: '100000' }, expect: 404 },
    cancelTimer: { expect: 404 },
    pauseTimer: { expect: 404 },
    resumeTimer: { expect: 404 },
    listFires: { expect: 404 },
    showMetrics: { expect: 403 },
    listChains: { expect: 'unrelated' },
    listBlocks: { expect: 'unrelated' },
    streamBlocks: { expect: 'unrelated' },
    showFees: { expect: 'unrelated' },
    listNodes: { expect: 'unrelated' },
    showCaller: { expect: 'unrelated' },
  }

  function addressOf(route: Route, tx: string): string {
    return route.path
      .replace('/transactions/{id}', `/transactions/${tx}`)
      .replace('/nonces/{id}', `/nonces/${theirs.reservation}`)
      .replace('/timers/{id}', `/timers/${theirs.timer}`)
      .replace('{address}', SIGNER)
      .replace('/api-keys/{id}', `/api-keys/${'0'.repeat(16)}`)
      .replaceAll(/\{(?:id|deliveryId)\}/g, '01890a5d-ac96-774b-bcce-000000000999')
  }

  test.each(named(GUARDED))('%s shows and changes nothing of others', async (_, route) => {
    const rule = RULES[route.operationId]
    expect(rule, `${route.operationId} needs a rule here: what does it answer about another's signer?`).toBeDefined()
    if (rule === undefined || rule.expect === 'unrelated') return
    const before = JSON.stringify([await api.store.listLaneStatus({ lane: OTHERS_LANE }), await seenBy({})])
    for (const tx of [theirs.tx, theirs.hash]) {
      const answer = await call(route.method, addressOf(route, tx), limited, rule.body)
      expect(answer.status).toBe(rule.expect === 'list' ? 200 : rule.expect)
      const text = JSON.stringify(answer.body).toLowerCase()
      // What the caller itself named may be said back to it.
      const told = text.replaceAll(SIGNER, '').replaceAll(tx, '')
      if (rule.expect === 'list') expect(text).not.toContain(SIGNER)
      for (const secret of [theirs.tx, theirs.hash, 'treasury']) expect(told).not.toContain(secret)
    }
    expect(JSON.stringify([await api.store.listLaneStatus({ lane: OTHERS_LANE }), await seenBy({})])).toBe(before)
  })

  test('a timer of another tenant is visible, but only an operator can change it', async () => {
    const patch = { gasLimit: '100000' }
    const stranger = (await makeKey({ scopes: ['read', 'send'] })).headers
    expect(await call('GET', `/v1/timers/${theirs.timer}`, stranger)).toMatchObject({ status: 200 })
    for (const [method, path, body] of [
      ['PATCH', '', patch],
      ['DELETE', '', undefined],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
    ] as const) {
      const answer = await call(method, `/v1/timers/${theirs.timer}${path}`, stranger, body)
      expect(answer, `${method} ${path}`).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
    const operator = (await makeKey({ scopes: ['read', 'send', 'operate'] })).headers
    // Nobody runs timers here: that it gets so far is what tells.
    const answer = await call('POST', `/v1/timers/${theirs.timer}/pause`, operator)
    expect(answer).toMatchObject({ body: { code: 'timers_unavailable' } })
  })

  async function seenBy(headers: Headers): Promise<unknown> {
    const all = Object.keys(headers).length === 0 ? (await makeKeyOnce()).headers : headers
    return (await call('GET', '/v1/transactions', all)).body
  }

  let everything: { headers: Headers } | null = null
  async function makeKeyOnce() {
    everything ??= await makeKey()
    return everything
  }
  beforeEach(() => {
    everything = null
  })

  test('it sees and sends its own', async () => {
    expect((await call('GET', `/v1/transactions/${mine.tx}`, limited)).status).toBe(200)
    const listed = await call('GET', '/v1/transactions', limited)
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([mine.tx])
    expect((await call('GET', `/v1/signers/${OTHER}`, limited)).status).toBe(200)
    const again = await send(OTHER, limited)
    const { body } = await call('GET', `/v1/transactions/${again}/history`, limited)
    expect(body.items[0]).toMatchObject({
      type: 'accepted',
      detail: { by: expect.stringMatching(/^test \([0-9a-f]+\)$/) },
    })
  })

  test('its event pages are full, in order, and skip what is not its own', async () => {
    for (let count = 0; count < 3; count++) {
      await send(SIGNER, (await makeKeyOnce()).headers)
      await send(OTHER, limited)
    }
    const first = await call('GET', '/v1/events?limit=3', limited)
    const second = await call('GET', `/v1/events?limit=3&after=${first.body.next}`, limited)
    expect([first.body.items.length, second.body.items.length]).toEqual([3, 1])
    const all = [...first.body.items, ...second.body.items]
    expect(new Set(all.map(({ signer, from }: { signer?: string; from?: string }) => signer ?? from)).size).toBe(1)
    await send(SIGNER, (await makeKeyOnce()).headers)
    const third = await call('GET', `/v1/events?limit=3&after=${second.body.next}`, limited)
    expect(third.body.items).toEqual([])
    expect(third.body.next).toBe(second.body.next + 1)
  })

  test('of a mixed batch, its own items are accepted and the others refused', async () => {
    const item = (from: Address) => ({ from, to: TARGET, simulate: false })
    const transactions = [item(SIGNER), item(OTHER), item(STRANGER), item(OTHER)]
    const { body } = await call('POST', '/v1/transactions/batch', limited, { transactions })
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([403, 202, 403, 202])
    expect(body.results[1].transaction.from.toLowerCase()).toBe(OTHER)
  })

  test('a key for another chain sees nothing of this one', async () => {
    const { headers } = await makeKey({ chains: [CHAIN_ID + 1] })
    expect((await call('GET', '/v1/chains', headers)).body.items).toEqual([])
    expect((await call('GET', `/v1/chains/${CHAIN_ID}/blocks`, headers)).status).toBe(404)
    expect((await call('GET', '/v1/signers', headers)).body.items).toEqual([])
    expect((await call('GET', `/v1/transactions/${mine.tx}`, headers)).status).toBe(404)
    for (const chainId of [undefined, CHAIN_ID]) {
      const sent = await call('POST', '/v1/transactions', headers, { from: OTHER, to: TARGET, chainId })
      expect(sent).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
  })
})

describe('the audit', () => {
  async function readAudit(headers: Headers) {
    const { body } = await call('GET', '/v1/audit', headers)
    return body.items.map(({ actor, operation, target, result }: Record<string, string>) => [
      ...[actor, operation, target, result],
    ])
  }

  test('lists changes and refusals, newest first, but no reads or sends', async () => {
    const admin = await makeKey({ name: 'ann' })
    const reader = await makeKey({ name: 'bob', scopes: ['read'] })
    const sent = await call('POST', '/v1/transactions', admin.headers, { from: SIGNER, to: TARGET })
    const tx = `/v1/transactions/${sent.body.id}`
    await call('GET', tx, reader.headers)
    await call('POST', `${tx}/cancel?x=1`, reader.headers, { reason: 'no' })
    await call('POST', `${tx}/suspend`, admin.headers, { reason: 'private words' })
    await call('POST', `/v1/signers/${SIGNER}/pause`, admin.headers, { reason: 'private words' })
    await call('POST', `/v1/signers/${SIGNER}/nonces`, admin.headers, { ttlMs: 60_000 })
    await call('POST', `${tx}/resolve`, admin.headers, { reason: 'malformed' })
    const made = await call('POST', '/v1/api-keys', admin.headers, { name: 'cy', scopes: ['read'] })
    await call('DELETE', `/v1/api-keys/${made.body.id}`, admin.headers)
    expect(await readAudit(admin.headers)).toEqual([
      ['ann', 'revokeApiKey', `/v1/api-keys/${made.body.id}`, 'done'],
      ['ann', 'createApiKey', `/v1/api-keys/${made.body.id}`, 'done'],
      ['ann', 'reserveNonces', `/v1/signers/${SIGNER}/nonces`, 'done'],
      ['ann', 'pauseSigner', `/v1/signers/${SIGNER}/pause`, 'done'],
      ['ann', 'suspendTransaction', `${tx}/suspend`, 'done'],
      ['bob', 'cancelTransaction', `${tx}/cancel`, 'forbidden'],
    ])
    const { body } = await call('GET', `${tx}/history`, admin.headers)
    expect(body.items.map(({ detail }: { detail: object }) => detail)).toMatchObject([
      { by: `ann (${admin.id})` },
      { actor: `ann (${admin.id})` },
    ])
  })

  test('does not contain a secret that was sent in place of an id', async () => {
    const [admin, reader] = [await makeKey(), await makeKey({ scopes: ['read'] })]
    expect((await call('DELETE', `/v1/api-keys/${admin.token}`, reader.headers)).status).toBe(403)
    expect(await readAudit(admin.headers)).toEqual([
      ['test', 'revokeApiKey', `/v1/api-keys/drv_${admin.id}_…`, 'forbidden'],
    ])
  })

  test('lists a batch with items refused for the caller', async () => {
    const admin = await makeKey()
    const { headers } = await makeKey({ name: 'bob', signers: [OTHER] })
    const transactions = [SIGNER, SIGNER].map((from) => ({ from, to: TARGET, simulate: false }))
    expect((await call('POST', '/v1/transactions/batch', headers, { transactions })).status).toBe(200)
    expect(await readAudit(admin.headers)).toEqual([
      ['bob', 'createTransactionBatch', '/v1/transactions/batch', 'forbidden'],
    ])
  })

  test('is paged', async () => {
    const { headers } = await makeKey()
    for (let count = 0; count < 5; count++)
      await call('POST', `/v1/signers/${SIGNER}/pause`, headers, { reason: String(count) })
    const first = await call('GET', '/v1/audit?limit=3', headers)
    const second = await call('GET', `/v1/audit?limit=3&before=${first.body.next}`, headers)
    expect([first.body.items.length, second.body.items.length, second.body.next]).toEqual([3, 2, null])
  })

  test('is not filled by repeated refusals', async () => {
    const [admin, reader] = [await makeKey(), await makeKey({ scopes: ['read'] })]
    for (let count = 0; count < 150; count++)
      await call('POST', `/v1/signers/${SIGNER}/pause`, reader.headers, { reason: 'x' })
    expect((await call('GET', '/v1/audit?limit=200', admin.headers)).body.items).toHaveLength(100)
    expect(api.telemetry.valueOf('drover_access_refused_total', { reason: 'scope' })).toBe(150)
    const other = await makeKey({ name: 'other', scopes: ['read'] })
    await call('POST', `/v1/signers/${SIGNER}/pause`, other.headers, { reason: 'x' })
    const [newest] = (await call('GET', '/v1/audit?limit=1', admin.headers)).body.items
    expect(newest).toMatchObject({ actor: 'other', result: 'forbidden' })
  })

  test('limits entries per key, and nothing is done without an entry', async () => {
    const [busy, other] = [await makeKey(), await makeKey({ name: 'other' })]
    const pause = (headers: Headers) => call('POST', `/v1/signers/${SIGNER}/pause`, headers, { reason: 'x' })
    for (let count = 0; count < 1_000; count++) expect((await pause(busy.headers)).status).toBe(200)
    const refused = await pause(busy.headers)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', bound: 'audit entries' } })
    expect(refused.headers['retry-after']).toBe('1')
    expect((await pause(other.headers)).status).toBe(200)
    const check = await call('GET', '/v1/audit/check', other.headers)
    expect(check.body).toMatchObject({
      brokenAt: null,
      last: { id: 1_001, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  test('an entry that cannot be stored is logged, and the call stands', async () => {
    const { headers } = await makeKey()
    api.keys.appendAudit = async () => {
      throw new StoreUnavailable('lost')
    }
    expect((await call('POST', `/v1/signers/${SIGNER}/pause`, headers, { reason: 'x' })).status).toBe(200)
    expect(api.telemetry.logs).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'could not store an audit entry' }),
    )
  })
})

describe('while the database is away', () => {
  test('a key known to be revoked is not cached', async () => {
    const revoked = await makeKey()
    await call('GET', '/metrics', revoked.headers)
    await api.keys.revokeKey(revoked.id, { actor: 'x', reach: { signers: null, chains: null }, evenLast: true })
    expect((await call('GET', '/v1/signers', revoked.headers)).status).toBe(401)
    api.keys.findKeys = async () => {
      throw new StoreUnavailable('lost')
    }
    expect((await call('GET', '/metrics', revoked.headers)).body.code).toBe('database_unavailable')
  })

  test('a database that does not answer within a second counts as down', async () => {
    const { token } = await makeKey({ expiresAt: NOW + 5_000 })
    const due: (() => void)[] = []
    let elapsedMs = 0
    const clock = {
      now: () => NOW,
      monotonic: () => elapsedMs,
      schedule: (delayMs: number, run: () => void) => {
        if (delayMs === 1_000) due.push(run)
        return () => {}
      },
    }
    const access = createAccess({ store: api.keys, notices: api.store, clock, telemetry: api.telemetry, nodeId: 'n' })
    await access.identify(`Bearer ${token}`)
    api.keys.findKeys = () => new Promise(() => {})
    const ask = () => access.identify(`Bearer ${token}`, { duringOutage: true })
    const first = ask()
    for (const run of due.splice(0)) run()
    expect(await first).toMatchObject({ name: 'test' })
    elapsedMs += 5_000
    const second = ask()
    for (const run of due.splice(0)) run()
    await expect(second).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('a key that was valid before may read metrics, and nothing else', async () => {
    const [known, unknown] = [await makeKey(), await makeKey()]
    expect((await call('GET', '/metrics', known.headers)).status).toBe(200)
    api.keys.findKeys = async () => {
      throw new StoreUnavailable('lost')
    }
    api.elapse(500)
    expect((await call('GET', '/metrics', known.headers)).status).toBe(200)
    expect((await call('GET', '/v1/signers', known.headers)).body.code).toBe('database_unavailable')
    expect((await call('GET', '/metrics', unknown.headers)).body.code).toBe('database_unavailable')
    const wrong = known.token.slice(0, -2) + (known.token.endsWith('AA') ? 'BB' : 'AA')
    expect((await call('GET', '/metrics', { authorization: `Bearer ${wrong}` })).status).toBe(401)
  })
})

test('long-lived connections are checked again: an open service that was closed, a key that was revoked', async () => {
  let elapsedMs = 0
  const clock = { now: () => NOW, monotonic: () => elapsedMs, schedule: () => () => {} }
  const access = createAccess({ store: api.keys, notices: api.store, clock, telemetry: api.telemetry, nodeId: 'n' })
  const local = await access.identify(undefined)
  expect(await access.isAllowed(local)).toBe(true)
  const { id, token } = await makeKey()
  elapsedMs += 1_000
  expect(await access.isAllowed(local)).toBe(false)
  const caller = await access.identify(`Bearer ${token}`)
  expect([await access.isAllowed(local), await access.isAllowed(caller)]).toEqual([false, true])
  await api.keys.revokeKey(id, { actor: 'x', reach: { signers: null, chains: null }, evenLast: true })
  elapsedMs += 500
  expect(await access.isAllowed(caller)).toBe(false)
})

test('a key that was admitted before is recognized from memory, and only with its secret', async () => {
  const clock = { now: () => NOW, monotonic: () => 0, schedule: () => () => {} }
  const { keys: store, store: notices, telemetry } = api
  const access = createAccess({ store, notices, clock, telemetry, nodeId: 'n' })
  const { token } = await makeKey({ tenant: 'acme' })
  const bearer = `Bearer ${token}`
  expect(access.recognize(bearer)).toBe(null)
  await access.identify(bearer)
  const wrong = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA')
  const asked = [bearer, `bearer  ${token}`, `Bearer ${wrong}`, token, 'Bearer x', '']
  expect(asked.map(access.recognize)).toEqual(['acme', 'acme', null, null, null, null])
})

test('a key that is revoked while the body of its request arrives does nothing', async () => {
  const [kept, revoked] = [await makeKey(), await makeKey()]
  const payload = JSON.stringify({ from: SIGNER, to: TARGET, value: '1' })
  const ask = async ({ headers }: { readonly headers: Headers }, meanwhile: () => Promise<unknown>) => {
    const body = new Readable({ read: () => {} })
    const answer = api.server.inject({
      method: 'POST',
      url: '/v1/transactions',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: body,
    })
    body.push(payload.slice(0, 10))
    await new Promise((resolve) => setImmediate(resolve))
    await meanwhile()
    body.push(payload.slice(10))
    body.push(null)
    return (await answer).statusCode
  }
  const revoke = () =>
    api.keys.revokeKey(revoked.id, { actor: 'x', reach: { signers: null, chains: null }, evenLast: true })
  expect(await ask(kept, async () => {})).toBe(202)
  expect(await ask(revoked, revoke)).toBe(401)
  expect((await call('GET', '/v1/transactions', kept.headers)).body.items).toHaveLength(1)
})

test('a key that is revoked while its request waits in line gets nothing', async () => {
  let meanwhile = async (): Promise<unknown> => undefined
  const begin = async () => {
    await meanwhile()
    return () => {}
  }
  api = await createTestApi({ services: { work: { ...NO_TURNS, begin } } })
  const { id, headers } = await makeKey()
  expect((await call('GET', '/v1/signers', headers)).status).toBe(200)
  meanwhile = () => api.keys.revokeKey(id, { actor: 'x', reach: { signers: null, chains: null }, evenLast: true })
  expect(await call('GET', '/v1/signers', headers)).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
})

test.each([
  ['right', 0],
  ['a day ahead', 24 * 3_600_000],
  ['a day behind', -24 * 3_600_000],
])('a trusted key ends with its time, though it was read before and the clock of the node is %s', async (_, offMs) => {
  let elapsedMs = 0
  const clock = { now: () => NOW + offMs + elapsedMs, monotonic: () => elapsedMs, schedule: () => () => {} }
  const access = createAccess({ store: api.keys, notices: api.store, clock, telemetry: api.telemetry, nodeId: 'n' })
  const { token } = await makeKey({ expiresAt: NOW + 100 })
  const caller = await access.identify(`Bearer ${token}`)
  elapsedMs = 99
  expect(await access.isAllowed(caller)).toBe(true)
  elapsedMs = 100
  expect(await access.isAllowed(caller)).toBe(false)
  await expect(access.identify(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthorized' })
})

test('every scope has a route, and no writing route needs only read', () => {
  // What is sent decides whether `priority` is needed, not the route.
  const used = new Set([...ROUTES.map(({ scope }) => scope), 'priority'])
  expect([...used].sort()).toEqual([...SCOPES, null].sort())
  const changing = ROUTES.filter(({ method }) => method !== 'GET').map(({ scope }) => scope)
  const allowed: readonly (Scope | null)[] = ['send', 'operate', 'admin', 'approve']
  for (const scope of changing) expect(allowed).toContain(scope)
})
