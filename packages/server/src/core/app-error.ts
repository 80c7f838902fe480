/** An operation that could not be done: one table of codes, each with what it means. HTTP statuses are mapped in `api/`. */
export const APP_ERRORS = {
  invalid_request: 'The request is malformed; `field` names the part and what is allowed there.',
  not_found: 'There is nothing under this id.',
  unauthorized: 'An API key is needed, or the one given is not known, revoked or expired.',
  forbidden: 'The API key is not good for this: a scope is missing, or it is limited to other signers or chains.',
  rate_limited:
    'The API key makes more requests, or sends more items in them, than it may; try again after the time given.',
  tenant_limit:
    'Your tenant uses as much of something that is shared as one tenant may; `bound` names it. Try again after the time given.',
  overloaded: 'This node has as much to do as it can take; try again after the time given, or ask another node.',
  misdirected_request:
    'The Host header names another host, or a proxy passed the request on. As long as there are no API keys only this machine is served.',
  method_not_allowed: 'This path exists, but not with this method; the `Allow` header names those it has.',
  unknown_chain: 'This service does not follow that chain.',
  unknown_signer: 'No signer with this address is registered on that chain.',
  signer_exists: 'The signer is registered on that chain already.',
  idempotency_conflict: 'The same key was used before with another body.',
  transaction_rejected: 'The transaction would certainly fail; nothing was stored and no nonce was taken.',
  action_forbidden: 'The transaction is not in a state, or under a policy, that allows this action.',
  not_lock_owner: 'The reservation is held by somebody else: the proof given is not the one it was made with.',
  reservation_expired:
    'The lock on the nonce has run out; it may be somebody else’s by now, and nothing may be sent with it.',
  queue_full:
    'Too many requests are waiting to be stored, or too many transactions to be sent; try again after the time given.',
  too_many_waiting:
    'This node holds back as many answers as it can; nothing was stored. Try again after the time given, or without `wait`.',
  chain_unavailable: 'The chain node cannot be reached at the moment; nothing was stored.',
  database_unavailable:
    'The database cannot be reached at the moment; whether the request was stored is told by sending it again with the same key.',
  webhook_limit: 'There are as many webhooks as are allowed; delete one first.',
  too_many_streams:
    'This node serves as many event streams as it may; ask another node, or try again after the time given.',
  payload_too_large: 'The body is larger than allowed.',
  headers_too_large: 'The headers, or the URL, are larger than allowed.',
  request_timeout: 'The request did not arrive in time.',
  unsupported_media_type: 'The body must be JSON.',
  internal: 'Something is broken inside Drover; the log has the details.',
} as const

export type AppErrorCode = keyof typeof APP_ERRORS

export interface AppErrorDetails {
  /** JSON path of the offending field. */
  readonly field?: string
  readonly reason?: string
  readonly retryAfterMs?: number
  readonly [key: string]: unknown
}

export class AppError extends Error {
  readonly code: AppErrorCode
  readonly details: AppErrorDetails

  constructor(code: AppErrorCode, message: string, details: AppErrorDetails = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}
