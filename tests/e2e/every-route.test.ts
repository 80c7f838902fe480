/**
 * Every operation of the API, called with success on a real service; each answer is held to its schema. What is called is
 * recorded, and in the end compared with what the API says of itself: a route that nobody calls here fails this file.
 */
import { createServer, type Server } from 'node:http'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problem } from '../../packages/server/src/api/contract/values/problem.ts'
import { listErrors } from '../../packages/server/src/api/openapi/build-open-api.ts'
import { ROUTES } from '../../packages/server/src/api/routes.ts'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess, HttpAnswer } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { startService } from '../setup/service.ts'

const sender = developmentAccount(0)
const spare = developmentAccount(1)
const to = developmentAccount(9).address
const CHAIN_ID = 31_337
const reason = 'trying every route'

const exercised = new Set<string>()
let chain: TestChain
let database: TestDatabase
let drover: DroverProcess
let stop: () => Promise<void>
let receiver: Server
let received = 0
let token: string | null = null

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received += 1
    request.resume().on('end', () => response.end('thank you'))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const started = await startService({
    signers: [sender, spare],
    env: { DROVER_FINALITY: '1', DROVER_WEBHOOK_ALLOW_PRIVATE: 'true', DROVER_RESUBMIT_INTERVAL: '1s' },
  })
  ;({ chain, database, drover, stop } = started)
  await chain.mine(3)
})

afterAll(async () => {
  await stop?.()
  receiver?.closeAllConnections()
  receiver?.close()
})

interface Given {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: string
  readonly body?: unknown
}

/** Calls an operation by its name, and holds the answer to what the contract says of its status. */
async function call(operationId: string, given: Given = {}): Promise<HttpAnswer> {
  const route = ROUTES.find((each) => each.operationId === operationId)
  if (route === undefined) throw new Error(`there is no ${operationId}`)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(given.params?.[name]))
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const answer = await drover.request(route.method, `${path}${given.query ?? ''}`, given.body, headers)
  const described = route.answers.find(({ status }) => status === answer.status)
  if (described === undefined) {
    const { code } = problem.parse(answer.body)
    expect(listErrors(route), `${operationId} answers ${code}`).toContain(code)
    return answer
  }
  if ('schema' in described && described.schema !== null) described.schema.parse(answer.body)
  if ('contentType' in described) expect(answer.headers.get('content-type')).toContain(described.contentType)
  exercised.add(operationId)
  return answer
}

/** The same, insisting on success. */
async function get(operationId: string, given: Given = {}): Promise<HttpAnswer['body']> {
  const answer = await call(operationId, given)
  expect(answer.status, `${operationId}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const send = async (more: object = {}) =>
  get('createTransaction', { body: { from: sender.address, to, value: '1', ...more } })
const until = (id: string, isGood: (tx: HttpAnswer['body']) => boolean) =>
  eventually(() => get('showTransaction', { params: { id } }), isGood)
const lane = { params: { address: sender.address } }

/** Somebody else's transaction takes the nonce of ours, which no node has any more. */
async function takeNonce(nonce: number, value: bigint): Promise<string> {
  await chain.dropAllTransactions()
  return await chain.rpc<string>('eth_sendRawTransaction', [await signAlone(nonce, value)])
}

async function signAlone(nonce: number, value = 1n): Promise<`0x${string}`> {
  const account = privateKeyToAccount(sender.privateKey)
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n }
  return account.signTransaction({ chainId: CHAIN_ID, nonce, to, value, gas: 21_000n, type: 'eip1559', ...fees })
}

describe('the service', () => {
  test('describes itself, its chains and its signers', async () => {
    for (const operationId of [
      'showHealth',
      'showReadiness',
      'showMetrics',
      'showOpenApi',
      'showDocs',
      'listNodes',
      'showCaller',
    ]) {
      await get(operationId)
    }
    expect((await get('listChains')).items).toMatchObject([{ chainId: CHAIN_ID }])
    expect((await get('showFees', { params: { chainId: CHAIN_ID } })).nextBaseFeePerGas).toMatch(/^\d+$/)
    const blocks = () => get('listBlocks', { params: { chainId: CHAIN_ID } })
    await eventually(blocks, ({ items }) => items.length > 0)
    expect((await get('listSigners')).items).toHaveLength(2)
    expect((await get('showSigner', lane)).lanes).toHaveLength(1)
  })

  test('verifies, removes and registers a signer whose key it holds', async () => {
    const params = { address: spare.address }
    expect(await get('verifySigner', { params })).toMatchObject({ verified: true, source: 'environment' })
    expect(await get('removeSigner', { params, body: { reason } })).toMatchObject({ chainIds: [CHAIN_ID] })
    expect((await get('listSigners')).items).toHaveLength(1)
    const body = { chainId: CHAIN_ID, address: spare.address, label: 'spare', policy: { preset: 'fast' } }
    expect(await get('registerSigner', { body })).toMatchObject({ label: 'spare', policy: { preset: 'fast' } })
    expect((await call('registerSigner', { body })).body).toMatchObject({ code: 'signer_exists' })
  })
})

describe('nonces for callers that sign themselves', () => {
  test('are reserved, extended, used and released; an operator fills the gap that is left', async () => {
    const { items, lockOwner } = await get('reserveNonces', { ...lane, body: { count: 1, ttlMs: 60_000 } })
    const second = await get('updateSigner', { ...lane, body: { policy: { maxInFlight: 5 } } }).then(() =>
      get('reserveNonces', { ...lane, body: { count: 1, ttlMs: 60_000 } }),
    )
    const [low, high] = await eventually(
      () => Promise.all([items[0].id, second.items[0].id].map((id) => get('showReservation', { params: { id } }))),
      (shown) => shown.every(({ nonce }) => nonce !== null),
    )
    const act = (operationId: string, { id }: { id: string }, body: object) =>
      get(operationId, { params: { id }, body })
    await act('extendNonce', high, { lockOwner: second.lockOwner, ttlMs: 120_000 })
    await act('releaseNonce', low, { lockOwner })
    const hash = await chain.rpc<string>('eth_sendRawTransaction', [await signAlone(high.nonce)])
    await act('useNonce', high, { lockOwner: second.lockOwner, hash })
    await eventually(
      () => get('showSigner', lane),
      ({ lanes }) => lanes[0].free === 1,
    )
    const filled = await get('fillGap', { ...lane, body: { reason } })
    expect(filled.items).toMatchObject([{ metadata: { purpose: 'gap_fill', nonce: String(low.nonce) } }])
    await until(filled.items[0].id, ({ state }) => state === 'TRACKING')
    await chain.mine(3)
    expect(await until(filled.items[0].id, ({ state }) => state === 'CONFIRMED')).toMatchObject({ nonce: low.nonce })
    const left = await get('reserveNonces', { ...lane, body: { count: 2 } })
    expect((await get('listReservations', { ...lane, query: '?limit=1' })).items).toHaveLength(1)
    const [one, other] = left.items
    const order = (reservation: { id: string }) => ({ ...lane, body: { reason, reservationId: reservation.id } })
    expect(await get('releaseReservations', order(other))).toMatchObject({ items: [{ outcome: 'released' }] })
    expect(await get('fillReservations', order(one))).toMatchObject({ items: [{ outcome: 'filled' }] })
    await eventually(
      async () => {
        await chain.mine(1)
        return await get('listReservations', lane)
      },
      ({ items: open }) => open.length === 0,
      { everyMs: 150 },
    )
    await get('updateSigner', { ...lane, body: { policy: { maxInFlight: 1 } } })
  })
})

describe('transactions', () => {
  test('are sent, waited for, listed and explained', async () => {
    const held = call('createTransaction', { query: '?wait=mined', body: { from: sender.address, to, value: '2' } })
    const pending = async () => (await get('listTransactions', { query: '?state=TRACKING' })).items
    await eventually(pending, (items) => items.length === 1)
    await chain.mine(1)
    const { status, headers, body: mined } = await held
    expect([status, headers.get('drover-wait'), mined.receipt.status]).toEqual([202, 'reached', 'success'])
    const params = { id: mined.hash }
    await chain.mine(2)
    const confirmed = await get('showTransaction', { params, query: '?wait=confirmed&timeoutMs=60000' })
    expect(confirmed).toMatchObject({ id: mined.id, state: 'CONFIRMED' })
    for (const operationId of [
      'showHistory',
      'listAttempts',
      'showConfirmations',
      'showReceipt',
      'explainTransaction',
    ]) {
      await get(operationId, { params })
    }
    const transactions = [{ from: sender.address, to, value: '3' }, { from: to, to }, { from: sender.address }]
    const { results } = await get('createTransactionBatch', { body: { transactions } })
    expect(results.map((result: { status: number }) => result.status)).toEqual([202, 400, 400])
    await until(results[0].transaction.id, ({ state }) => state === 'TRACKING')
    await chain.mine(2)
    await until(results[0].transaction.id, ({ state }) => state === 'CONFIRMED')
  })

  test('are suspended, resumed, sped up and cancelled', async () => {
    const first = await send()
    await until(first.id, ({ state }) => state === 'TRACKING')
    // One at a time: this one stays in line until the first is final.
    const { id } = await send()
    const act = (operationId: string, body: object = { reason }) => get(operationId, { params: { id }, body })
    expect(await act('suspendTransaction')).toMatchObject({ state: 'QUEUED', subState: 'suspended' })
    expect(await act('resumeTransaction')).toMatchObject({ state: 'QUEUED', subState: 'accepted' })
    expect(await act('cancelTransaction')).toMatchObject({ state: 'CANCELLED' })
    expect(await get('pauseSigner', { ...lane, body: { reason } })).toMatchObject({ paused: true })
    expect(await get('resumeSigner', { ...lane, body: { reason } })).toMatchObject({ paused: false })
    await chain.mine(3)
    await until(first.id, ({ state }) => state === 'CONFIRMED')
    await get('updateSigner', { ...lane, body: { policy: { preset: 'fast' } } })
    const slow = await send({ speed: 'slow' })
    await until(slow.id, ({ state }) => state === 'TRACKING')
    // The node that is asked hears of the new policy a moment after it was stored.
    const speedUp = () => call('speedUpTransaction', { params: { id: slow.id }, body: { reason } })
    await eventually(speedUp, ({ status }) => status === 200)
    await until(slow.id, ({ attempts }) => attempts === 2)
    await chain.mine(3)
    await until(slow.id, ({ state }) => state === 'CONFIRMED')
  })

  test('that are stuck are retried, or resolved with the transaction that took their nonce', async () => {
    await get('updateSigner', { ...lane, body: { policy: { preset: 'stable', stuckAfterMs: 1_000 } } })
    const { id } = await send()
    const stuck = await until(id, ({ state }) => state === 'STUCK')
    await get('retryTransaction', { params: { id }, body: { reason } })
    const hash = await takeNonce(stuck.nonce, 1n)
    // As deep as finality, and too few for the service to settle it by itself.
    await chain.mine(2)
    const resolve = () => call('resolveTransaction', { params: { id }, body: { reason, hash } })
    const { body: resolved } = await eventually(resolve, ({ status }) => status === 200)
    expect(resolved).toMatchObject({ id, state: 'CONFIRMED', subState: 'resolved' })
    const reset = await get('resetNonce', { ...lane, body: { reason } })
    expect(reset).toMatchObject({ state: 'DONE' })
    const params = { address: sender.address, id: reset.id }
    expect(await get('showReset', { params })).toMatchObject({ id: reset.id, cancelsInFlight: false, progress: null })
  })

  test('whose nonce was used by another are requeued, or closed', async () => {
    const { id } = await send()
    for (const [operationId, state] of [
      ['requeueTransaction', 'QUEUED'],
      ['closeTransaction', 'CANCELLED'],
    ] as const) {
      const { nonce } = await until(id, (tx) => tx.state === 'TRACKING' || tx.state === 'STUCK')
      await takeNonce(nonce, 2n)
      const mineAndRead = async () => {
        await chain.mine(1)
        return await get('showTransaction', { params: { id } })
      }
      await eventually(mineAndRead, ({ subState }) => subState === 'foreign_nonce')
      expect(await get(operationId, { params: { id }, body: { reason } })).toMatchObject({ id, state })
    }
  })
})

describe('events', () => {
  test('are read in pages and as a stream', async () => {
    const { items } = await get('listEvents', { query: '?limit=3' })
    expect(items).toHaveLength(3)
    const stop = new AbortController()
    const response = await fetch(`${drover.url}/v1/events/stream?after=0`, { signal: stop.signal })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk)
      if (text.includes('data: ')) break
    }
    stop.abort()
    expect(text).toContain(`id: ${items[0].eventId}\n`)
    exercised.add('streamEvents')
  })

  test('of blocks are streamed too', async () => {
    const stop = new AbortController()
    const url = `${drover.url}/v1/chains/31337/blocks/stream?after=0`
    const response = await fetch(url, { signal: stop.signal })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk)
      if (text.includes('event: block')) break
    }
    stop.abort()
    expect(text).toContain('id: 1\nevent: block\ndata: ')
    exercised.add('streamBlocks')
  })

  test('are posted to a webhook', async () => {
    const address = receiver.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`
    const { id, secret } = await get('createWebhook', { body: { url, types: ['nothing.of.ours'] } })
    expect(secret).toMatch(/^whsec_/)
    const params = { id }
    expect((await get('listWebhooks')).items).toHaveLength(1)
    await get('showWebhook', { params })
    await get('updateWebhook', { params, body: { description: 'ours' } })
    const delivery = await get('testWebhook', { params })
    const deliveries = () => get('listDeliveries', { params })
    const isDelivered = ({ items }: HttpAnswer['body']) => items[0]?.state === 'DELIVERED'
    await eventually(deliveries, isDelivered)
    await get('redeliver', { params: { id, deliveryId: delivery.id } })
    await eventually(deliveries, (page) => isDelivered(page) && received === 2)
    await get('deleteWebhook', { params })
  })
})

test('keys are created, listed, audited and revoked', async () => {
  const grant = { name: 'admin', scopes: ['read', 'send', 'operate', 'admin'] }
  token = (await createFirstKey(database.url, grant)).token
  const second = await get('createApiKey', { body: { name: 'reader', scopes: ['read'] } })
  expect((await get('listApiKeys')).items).toHaveLength(2)
  await get('revokeApiKey', { params: { id: second.id } })
  expect((await get('listAudit')).items.length).toBeGreaterThan(5)
  expect((await get('checkAudit')).brokenAt).toBeNull()
})

test('rules are set and shown, and what needs approval is approved or refused', async () => {
  const admin = token
  const judge = await get('createApiKey', { body: { name: 'judge', scopes: ['read'] } })
  await get('setKeyRules', { params: { id: judge.id }, body: { count: { perHour: 1 } } })
  expect(await get('showKeyRules', { params: { id: judge.id } })).toMatchObject({ rules: { count: { perHour: '1' } } })
  expect((await get('clearKeyRules', { params: { id: judge.id } })).rules).toBeNull()
  const approval = { above: '0', of: 1, keys: ['approver'] }
  await get('setSignerRules', { ...lane, body: { approval } })
  expect((await get('showSignerRules', lane)).rules.approval).toMatchObject({ of: 1 })
  const [first, second] = [await send(), await send()]
  token = (await createFirstKey(database.url, { name: 'approver', scopes: ['read', 'approve'] })).token
  const decision = (id: string) => ({ params: { id }, body: { reason } })
  expect(await get('approveTransaction', decision(first.id))).toMatchObject({ approval: { missing: 0 } })
  expect(await get('rejectTransaction', decision(second.id))).toMatchObject({ state: 'CANCELLED' })
  token = admin
  expect((await get('clearSignerRules', lane)).rules).toBeNull()
})

test('timers are created, changed, paused, listed and cancelled', async () => {
  const schedule = { type: 'interval', blocks: 1 }
  const body = { chainId: CHAIN_ID, from: sender.address, to, value: '1', gasLimit: '50000', schedule }
  const { id } = await get('createTimer', { body })
  const params = { id }
  expect((await get('listTimers')).items).toHaveLength(1)
  await get('updateTimer', { params, body: { gasLimit: '60000' } })
  await get('pauseTimer', { params })
  await get('resumeTimer', { params })
  expect(await get('showTimerQueue')).toMatchObject({ live: 1 })
  await get('changeTimerParams', { body: { maxFiresPerBlock: 10 } })
  const fires = await eventually(
    async () => {
      await chain.mine(1)
      return (await get('listFires', { params })).items
    },
    (items) => items.length > 0,
  )
  expect(fires.at(-1)).toMatchObject({ fireSeq: 0 })
  expect(await get('cancelTimer', { params })).toMatchObject({ state: 'CANCELLED' })
  await get('showTimer', { params })
})

test('every operation was called successfully', () => {
  expect([...exercised].sort()).toEqual(ROUTES.map(({ operationId }) => operationId).sort())
})
