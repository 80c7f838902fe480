/** An operation that failed: one table of codes, each with its meaning. HTTP statuses are mapped in `api/`. */
export const APP_ERRORS = {
  invalid_request: 'The request is not valid. `field` names the field, `detail` says what is wrong with it.',
  not_found: 'There is nothing with this id, or the path does not exist.',
  unauthorized: 'An API key is required, or the one given is unknown, revoked or expired.',
  forbidden: 'This API key is not allowed to do this: it lacks a scope, or it is limited to other signers or chains.',
  rate_limited: 'This API key has reached its rate limit. Retry after the time given.',
  tenant_limit:
    'Your tenant has used up its share of a shared resource, which `bound` names. Retry after the time given.',
  overloaded: 'This node is overloaded. Retry after the time given, or use another node.',
  misdirected_request:
    'The Host header names another host, or a proxy forwarded the request. Without API keys, Drover serves only this machine.',
  method_not_allowed: 'This path does not support this method. The `Allow` header lists the methods it supports.',
  unknown_chain: 'This service does not follow that chain.',
  unknown_signer: 'No signer with this address is registered on that chain.',
  signer_exists: 'The signer is already registered on that chain.',
  signer_busy: 'The signer has transactions that are not final, reserved nonces or timers. Nothing was changed.',
  no_master_key: 'This service has no master key, so it cannot store the key of a signer.',
  idempotency_conflict: 'The same idempotency key was used before with a different body.',
  transaction_deleted:
    'A request with this idempotency key was accepted before. Its transaction is finished and has been deleted. It is not sent again.',
  transaction_rejected: 'The transaction would fail. Nothing was stored and no nonce was used.',
  refused_by_rule:
    'A spending rule of the signer or of the API key refuses the transaction. `rule` names the rule, `limit`, `used` and `wanted` say by how much. Nothing was stored.',
  action_forbidden: 'The state of the transaction or the policy of the signer does not allow this action.',
  not_lock_owner: 'The reservation belongs to someone else: `lockOwner` is not the one it was made with.',
  reservation_expired:
    'The reservation has expired. The nonce may already belong to someone else, so send nothing with it.',
  queue_full:
    'The queue is full: too many requests wait to be stored, or too many transactions to be sent. Retry after the time given.',
  too_many_waiting:
    'Too many requests use `wait` on this node. Nothing was stored. Retry after the time given, or without `wait`.',
  chain_unavailable: 'No RPC node of the chain responds. Nothing was stored.',
  database_unavailable: 'The database does not respond.',
  webhook_limit: 'You have reached the webhook limit. Delete one first.',
  timer_limit:
    'A timer limit is reached: of your tenant, of the signer, of the contract, or of those who watch the same.',
  timers_unavailable:
    'No node runs the timers of this chain right now. The request is stored and will be answered: send it again with the same `requestId`, or look at the timer later.',
  too_many_streams:
    'This node has reached its limit of event streams. Use another node, or retry after the time given.',
  payload_too_large: 'The body is too large.',
  headers_too_large: 'The headers or the URL are too large.',
  request_timeout: 'The request did not arrive in time.',
  unsupported_media_type: 'The body must be JSON.',
  internal: 'Something went wrong inside Drover. The log has the details.',
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
