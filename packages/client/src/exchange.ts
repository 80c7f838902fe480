/** One HTTP exchange. What became of it is a value; only the caller's own abort is thrown. */
import { startDeadline } from './deadline.ts'
import type { Problem } from './generated/api-types.ts'

export type Fetch = (input: string, init: RequestInit) => Promise<Response>

export type Outcome =
  | { readonly type: 'answered'; readonly status: number; readonly body: object }
  | {
      readonly type: 'refused'
      readonly status: number
      readonly problem: Problem | null
      readonly retryAfterMs: number | null
      readonly text: string
    }
  /** Success, by its status, but not in a form that Drover answers in. */
  | { readonly type: 'garbled'; readonly status: number; readonly text: string }
  /** No whole answer: it may have been carried out or not. */
  | { readonly type: 'lost'; readonly reason: 'network_error' | 'timeout'; readonly cause: unknown }

export interface Message {
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly signal: AbortSignal | undefined
}

export interface ExchangePorts {
  /** Without a slash at its end. */
  readonly url: string
  readonly apiKey: string | null
  readonly fetch: Fetch
  readonly timeoutMs: number
}

export type Exchange = (message: Message) => Promise<Outcome>

export function createExchange({ url, apiKey, fetch, timeoutMs }: ExchangePorts): Exchange {
  return async ({ method, path, body, signal }) => {
    signal?.throwIfAborted()
    const headers = {
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    }
    const deadline = startDeadline({ signal, timeoutMs, reason: () => new Error(`no answer in ${timeoutMs} ms`) })
    try {
      // A followed redirect can turn a POST into a GET, whose answer would be taken for that of the POST.
      const init = { method, headers, redirect: 'manual', signal: deadline.signal } as const
      const response = await fetch(url + path, body === null ? init : { ...init, body })
      return judge(response, await response.text())
    } catch (cause) {
      signal?.throwIfAborted()
      return { type: 'lost', reason: deadline.expired ? 'timeout' : 'network_error', cause }
    } finally {
      deadline.close()
    }
  }
}

function judge(response: Response, text: string): Outcome {
  const { status, ok, headers } = response
  const parsed = parseObject(text)
  if (ok) return parsed === null ? { type: 'garbled', status, text } : { type: 'answered', status, body: parsed }
  const problem = parsed !== null && isProblem(parsed) ? parsed : null
  const retryAfterMs = problem?.retryAfterMs ?? readRetryAfter(headers.get('retry-after'))
  return { type: 'refused', status, problem, retryAfterMs, text }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    // Not JSON: the caller is told so, with the text.
    return null
  }
}

function isProblem(value: object): value is Problem {
  return 'code' in value && typeof value.code === 'string' && 'detail' in value && typeof value.detail === 'string'
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
