/** The one error that this client throws, beside the reason of an AbortSignal. Programs act on `code`. */
import type { Problem, Transaction } from '../generated/api-types.ts'

/** Codes that the service returns. */
export type ApiErrorCode = Problem['code']

/** Codes for failures on the client side. */
export type ClientErrorCode =
  /** No response; it is unknown whether the request was carried out. */
  | 'network_error'
  /** No response in time; it is unknown whether the request was carried out. */
  | 'timeout'
  /** Something else than Drover answered, or not what the contract says. */
  | 'unexpected_answer'
  /** The caller's mistake, found before anything was sent. */
  | 'invalid_argument'
  /** In a batch: it was not sent, because an earlier part failed. */
  | 'not_sent'
  /** What was posted to a webhook is not from the service, or too old. */
  | 'invalid_webhook'
  /** `wait` exceeded its time limit; the transaction continues. */
  | 'wait_timeout'
  | 'transaction_reverted'
  /** It cannot advance by itself, but is still watched: a late inclusion moves it on. */
  | 'transaction_stuck'
  | 'transaction_cancelled'
  | 'transaction_expired'

/** A newer service may know codes that this client does not. */
export type DroverErrorCode = ApiErrorCode | ClientErrorCode | (string & Record<never, never>)

export interface DroverErrorDetails {
  readonly code: DroverErrorCode
  readonly detail: string
  readonly status?: number | undefined
  readonly field?: string | undefined
  readonly reason?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly transient?: boolean | undefined
  readonly operation?: string | undefined
  readonly tries?: number | undefined
  readonly requestId?: string | undefined
  readonly problem?: Problem | undefined
  readonly transaction?: Transaction | undefined
  readonly cause?: unknown
}

export class DroverError extends Error {
  readonly code: DroverErrorCode
  /** HTTP status; undefined where there was no answer. */
  readonly status: number | undefined
  /** What is wrong and what to do about it; for people. */
  readonly detail: string
  /** Path of the part of the request at fault, such as `call.args[1]`. */
  readonly field: string | undefined
  /** Decoded revert reason, or the node's own words. */
  readonly reason: string | undefined
  /** How long the service asks you to wait. */
  readonly retryAfterMs: number | undefined
  /** The same call may succeed later: no answer, or one that says so. */
  readonly transient: boolean
  /** Method and path. */
  readonly operation: string | undefined
  /** How often it was sent. */
  readonly tries: number | undefined
  /** Of a `send`: the same intent under this id is the same transaction, whatever happened to this call. */
  readonly requestId: string | undefined
  /** The whole problem document of the service. */
  readonly problem: Problem | undefined
  /** Of a `wait`: the transaction as it was last seen. */
  readonly transaction: Transaction | undefined

  constructor(details: DroverErrorDetails) {
    const { code, detail, status, operation, cause } = details
    const where = [status, operation].filter((part) => part !== undefined).join(' ')
    super(`${code}${where === '' ? '' : ` (${where})`}: ${detail}`, cause === undefined ? undefined : { cause })
    this.name = 'DroverError'
    this.code = code
    this.detail = detail
    this.status = status
    this.field = details.field
    this.reason = details.reason
    this.retryAfterMs = details.retryAfterMs
    this.transient = details.transient ?? false
    this.operation = operation
    this.tries = details.tries
    this.requestId = details.requestId
    this.problem = details.problem
    this.transaction = details.transaction
  }
}
