/** Calls of the API: each one spelled, sent, sent again where that is safe, and answered by a value or a DroverError. */
import { delay } from './delay.ts'
import type { DroverError } from './drover-error.ts'
import type { Exchange } from './exchange.ts'
import { type Answer, isRepeatable, type Request, spellOperation } from './operation.ts'
import { nextDelayMs, type RetryPolicy } from './retry.ts'
import { serializeBody } from './serialize-body.ts'
import { spellFailure } from './spell-failure.ts'

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
    const requestId =
      typeof body === 'object' && 'requestId' in body && typeof body.requestId === 'string' ? body.requestId : undefined
    const repeatable = isRepeatable(name, body)
    for (let tries = 1; ; tries++) {
      const outcome = await exchange(message)
      if (outcome.type === 'answered') return outcome.body as Answer<typeof name>
      const error = spellFailure(outcome, { operation: name, tries, requestId })
      const delayMs = nextDelayMs(outcome, { tries, repeatable }, retry, Math.random())
      if (delayMs === null) throw error
      onRetry({ operation: name, error, tries, delayMs })
      await delay(delayMs, signal)
    }
  }
}
