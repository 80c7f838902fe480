/**
 * Posts one delivery and returns the response. It follows no redirect, and reads no more of a response than it keeps.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { AttemptAnswer } from '../core/webhook/webhook.ts'
import { createGuardedLookup, findUrlProblem, type TargetPolicy, TargetRefused } from './webhook-target.ts'

export interface Posted extends AttemptAnswer {
  /** How long the receiver wants to be left alone. */
  readonly retryAfterMs: number | null
}

export interface Poster {
  /** Never throws: what goes wrong is the answer. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<Posted>
  close(): void
}

interface PosterOptions extends TargetPolicy {
  readonly timeoutMs: number
  now(): number
}

const KEPT_BYTES = 512
const IDLE_MS = 10_000

export function createPoster(options: PosterOptions): Poster {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  }
  const lookup = createGuardedLookup(options)

  function send(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
    return new Promise<Omit<Posted, 'durationMs'>>((resolve, reject) => {
      // Names are looked at by the look-up of the connection; an address has none.
      const problem = findUrlProblem(url, options)
      if (problem !== null) throw new TargetRefused(`the URL ${problem}`)
      const isPlain = url.protocol === 'http:'
      const request = (isPlain ? requestHttp : requestHttps)(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'drover', ...headers },
        agent: isPlain ? agents['http:'] : agents['https:'],
        lookup,
        signal,
      })
      request.on('error', reject)
      request.on('response', (response) => readAnswer(response, options.now).then(resolve, reject))
      request.end(body)
    })
  }

  return {
    async post(url, headers, body, signal) {
      const startedAt = performance.now()
      const timeout = AbortSignal.timeout(options.timeoutMs)
      const elapsed = () => Math.round(performance.now() - startedAt)
      try {
        const answer = await send(new URL(url), headers, body, AbortSignal.any([signal, timeout]))
        return { ...answer, durationMs: elapsed() }
      } catch (error) {
        const why = timeout.aborted ? `no answer within ${options.timeoutMs} ms` : describeFailure(error)
        return { status: null, error: why, response: null, retryAfterMs: null, durationMs: elapsed() }
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function readAnswer(response: IncomingMessage, now: () => number): Promise<Omit<Posted, 'durationMs'>> {
  const status = response.statusCode ?? 0
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop ends the connection: a receiver that sends more than is kept gets a new connection next time.
    if (size > KEPT_BYTES) break
  }
  const text = Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString()
  return {
    status,
    error: describeStatus(status),
    response: text === '' ? null : text,
    retryAfterMs: parseRetryAfter(response.headers['retry-after'], now()),
  }
}

function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

/** Seconds, or a date. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  // Anything else would be read leniently: `-1` as a year.
  const at = /^[a-z]{3}/i.test(header.trim()) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/** With several addresses tried there is one error that holds the others, and says nothing itself. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeFailure(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
