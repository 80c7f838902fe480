import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDrover } from '../create-drover.ts'
import type { Transaction } from '../generated/api-types.ts'
import {
  confirmed,
  ID,
  inTurn,
  json,
  mined,
  NETWORK_DOWN,
  problem,
  type Reply,
  type Script,
  type SeenRequest,
  sent,
  stubService,
  transaction,
} from '../testing/stub-service.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

async function openHandle(script: Script) {
  const service = stubService((request, count) => (count === 1 ? json(transaction()) : script(request, count - 1)))
  const drover = createDrover({ url: 'http://drover.test', fetch: service.fetch, retry: false })
  const tx = await drover.transactions.get(ID)
  return { tx, requests: service.requests }
}

/** Shows one after the other, and the last for ever. */
function showing(...seen: readonly (Transaction | Error)[]): Script {
  return (_, count) => {
    const reply = seen[Math.min(count, seen.length) - 1]
    if (reply === undefined) throw new Error('there is nothing to show')
    return reply instanceof Error ? reply : json(reply)
  }
}

describe('waiting', () => {
  test('ends when the stage is reached, with what is certain there', async () => {
    const { tx, requests } = await openHandle(showing(transaction(), sent, mined('success'), confirmed))
    const waiting = tx.wait('mined')
    await vi.runAllTimersAsync()
    const { receipt, nonce } = await waiting
    // Types that need no check for null are the point of a stage.
    expect([receipt.status, nonce]).toEqual(['success', 0])
    expect(requests).toHaveLength(4)
    expect(tx.snapshot.state).toBe('TRACKING')
  })

  test('is held by the service until the stage is reached', async () => {
    const { tx, requests } = await openHandle(showing(confirmed))
    await tx.wait('confirmed')
    expect(requests[1]?.url.search).toBe('?wait=confirmed&timeoutMs=15000')
  })

  test('falls back to polling if the service holds too many requests', async () => {
    const full = ({ url }: SeenRequest) => (url.search === '' ? null : problem(503, 'too_many_waiting'))
    const seen = [sent, sent, confirmed]
    const { tx, requests } = await openHandle((request) => full(request) ?? json(seen.shift() ?? confirmed))
    const waiting = tx.wait('confirmed')
    await vi.runAllTimersAsync()
    expect(await waiting).toMatchObject({ state: 'CONFIRMED' })
    expect(requests.map(({ url }) => url.search === '')).toEqual([true, false, true, false, true, false, true])
  })

  test('for many leaves connections for other requests', async () => {
    const service = stubService((_, count) => (count === 1 ? json(transaction()) : 'hang'))
    const drover = createDrover({ url: 'http://drover.test', fetch: service.fetch, retry: false })
    const tx = await drover.transactions.get(ID)
    const controller = new AbortController()
    const waits = Array.from({ length: 10 }, () => tx.wait('mined', { signal: controller.signal }))
    const ended = Promise.allSettled(waits)
    await vi.advanceTimersByTimeAsync(100)
    expect(service.requests.filter(({ url }) => url.search !== '')).toHaveLength(4)
    controller.abort('enough')
    expect(await ended).toEqual(Array(10).fill({ status: 'rejected', reason: 'enough' }))
  })

  test('reads again before it reports a failure that may be over', async () => {
    const { tx } = await openHandle(showing({ ...sent, state: 'STUCK' }, confirmed))
    await tx.refresh()
    expect(tx.snapshot.state).toBe('STUCK')
    expect(await tx.wait('confirmed')).toMatchObject({ state: 'CONFIRMED' })
  })

  test('fails if the transaction is stuck, or keeps waiting if told to', async () => {
    const stuck: Transaction = { ...sent, state: 'STUCK', subState: 'no_inclusion' }
    const first = await openHandle(showing(stuck, confirmed))
    await expect(first.tx.wait('confirmed')).rejects.toMatchObject({ code: 'transaction_stuck', transaction: stuck })
    const second = await openHandle(showing(stuck, stuck, confirmed))
    const waiting = second.tx.wait('confirmed', { onStuck: 'wait' })
    await vi.runAllTimersAsync()
    expect(await waiting).toMatchObject({ state: 'CONFIRMED' })
  })

  test('polls less and less often', async () => {
    const times: number[] = []
    const { tx } = await openHandle(() => {
      times.push(performance.now())
      return json(sent)
    })
    const refused = expect(tx.wait('confirmed', { timeoutMs: 60_000 })).rejects.toMatchObject({ code: 'wait_timeout' })
    await vi.runAllTimersAsync()
    await refused
    const pauses = times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0)))
    expect(pauses.slice(0, 3)).toEqual([200, 280, 392])
    expect(Math.max(...pauses)).toBe(3_000)
    expect(times.length).toBeLessThan(30)
  })

  test.each<[string, Script]>([
    ['between two looks', () => json(sent)],
    ['while a look is under way', () => 'hang'],
    ['in an outage', () => NETWORK_DOWN],
  ])('is over when time is up %s, and the transaction goes on', async (_, script) => {
    const { tx } = await openHandle(script)
    const refused = expect(tx.wait('confirmed', { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'wait_timeout',
      transaction: { id: ID },
      detail: expect.stringContaining('1000 ms'),
    })
    await vi.advanceTimersByTimeAsync(1_000)
    await refused
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends when the caller aborts', async () => {
    const { tx } = await openHandle(() => json(sent))
    const controller = new AbortController()
    const refused = expect(tx.wait('confirmed', { signal: controller.signal })).rejects.toBe('enough')
    await vi.advanceTimersByTimeAsync(1_000)
    controller.abort('enough')
    await refused
    expect(vi.getTimerCount()).toBe(0)
  })

  test('survives an outage', async () => {
    const down = Array.from({ length: 10 }, () => NETWORK_DOWN)
    const { tx, requests } = await openHandle(showing(...down, confirmed))
    const waiting = tx.wait('confirmed')
    await vi.runAllTimersAsync()
    expect(await waiting).toMatchObject({ state: 'CONFIRMED' })
    expect(requests).toHaveLength(12)
  })

  test('does not survive an endless outage, nor an error that cannot pass', async () => {
    const down = await openHandle(() => NETWORK_DOWN)
    const refused = expect(down.tx.wait('mined', { maxOutageMs: 30_000 })).rejects.toMatchObject({
      code: 'network_error',
    })
    await vi.advanceTimersByTimeAsync(29_000)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(15_000)
    await refused
    const gone = await openHandle(() => problem(404, 'not_found'))
    await expect(gone.tx.wait('mined')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a timeout longer than timers can hold means no timeout', async () => {
    const { tx } = await openHandle(showing(sent, confirmed))
    const waiting = tx.wait('confirmed', { timeoutMs: Number.MAX_SAFE_INTEGER })
    await vi.runAllTimersAsync()
    expect(await waiting).toMatchObject({ state: 'CONFIRMED' })
  })
})

describe('the snapshot', () => {
  test('is not overwritten by a late answer', async () => {
    let answerFirst: (reply: Reply) => void = () => {}
    const late = new Promise<Reply>((resolve) => {
      answerFirst = resolve
    })
    const { tx } = await openHandle((_, count) => (count === 1 ? late : json(confirmed)))
    const first = tx.refresh()
    await tx.refresh()
    answerFirst(json(sent))
    expect(await first).toMatchObject({ state: 'TRACKING' })
    expect(tx.snapshot.state).toBe('CONFIRMED')
  })
})

test('every read and action uses its route', async () => {
  const script = inTurn(
    json({ summary: 'it waits' }),
    json({ items: ['h'], next: 7 }),
    json({ items: ['i'], next: null }),
    json({ items: ['a'] }),
    json({ count: 1 }),
    json({ fee: '1' }),
    ...['suspend', 'resume', 'retry', 'cancel'].map((subState) => json({ ...transaction(), subState })),
    json(confirmed),
  )
  const { tx, requests } = await openHandle(script)
  expect(await tx.explain()).toEqual({ summary: 'it waits' })
  expect(await tx.history()).toEqual(['h', 'i'])
  expect(await tx.attempts()).toEqual(['a'])
  expect(await tx.confirmations()).toEqual({ count: 1 })
  expect(await tx.receipt({ include: 'logs' })).toEqual({ fee: '1' })
  await tx.suspend('one')
  await tx.resume('two')
  await tx.retry('three')
  await tx.cancel('four')
  expect(tx.snapshot.subState).toBe('cancel')
  await tx.resolve({ reason: 'five', hash: '0xab' })
  expect(tx.snapshot).toEqual(confirmed)
  const base = `/v1/transactions/${ID}`
  expect(requests.slice(1).map(({ method, url, body }) => [method, url.pathname, body?.reason])).toEqual([
    ['GET', `${base}/explain`, undefined],
    ['GET', `${base}/history`, undefined],
    ['GET', `${base}/history`, undefined],
    ['GET', `${base}/attempts`, undefined],
    ['GET', `${base}/confirmations`, undefined],
    ['GET', `${base}/receipt`, undefined],
    ['POST', `${base}/suspend`, 'one'],
    ['POST', `${base}/resume`, 'two'],
    ['POST', `${base}/retry`, 'three'],
    ['POST', `${base}/cancel`, 'four'],
    ['POST', `${base}/resolve`, 'five'],
  ])
})

test('part of the history, in either order', async () => {
  const { tx, requests } = await openHandle(inTurn(json({ items: ['h'], next: 7 }), json({ items: ['i'], next: 6 })))
  expect(await tx.history({ order: 'desc', limit: 2 })).toEqual(['h', 'i'])
  expect(requests.slice(1).map(({ url }) => url.search)).toEqual(['?limit=2&order=desc', '?limit=1&order=desc&after=7'])
})
