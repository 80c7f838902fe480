import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDrover, type DroverOptions } from '../create-drover.ts'
import {
  ADDRESS,
  ID,
  inTurn,
  json,
  NETWORK_DOWN,
  problem,
  type Reply,
  type Script,
  stubService,
  transaction,
} from '../testing/stub-service.ts'
import { DroverError } from './drover-error.ts'
import type { RetryNotice } from './transport.ts'

const INTENT = { from: ADDRESS, to: ADDRESS, value: 1n }

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function setUp(script: Script, options: Partial<DroverOptions> = {}) {
  const service = stubService(script)
  const notices: RetryNotice[] = []
  const onRetry = (notice: RetryNotice) => notices.push(notice)
  const drover = createDrover({ url: 'http://drover.test', fetch: service.fetch, onRetry, ...options })
  return { drover, notices, requests: service.requests }
}

/** Lets time pass until it is settled, however long that takes. */
async function settle<T>(promise: Promise<T>): Promise<T | DroverError> {
  const settled = promise.catch((error: unknown) => {
    if (error instanceof DroverError) return error
    throw error
  })
  await vi.runAllTimersAsync()
  return settled
}

describe('sending again', () => {
  const PASSING: readonly [string, () => Reply][] = [
    ['no connection', () => NETWORK_DOWN],
    ['no answer in time', () => 'hang'],
    ['429', () => problem(429, 'queue_full')],
    ['503', () => problem(503, 'database_unavailable')],
    ['a proxy without a service behind it', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ]

  test.each(PASSING)('after %s: the same bytes under the same request id', async (_, fail) => {
    const { drover, requests, notices } = setUp(inTurn(fail, fail, json(transaction(), 202)))
    const tx = await settle(drover.send(INTENT))
    expect(tx).toMatchObject({ id: ID })
    expect(requests).toHaveLength(3)
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1)
    expect(requests[0]?.body.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(notices.map(({ tries, operation }) => [tries, operation])).toEqual([
      [1, 'POST /v1/transactions'],
      [2, 'POST /v1/transactions'],
    ])
  })

  test('ends after the last try, with its error and what is needed to continue', async () => {
    const { drover, requests } = setUp(() => NETWORK_DOWN, { retry: { maxTries: 3 } })
    const error = await settle(drover.send(INTENT))
    expect(requests).toHaveLength(3)
    expect(error).toMatchObject({ code: 'network_error', transient: true, tries: 3, status: undefined })
    expect(error).toMatchObject({ requestId: requests[0]?.body.requestId, cause: NETWORK_DOWN })
    expect(String(error)).toContain('ECONNREFUSED')
  })

  test('is turned off by retry: false', async () => {
    const { drover, requests } = setUp(() => problem(503, 'chain_unavailable'), { retry: false })
    expect(await settle(drover.send(INTENT))).toMatchObject({ code: 'chain_unavailable', tries: 1 })
    expect(requests).toHaveLength(1)
  })

  test('pauses double up to a maximum', async () => {
    const { drover, notices } = setUp(() => NETWORK_DOWN, { retry: { maxTries: 6, minDelayMs: 100, maxDelayMs: 500 } })
    await settle(drover.send(INTENT))
    expect(notices.map(({ delayMs }) => delayMs)).toEqual([75, 150, 300, 375, 375])
  })

  test.each<[string, () => Response]>([
    ['the header, in seconds', () => problem(429, 'queue_full', { headers: { 'retry-after': '3' } })],
    ['the document, in milliseconds', () => problem(429, 'queue_full', { retryAfterMs: 3_000 })],
    [
      'the header, as a date',
      () => new Response('', { status: 503, headers: { 'retry-after': new Date(Date.now() + 3_000).toUTCString() } }),
    ],
  ])('never comes sooner than asked for by %s', async (_, refuse) => {
    vi.setSystemTime(1_000_000_000_000)
    const { drover, notices } = setUp(inTurn(refuse, () => json(transaction())))
    await settle(drover.send(INTENT))
    expect(notices[0]?.delayMs).toBe(3_000 + 150)
  })

  test('is left to the caller if the service asks for a long pause', async () => {
    const { drover, requests } = setUp(() => problem(429, 'queue_full', { retryAfterMs: 60_000 }))
    expect(await settle(drover.send(INTENT))).toMatchObject({ code: 'queue_full', retryAfterMs: 60_000 })
    expect(requests).toHaveLength(1)
  })

  test('an operator action is not retried, unless it was certainly not carried out', async () => {
    const script = inTurn(
      json(transaction()),
      NETWORK_DOWN,
      problem(429, 'queue_full'),
      problem(503, 'database_unavailable'),
    )
    const { drover, requests } = setUp(script)
    const tx = await drover.transactions.get(ID)
    expect(await settle(tx.cancel('a mistake'))).toMatchObject({ code: 'network_error' })
    expect(requests).toHaveLength(2)
    expect(await settle(tx.cancel('a mistake'))).toMatchObject({ code: 'database_unavailable', tries: 2 })
    expect(requests).toHaveLength(4)
  })
})

test('a request without an id is not retried, even if the operation could be', async () => {
  const { drover, requests } = setUp(() => NETWORK_DOWN)
  const raw = { from: ADDRESS }
  const withId = { ...raw, requestId: 'r' }
  const nonces = { params: { address: ADDRESS }, body: { ttlMs: 1_000, requestId: 'r' } }
  await settle(drover.request('POST /v1/transactions', { body: raw }))
  await settle(drover.request('POST /v1/transactions/batch', { body: { transactions: [withId, raw] } }))
  // Its proof would be told with the answer that was lost, and never again.
  await settle(drover.request('POST /v1/signers/{address}/nonces', nonces))
  expect(requests).toHaveLength(3)
  await settle(drover.request('POST /v1/transactions/batch', { body: { transactions: [withId] } }))
  expect(requests).toHaveLength(3 + 8)
})

describe('a refusal', () => {
  test.each([400, 404, 409, 413, 422, 500])('with %i is not tried again', async (status) => {
    const { drover, requests } = setUp(() => problem(status, 'some_code'))
    expect(await settle(drover.send(INTENT))).toMatchObject({ status, code: 'some_code', transient: false })
    expect(requests).toHaveLength(1)
  })

  test('contains everything in the problem document', async () => {
    const extra = { field: 'call.args[1]', reason: 'Paused', transactionId: ID }
    const { drover } = setUp(() => problem(422, 'transaction_rejected', extra))
    const error = await settle(drover.send(INTENT))
    expect(error).toMatchObject({ code: 'transaction_rejected', status: 422, field: 'call.args[1]', reason: 'Paused' })
    expect(error).toMatchObject({ detail: 'because transaction_rejected', problem: { transactionId: ID } })
    expect(String(error)).toBe(
      'DroverError: transaction_rejected (422 POST /v1/transactions): because transaction_rejected',
    )
  })

  test.each<[string, () => Response]>([
    ['a page with status 200', () => new Response('<html>')],
    ['a list where an object belongs', () => json([])],
    ['a page with status 404', () => new Response('<html>', { status: 404 })],
    ['a redirect', () => new Response('', { status: 302, headers: { location: 'https://elsewhere.test' } })],
  ])('by something that is not Drover: %s', async (_, reply) => {
    const { drover, requests } = setUp(reply)
    expect(await settle(drover.send(INTENT))).toMatchObject({ code: 'unexpected_answer', status: reply().status })
    // Followed, a redirect would turn the POST into a GET and its answer into a transaction.
    expect(requests.map(({ redirect }) => redirect)).toEqual(['manual'])
  })
})

describe('aborting', () => {
  test('before: nothing is sent', async () => {
    const { drover, requests } = setUp(() => json(transaction()))
    await expect(drover.send(INTENT, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
    expect(requests).toHaveLength(0)
  })

  test.each<[string, Script]>([
    ['while it is under way', () => 'hang'],
    ['in the pause between two tries', () => NETWORK_DOWN],
  ])('%s: ends with the reason of the signal', async (_, script) => {
    const { drover, requests } = setUp(script)
    const controller = new AbortController()
    const refused = expect(drover.send(INTENT, { signal: controller.signal })).rejects.toBe('enough')
    await vi.advanceTimersByTimeAsync(10)
    controller.abort('enough')
    await refused
    await vi.runAllTimersAsync()
    expect(requests).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test("a timeout does not abort the caller's signal", async () => {
    const { drover } = setUp(() => 'hang', { timeoutMs: 50, retry: false })
    const { signal } = new AbortController()
    expect(await settle(drover.send(INTENT, { signal }))).toMatchObject({ code: 'timeout', transient: true })
    expect(signal.aborted).toBe(false)
  })
})

describe('what is sent', () => {
  test('amounts in any exact form, times in any form, under the id of the caller', async () => {
    const { drover, requests } = setUp(() => json(transaction()))
    await drover.send({
      from: ADDRESS,
      to: ADDRESS,
      value: 2n ** 200n,
      gasLimit: 21_000,
      requestId: 'order 17',
      fees: { maxFeePerGas: '0x10', maxPriorityFeePerGas: 1n },
      call: { function: 'f(uint256,uint8[])', args: [10n ** 30n, [1n]] },
      validUntil: new Date(Date.UTC(2030, 0, 31)),
      notBefore: { time: new Date(Date.UTC(2030, 0, 30)) },
    })
    expect(requests[0]?.body).toEqual({
      from: ADDRESS,
      to: ADDRESS,
      value: (2n ** 200n).toString(),
      gasLimit: 21_000,
      requestId: 'order 17',
      fees: { maxFeePerGas: '0x10', maxPriorityFeePerGas: '1' },
      call: { function: 'f(uint256,uint8[])', args: ['1000000000000000000000000000000', ['1']] },
      validUntil: '2030-01-31T00:00:00.000Z',
      notBefore: { time: '2030-01-30T00:00:00.000Z' },
    })
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  test.each([1.5, 1e21, Number.NaN])('but not %d, which JSON cannot represent', async (value) => {
    const { drover, requests } = setUp(() => json(transaction()))
    await expect(drover.send({ ...INTENT, value })).rejects.toMatchObject({ code: 'invalid_argument', field: 'value' })
    expect(requests).toHaveLength(0)
  })

  test('every intent has its own id', async () => {
    const { drover, requests } = setUp(() => json(transaction()))
    await drover.send(INTENT)
    await drover.send(INTENT)
    expect(requests[0]?.body.requestId).not.toBe(requests[1]?.body.requestId)
  })

  test('an id also in browsers without randomUUID', async () => {
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(0xab) })
    const { drover, requests } = setUp(() => json(transaction()))
    await drover.send(INTENT)
    vi.unstubAllGlobals()
    expect(requests[0]?.body.requestId).toBe('ab'.repeat(16))
  })

  test.each(['', ' ', '..'])('a path part that would leave its route is refused: %j', async (id) => {
    const { drover, requests } = setUp(() => json(transaction()))
    await expect(drover.transactions.get(id)).rejects.toMatchObject({ code: 'invalid_argument', field: 'id' })
    expect(requests).toHaveLength(0)
  })

  test('parts of a path are escaped, and a path in front of /v1 is kept', async () => {
    const { drover, requests } = setUp(() => json(transaction()), { url: 'https://host.test/drover/' })
    await drover.transactions.get('a/b?c')
    expect(requests[0]?.url.href).toBe('https://host.test/drover/v1/transactions/a%2Fb%3Fc')
    expect(requests[0]?.headers.has('content-type')).toBe(false)
  })
})

describe('secrets', () => {
  const SECRET = 'drv_secret'

  test('the key is only in the header', async () => {
    const { drover, requests, notices } = setUp(inTurn(NETWORK_DOWN, problem(401, 'unauthorized')), { apiKey: SECRET })
    const error = await settle(drover.send(INTENT))
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`)
    expect(JSON.stringify([error, String(error), notices])).not.toContain(SECRET)
  })

  test.each<[string, Partial<DroverOptions>]>([
    ['apiKey', { apiKey: `${SECRET}\n` }],
    ['apiKey', { apiKey: '' }],
    ['url', { url: `https://user:${SECRET}@host.test` }],
    ['url', { url: `host.test/${SECRET}` }],
    ['url', { url: `ftp://host.test/${SECRET}` }],
    ['url', { url: `https://host.test/?key=${SECRET}` }],
  ])('a wrong %s is refused at once, without repeating it %#', (field, options) => {
    const create = () => createDrover({ url: 'http://drover.test', ...options })
    expect(create).toThrow(expect.objectContaining({ code: 'invalid_argument', field }))
    expect(create).not.toThrow(SECRET)
  })
})
