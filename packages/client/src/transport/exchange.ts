/** One HTTP exchange. The outcome is a value; only the caller's own abort is thrown. */

import type { Problem } from '../generated/api-types.ts'
import type { Connection } from './connection.ts'
import { startDeadline } from './deadline.ts'
import { parseObject } from './parse-object.ts'

export type Outcome =
  /** The body is undefined where the service had nothing to say (204). */
  | { readonly type: 'answered'; readonly status: number; readonly body: object | undefined }
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

export type Refusal = Extract<Outcome, { readonly type: 'refused' }>

export interface Message {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal | undefined
}

export interface ExchangePorts {
  readonly connect: Connection
  readonly timeoutMs: number
}

export type Exchange = (message: Message) => Promise<Outcome>

export function createExchange({ connect, timeoutMs }: ExchangePorts): Exchange {
  return async ({ method, path, headers: own, body, signal }) => {
    signal?.throwIfAborted()
    const headers = {
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...own,
    }
    const deadline = startDeadline({ signal, timeoutMs, reason: () => new Error(`no answer in ${timeoutMs} ms`) })
    try {
      const response = await connect(path, { method, headers, body, signal: deadline.signal })
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
  const { status, ok } = response
  if (!ok) return judgeRefusal(response, text)
  if (status === 204) return { type: 'answered', status, body: undefined }
  const parsed = parseObject(text)
  return parsed === null ? { type: 'garbled', status, text } : { type: 'answered', status, body: parsed }
}

export function judgeRefusal({ status, headers }: Response, text: string): Refusal {
  const parsed = parseObject(text)
  const problem = parsed !== null && isProblem(parsed) ? parsed : null
  const retryAfterMs = problem?.retryAfterMs ?? readRetryAfter(headers.get('retry-after'))
  return { type: 'refused', status, problem, retryAfterMs, text }
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
