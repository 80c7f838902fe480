/**
 * The caller, as a process of its own: sends intents over HTTP, as fast as they are taken or at a given pace, and prints
 * what it saw as one line of JSON. It says `ready`, then reads its order, one line of JSON too, from standard input.
 */
import { createInterface } from 'node:readline'
import { type HttpLine, openLine } from './http-line.ts'

export interface DriverOrder {
  readonly url: string
  readonly token: string
  readonly from: readonly string[]
  readonly intents: number
  readonly simulate: boolean
  readonly perSecond: number | null
  /** Intents per request. */
  readonly batch: number
  /** How many connections send, each its next request when the last one is answered. */
  readonly callers: number
  /** Warm-up, sent before anything is measured; recognized by its metadata. */
  readonly isWarmUp: boolean
}

export interface DriverReport {
  readonly refused: Readonly<Record<string, number>>
  readonly startedAt: number
  readonly endedAt: number
  /** Milliseconds, sorted. */
  readonly latencies: readonly number[]
  /** While it sent; without its start. */
  readonly cpuMicroseconds: number
}

const RETRY_MS = 200
/** A queue that stays full this long is a finding, and is counted as refused. */
const GIVE_UP_MS = 60_000

async function drive(order: DriverOrder): Promise<DriverReport> {
  const { intents, perSecond, batch, callers } = order
  const latencies: number[] = []
  const refused: Record<string, number> = {}
  const startedAt = Date.now()
  const begun = performance.now()
  const cpuBefore = process.cpuUsage()
  let next = 0

  async function call(line: HttpLine): Promise<void> {
    for (let first = next; first < intents; first = next) {
      next += batch
      const dueMs = perSecond === null ? 0 : (first / perSecond) * 1_000 - (performance.now() - begun)
      if (dueMs > 1) await new Promise((resolve) => setTimeout(resolve, dueMs))
      const sentAt = performance.now()
      // A full queue is tried again, as clients do. What was stored of a batch is recognized by its request ids.
      let status = await post(line, order, first)
      while (status === 429 && performance.now() - sentAt < GIVE_UP_MS) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        status = await post(line, order, first)
      }
      if (status >= 300) refused[status] = (refused[status] ?? 0) + 1
      latencies.push(performance.now() - sentAt)
    }
    line.close()
  }

  const lines = Array.from({ length: Math.min(callers, Math.ceil(intents / batch)) }, () => openLine(order))
  await Promise.all(lines.map(call))
  const { user, system } = process.cpuUsage(cpuBefore)
  const report = { refused, startedAt, endedAt: Date.now(), cpuMicroseconds: user + system }
  return { ...report, latencies: latencies.sort((a, b) => a - b) }
}

async function post(line: HttpLine, order: DriverOrder, first: number): Promise<number> {
  const { batch, intents } = order
  if (batch === 1) return await line.post('/v1/transactions', intentAt(order, first))
  const rows = Array.from({ length: Math.min(batch, intents - first) }, (_, index) => intentAt(order, first + index))
  return await line.post('/v1/transactions/batch', `{"transactions":[${rows.join(',')}]}`)
}

function intentAt({ from, simulate, isWarmUp }: DriverOrder, index: number): string {
  const signer = from[index % from.length]
  // The warm-up has a request id too: what is measured must not be the first of its kind.
  const last = isWarmUp ? `"requestId":"warm-${index}","metadata":{"warm":"up"}` : `"requestId":"bench-${index}"`
  return `{"from":"${signer}","to":"${signer}","value":"1","simulate":${simulate},${last}}`
}

const lines = createInterface({ input: process.stdin })
process.stdout.write('ready\n')
lines.once('line', (line) => {
  void drive(JSON.parse(line) as DriverOrder).then((report) => {
    process.stdout.write(`${JSON.stringify(report)}\n`)
    lines.close()
  })
})
