/** An exchange that brought no answer, or not the one that was asked for, as the error that the caller gets. */

import type { Problem } from '../generated/api-types.ts'
import { DroverError } from './drover-error.ts'
import type { Outcome } from './exchange.ts'
import { isTransient } from './retry.ts'

export type Failure = Exclude<Outcome, { readonly type: 'answered' }>

export interface FailedCall {
  readonly operation: string
  readonly tries: number
  readonly requestId?: string | undefined
}

export function spellFailure(outcome: Failure, call: FailedCall): DroverError {
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

export function detailsOf(problem: Problem) {
  const { code, detail, field, reason } = problem
  return { code, detail, field, reason, problem }
}

/** Node says only "fetch failed" and keeps what happened in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
