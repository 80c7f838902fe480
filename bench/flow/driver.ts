/**
 * The caller, as a process of its own: sends intents over HTTP, as fast as they are taken or at a given pace, and prints
 * what it saw as one line of JSON. It reads its order, one line of JSON too, from standard input.
 */
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'

export interface DriverOrder {
  readonly url: string
  readonly token: string
  readonly from: readonly string[]
  readonly intents: number
  readonly simulate: boolean
  readonly perSecond: number | null
}

export interface DriverReport {
  readonly accepted: number
  readonly refused: Readonly<Record<string, number>>
  readonly startedAt: number
  readonly endedAt: number
  /** Milliseconds, sorted. */
  readonly latencies: readonly number[]
}

const CALLERS = 64
const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })

function post({ url, token }: DriverOrder, body: string): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${token}`,
    }
    const sent = request({ hostname, port, agent, method: 'POST', path: '/v1/transactions', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function drive(order: DriverOrder): Promise<DriverReport> {
  const { from, intents, perSecond } = order
  const latencies: number[] = []
  const refused: Record<string, number> = {}
  const startedAt = Date.now()
  const begun = performance.now()
  let next = 0

  async function call(): Promise<void> {
    for (let index = next++; index < intents; index = next++) {
      const dueMs = perSecond === null ? 0 : (index / perSecond) * 1_000 - (performance.now() - begun)
      if (dueMs > 1) await new Promise((resolve) => setTimeout(resolve, dueMs))
      const signer = from[index % from.length]
      const sentAt = performance.now()
      const status = await post(
        order,
        JSON.stringify({ from: signer, to: signer, value: '1', simulate: order.simulate, requestId: `bench-${index}` }),
      )
      latencies.push(performance.now() - sentAt)
      if (status !== 202) refused[status] = (refused[status] ?? 0) + 1
    }
  }

  await Promise.all(Array.from({ length: CALLERS }, call))
  const accepted = latencies.length - Object.values(refused).reduce((sum, count) => sum + count, 0)
  return { accepted, refused, startedAt, endedAt: Date.now(), latencies: latencies.sort((a, b) => a - b) }
}

const lines = createInterface({ input: process.stdin })
lines.once('line', (line) => {
  void drive(JSON.parse(line) as DriverOrder).then((report) => {
    process.stdout.write(`${JSON.stringify(report)}\n`)
    agent.destroy()
    lines.close()
  })
})
