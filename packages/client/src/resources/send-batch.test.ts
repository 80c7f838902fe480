import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDrover } from '../create-drover.ts'
import {
  ADDRESS,
  json,
  NETWORK_DOWN,
  problem,
  type Reply,
  type SeenRequest,
  stubService,
  transaction,
} from '../testing/stub-service.ts'
import { DroverError } from '../transport/drover-error.ts'
import type { BatchResult } from './send-batch.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

interface SentItem {
  readonly requestId: string
  readonly value: string
}

/** Accepts what it is sent, once for each id; `fault` may answer a whole request, `refuse` an item, in its place. */
function setUp(
  faults: {
    readonly fault?: (asked: number) => Reply | null
    readonly refuse?: (item: SentItem, asked: number) => Record<string, unknown> | null
  } = {},
) {
  const stored = new Map<string, SentItem>()
  const accept = (item: SentItem, asked: number) => {
    const refusal = faults.refuse?.(item, asked) ?? null
    if (refusal !== null) return { status: refusal.status, problem: { detail: 'because', ...refusal } }
    const status = stored.has(item.requestId) ? 200 : 202
    stored.set(item.requestId, item)
    return { status, transaction: transaction({ id: `tx ${item.value}`, requestId: item.requestId }) }
  }
  const service = stubService(({ body }: SeenRequest, asked) => {
    const results = body.transactions.map((item: SentItem) => accept(item, asked))
    return faults.fault?.(asked) ?? json({ results })
  })
  const drover = createDrover({ url: 'http://drover.test', fetch: service.fetch })
  return { drover, stored, requests: service.requests }
}

const intents = (count: number) => Array.from({ length: count }, (_, value) => ({ from: ADDRESS, to: ADDRESS, value }))

async function settle<T>(promise: Promise<T>): Promise<T> {
  const [value] = await Promise.all([promise, vi.runAllTimersAsync()])
  return value
}

const idsOf = (results: readonly BatchResult[]) =>
  results.map((result) => (result.type === 'accepted' ? result.transaction.id : result.error.code))

describe('a batch', () => {
  test('goes in parts of a thousand, and its results are in order', async () => {
    const { drover, requests, stored } = setUp()
    const progress: number[] = []
    const results = await drover.sendBatch(intents(2_500), { onProgress: (settled) => progress.push(settled) })
    expect(requests.map(({ body }) => body.transactions.length)).toEqual([1_000, 1_000, 500])
    expect(idsOf(results)).toEqual(intents(2_500).map(({ value }) => `tx ${value}`))
    expect(progress).toEqual([1_000, 2_000, 2_500])
    expect(new Set(results.map(({ requestId }) => requestId))).toEqual(new Set(stored.keys()))
    expect(stored.size).toBe(2_500)
  })

  test('goes in smaller parts if the intents are large', async () => {
    const { drover, requests } = setUp()
    const data = `0x${'ab'.repeat(100_000)}`
    await drover.sendBatch(intents(100).map((intent) => ({ ...intent, data })))
    expect(requests.length).toBeGreaterThan(1)
    for (const { text } of requests) expect((text ?? '').length).toBeLessThan(8 * 1024 * 1024)
    expect(requests.flatMap(({ body }) => body.transactions)).toHaveLength(100)
  })

  test('that is empty sends nothing', async () => {
    const { drover, requests } = setUp()
    expect(await drover.sendBatch([])).toEqual([])
    expect(requests).toEqual([])
  })

  test('whose answer was lost is sent again unchanged, and is carried out once', async () => {
    const { drover, requests, stored } = setUp({ fault: (asked) => (asked <= 2 ? NETWORK_DOWN : null) })
    const results = await settle(drover.sendBatch(intents(3)))
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1)
    expect(requests).toHaveLength(3)
    expect(stored.size).toBe(3)
    expect(results).toMatchObject([{ type: 'accepted', repeated: true }, {}, {}])
  })

  test('keeps the ids of the caller', async () => {
    const { drover, stored } = setUp()
    await drover.sendBatch([
      { from: ADDRESS, requestId: 'row 1' },
      { from: ADDRESS, requestId: 'row 2' },
    ])
    expect([...stored.keys()]).toEqual(['row 1', 'row 2'])
  })
})

describe('one that is refused', () => {
  test('has its error, and the others continue', async () => {
    const refuse = ({ value }: SentItem) =>
      `${value}` === '1' ? { status: 422, code: 'transaction_rejected', reason: 'Paused' } : null
    const { drover, requests } = setUp({ refuse })
    const results = await settle(drover.sendBatch(intents(3)))
    expect(idsOf(results)).toEqual(['tx 0', 'transaction_rejected', 'tx 2'])
    expect(results[1]).toMatchObject({
      error: { status: 422, reason: 'Paused', transient: false, requestId: results[1]?.requestId },
    })
    expect(requests).toHaveLength(1)
  })

  test('because the queue is full is sent again alone', async () => {
    const refuse = ({ value }: SentItem, asked: number) =>
      Number(value) >= 2 && asked < 3 ? { status: 429, code: 'queue_full', retryAfterMs: 500 } : null
    const { drover, requests, stored } = setUp({ refuse })
    const results = await settle(drover.sendBatch(intents(4)))
    expect(requests.map(({ body }) => body.transactions.length)).toEqual([4, 2, 2])
    expect(idsOf(results)).toEqual(['tx 0', 'tx 1', 'tx 2', 'tx 3'])
    expect(stored.size).toBe(4)
  })

  test('because the queue stays full is left to the caller', async () => {
    const { drover, requests } = setUp({ refuse: () => ({ status: 429, code: 'queue_full' }) })
    const results = await settle(drover.sendBatch(intents(1)))
    expect(results).toMatchObject([{ type: 'failed', error: { code: 'queue_full', transient: true } }])
    expect(requests).toHaveLength(8)
  })
})

describe('a part that fails as a whole', () => {
  test('keeps the results before it, and says what may be stored and what was not sent', async () => {
    const { drover } = setUp({ fault: (asked) => (asked >= 2 ? NETWORK_DOWN : null) })
    const results = await settle(drover.sendBatch(intents(2_500)))
    expect(results[999]?.type).toBe('accepted')
    expect(results[1_000]).toMatchObject({ type: 'failed', error: { code: 'network_error', transient: true } })
    expect(results[2_000]).toMatchObject({ type: 'failed', error: { code: 'not_sent', transient: true } })
    expect(results).toHaveLength(2_500)
  })

  test('and is not retried if it cannot succeed', async () => {
    const { drover, requests } = setUp({ fault: () => problem(401, 'unauthorized') })
    expect(idsOf(await settle(drover.sendBatch(intents(2))))).toEqual(['unauthorized', 'unauthorized'])
    expect(requests).toHaveLength(1)
  })

  test('because of an answer with too few results is reported as such', async () => {
    const { drover } = setUp({ fault: () => json({ results: [] }) })
    expect(idsOf(await settle(drover.sendBatch(intents(1))))).toEqual(['unexpected_answer'])
  })
})

test("a caller's mistake is found before anything is sent", async () => {
  const { drover, requests } = setUp()
  const wrong = { from: ADDRESS, value: 1.5 }
  const refused = drover.sendBatch([...intents(1_500), wrong])
  await expect(refused).rejects.toMatchObject({ code: 'invalid_argument', field: 'transactions[1500].value' })
  await expect(refused).rejects.toBeInstanceOf(DroverError)
  expect(requests).toEqual([])
})

test('ends with the reason of the signal', async () => {
  const controller = new AbortController()
  const fault = () => {
    controller.abort('enough')
    return NETWORK_DOWN
  }
  const { drover } = setUp({ fault })
  await expect(drover.sendBatch(intents(1), { signal: controller.signal })).rejects.toBe('enough')
})
