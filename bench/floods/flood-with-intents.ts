/** Intents at a fixed pace, whatever the answers are: an open loop, as many callers that know nothing of each other. */
import { Agent, request } from 'node:http'
import type { FloodOrder, FloodTally } from './flood-report.ts'

/** Few large requests, so that the flood itself uses little of the machine. */
const LARGEST_BATCH = 100
const MAX_OPEN = 2_000
const TICK_MS = 20

interface Answer {
  readonly status: number
  readonly body: {
    readonly code?: string
    readonly results?: readonly {
      readonly status: number
      readonly transaction?: { readonly id: string }
      readonly problem?: { readonly code: string }
    }[]
  }
}

export function floodWithIntents(
  { url, token, signers, perSecond }: FloodOrder,
  tally: FloodTally,
): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_OPEN })
  const batch = Math.max(1, Math.min(LARGEST_BATCH, Math.floor(perSecond / 50)))
  const startedAt = performance.now()
  const open = new Set<Promise<void>>()
  let sent = 0

  async function send(): Promise<void> {
    const from = signers[((sent / batch) % signers.length) | 0]
    const intents = Array.from({ length: batch }, () => ({ from, to: from, value: '1', simulate: false }))
    const answer = await post({ url, token, agent }, JSON.stringify({ transactions: intents })).catch(() => null)
    if (answer === null) return tally.refuse('connection broken', batch)
    const { results } = answer.body
    if (results === undefined) return tally.refuse(`${answer.status} ${answer.body.code}`, batch)
    for (const { status, transaction, problem } of results) {
      if (transaction !== undefined) tally.accepted.push(transaction.id)
      else tally.refuse(`${status} ${problem?.code}`)
    }
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond
    for (; sent + batch <= due; sent += batch) {
      if (open.size >= MAX_OPEN) {
        tally.refuse(`not sent: ${MAX_OPEN} requests wait for an answer`, batch)
        continue
      }
      const sending = send().finally(() => open.delete(sending))
      open.add(sending)
    }
  }, TICK_MS)

  return async () => {
    clearInterval(timer)
    await Promise.all(open)
    tally.notes.push(`offered ${Math.round(perSecond)} intents a second`)
    agent.destroy()
  }
}

function post(
  { url, token, agent }: { readonly url: string; readonly token: string; readonly agent: Agent },
  body: string,
): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, agent, method: 'POST', path: '/v1/transactions/batch', headers },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
