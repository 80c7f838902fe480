/** Calls of the API: each one spelled, sent, sent again where that is safe, and answered by a value or a DroverError. */
import { delay } from './delay.ts'
import { DroverError } from './drover-error.ts'
import type { Exchange, Outcome } from './exchange.ts'
import type { Problem } from './generated/api-types.ts'
import { type Answer, isRepeatable, type OperationName, type Request, spellOperation } from './operation.ts'
import { isTransient, nextDelayMs, type RetryPolicy } from './retry.ts'
import { serializeBody } from './serialize-body.ts'

/** Something failed and will be tried again. */
export interface RetryNotice {
  readonly operation: string
  readonly error: DroverError
  /** How often it failed so far. */
  readonly tries: number
  readonly delayMs: number
}

export interface TransportPorts {
  readonly exchange: Exchange
  readonly retry: RetryPolicy
  onRetry(notice: RetryNotice): void
}

export function createTransport({ exchange, retry, onRetry }: TransportPorts): Request {
  return async (name, { params, query, body }, { signal } = {}) => {
    // Before the first try: what is sent again must be the same to the last byte.
    const message = {
      ...spellOperation(name, { ...params }, { ...query }),
      body: body === undefined ? null : serializeBody(body),
      signal,
    }
    const requestId = typeof body === 'object' && 'requestId' in body ? body.requestId : undefined
    const repeatable = isRepeatable(name)
    for (let tries = 1; ; tries++) {
      const outcome = await exchange(message)
      if (outcome.type === 'answered') return outcome.body as Answer<typeof name>
      const error = toError(outcome, { operation: name, tries, requestId })
      const delayMs = nextDelayMs(outcome, { tries, repeatable }, retry, Math.random())
      if (delayMs === null) throw error
      onRetry({ operation: name, error, tries, delayMs })
      await delay(delayMs, signal)
    }
  }
}

interface Call {
  readonly operation: OperationName
  readonly tries: number
  readonly requestId: string | undefined
}

function toError(outcome: Exclude<Outcome, { readonly type: 'answered' }>, call: Call): DroverError {
  const transient = isTransient(outcome)
  if (outcome.type === 'lost') {
    const detail = `No answer came${outcome.reason === 'timeout' ? ' in time' : `: ${describe(outcome.cause)}`}.`
    return new DroverError({ ...call, transient, code: outcome.reason, detail, cause: outcome.cause })
  }
  const { status, text } = outcome
  if (outcome.type === 'refused' && outcome.problem !== null) {
    const retryAfterMs = outcome.retryAfterMs ?? undefined
    return new DroverError({ ...call, transient, status, retryAfterMs, ...detailsOf(outcome.problem) })
  }
  const retryAfterMs = outcome.type === 'refused' ? (outcome.retryAfterMs ?? undefined) : undefined
  const detail = `This is not an answer of Drover; is the url right? It begins: ${JSON.stringify(text.slice(0, 200))}`
  return new DroverError({ ...call, transient, status, retryAfterMs, code: 'unexpected_answer', detail })
}

function detailsOf(problem: Problem) {
  const { code, detail, field, reason } = problem
  return { code, detail, field, reason, problem }
}

/** Node says only "fetch failed" and keeps what happened in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
