/** Rows handed to a server that is overloaded, goes away, and refuses. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDrover } from '@drover/client'
import { afterEach, expect, test } from 'vitest'
import { type Refusal, sendRows } from './send-rows.ts'
import type { BatchRow } from './survey-batch.ts'

interface Item {
  readonly requestId: string
}

let server: Server
afterEach(() => {
  server.close()
  server.closeAllConnections()
})

type Reply = (items: readonly Item[], turn: number) => { readonly status: number; readonly body: unknown } | 'hang up'

/** Answers batches, and knows how many it had at one time and how often each row came. */
async function startService(reply: Reply) {
  const offered = new Map<string, number>()
  let [turn, current, most] = [0, 0, 0]
  server = createServer(async (request, response) => {
    most = Math.max(most, ++current)
    let text = ''
    for await (const piece of request) text += piece
    const { transactions } = JSON.parse(text) as { transactions: readonly Item[] }
    for (const { requestId } of transactions) offered.set(requestId, (offered.get(requestId) ?? 0) + 1)
    const answer = reply(transactions, ++turn)
    current--
    if (answer === 'hang up') return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, offered, most: () => most, turns: () => turn }
}

const accept = ({ requestId }: Item) => ({ status: 202, transaction: { id: `tx-${requestId}` } })
const problem = (status: number, code: string) => ({ status, problem: { code, detail: `${code}.`, retryAfterMs: 5 } })

async function* rowsOf(count: number): AsyncGenerator<BatchRow, void> {
  for (let row = 1; row <= count; row++) {
    yield { row, line: row + 1, digest: '', body: { from: '0x01', to: '0x02', requestId: `r${row}` } }
  }
}

async function send(url: string, count: number, limits = {}, stop = new AbortController()) {
  const accepted: string[] = []
  const refused: [number, Refusal][] = []
  const ports = {
    drover: createDrover({ url, retry: false }),
    stop: stop.signal,
    async onAccepted(some: readonly { readonly row: BatchRow; readonly transaction: { readonly id: string } }[]) {
      for (const { transaction } of some) accepted.push(transaction.id)
      if (accepted.length >= 30 && limits === STOPS) stop.abort()
    },
    onRefused: (row: BatchRow, refusal: Refusal) => void refused.push([row.row, refusal]),
    onPause: () => undefined,
  }
  await sendRows(rowsOf(count), ports, { chunkSize: 10, concurrency: 3, maxOutageMs: 60_000, ...limits })
  return { accepted, refused }
}
const STOPS = { concurrency: 1 }

test('never more parallel requests than allowed, and every row is sent once', async () => {
  const service = await startService((items) => ({ status: 200, body: { results: items.map(accept) } }))
  const { accepted } = await send(service.url, 95)
  expect(new Set(accepted).size).toBe(95)
  expect(service.turns()).toBe(10)
  expect(service.most()).toBeLessThanOrEqual(3)
})

test('only rows that were not accepted are sent again; a refusal is reported for its row only', async () => {
  const service = await startService((items, turn) => ({
    status: 200,
    body: {
      results: items.map((item, index) => {
        if (item.requestId === 'r7') return problem(422, 'transaction_rejected')
        return turn === 1 && index >= 4 ? problem(429, 'queue_full') : accept(item)
      }),
    },
  }))
  const { accepted, refused } = await send(service.url, 10)
  expect(accepted).toHaveLength(9)
  expect(refused).toEqual([[7, { code: 'transaction_rejected', message: 'transaction_rejected.' }]])
  expect(service.offered.get('r1')).toBe(1)
  expect(service.offered.get('r10')).toBe(2)
})

test('lost answers and outages are retried with the same request ids', async () => {
  const service = await startService((items, turn) => {
    if (turn % 2 === 1)
      return turn % 3 === 0 ? { status: 503, body: problem(503, 'database_unavailable').problem } : 'hang up'
    return { status: 200, body: { results: items.map(accept) } }
  })
  const { accepted } = await send(service.url, 20, { concurrency: 1 })
  expect(accepted).toHaveLength(20)
})

test('a long outage ends the run, and so does an error that cannot pass', async () => {
  const away = await startService(() => 'hang up')
  await expect(send(away.url, 10, { maxOutageMs: 0 })).rejects.toThrow('network_error')
  server.close()
  const closed = await startService(() => ({ status: 403, body: { code: 'forbidden', detail: 'No.' } }))
  await expect(send(closed.url, 100)).rejects.toThrow('forbidden')
  expect(closed.turns()).toBeLessThanOrEqual(3)
})

test('when stopped, it finishes running requests and starts no more', async () => {
  const service = await startService((items) => ({ status: 200, body: { results: items.map(accept) } }))
  const { accepted } = await send(service.url, 1_000, STOPS)
  expect(accepted).toHaveLength(30)
  expect(service.turns()).toBe(3)
})

test('a Retry-After of years causes no immediate retry, and no wait longer than an outage', async () => {
  const body = { code: 'database_unavailable', detail: 'Away.', retryAfterMs: 99_999_999_000 }
  const service = await startService(() => ({ status: 503, body }))
  await expect(send(service.url, 10, { maxOutageMs: 300 })).rejects.toThrow('database_unavailable')
  expect(service.turns()).toBe(2)
})
