/** What a caller can do about each error, for the reference page. Complete by type, like the table of statuses. */
import type { AppErrorCode } from '../../../core/app-error.ts'

const LATER = 'Retry after `Retry-After`, with the same idempotency key.'

export const ERROR_ADVICE: Readonly<Record<AppErrorCode, string>> = {
  invalid_request: 'Fix the field that `field` names. `issues` lists up to 20 problems. Do not retry the same request.',
  not_found:
    'Check the id, and check that your API key has access to its signer: without access you get this error too.',
  unauthorized: 'Send `Authorization: Bearer drv_…` with a key that is neither revoked nor expired.',
  forbidden: 'Use a key that has the scope, signer and chain named in `detail`.',
  rate_limited: LATER,
  tenant_limit:
    '`bound` names the resource and `limit` your share of it. Wait until some of your own work is done, then retry after `Retry-After`. Other tenants are not affected.',
  overloaded: LATER,
  misdirected_request:
    'Call Drover as localhost or 127.0.0.1, without a proxy. To open it to others, create an API key.',
  method_not_allowed: 'Use a method from the `Allow` header.',
  unknown_chain: 'Use a chain that `GET /v1/chains` lists.',
  unknown_signer: 'Use a signer that `GET /v1/signers` lists, or register it first.',
  signer_exists: 'Change it with `PATCH /v1/signers/{address}` instead.',
  signer_busy:
    'Stop sending from it, wait until everything is final (`queued`, `inFlight` and `reserved` are 0), cancel its timers, then try again.',
  no_master_key: 'Set `masterKey` (DROVER_MASTER_KEY), or add the key to another key source.',
  idempotency_conflict: '`transactionId` or `timerId` names the earlier one. Use a new key for a new request.',
  transaction_deleted:
    '`transactionId` names the deleted transaction. Use a new key for a new request. How long transactions are kept: `transactionRetention`.',
  transaction_rejected:
    '`reason` says why. Fix the call. If it depends on a transaction that is not mined yet, send it with `simulate: false`.',
  refused_by_rule:
    '`rule` names the rule, and `limit`, `used` and `wanted` the amounts. Send less, wait until the window has room, or ask an administrator to change the rule: `drover rules show`.',
  action_forbidden:
    'Read the transaction or the signer again. `GET /v1/transactions/{id}/explain` lists the actions that are allowed.',
  not_lock_owner: 'Use the `lockOwner` that the reservation was made with.',
  reservation_expired: 'Send nothing with that nonce. Reserve another one.',
  queue_full: LATER,
  too_many_waiting: 'Retry after `Retry-After`, or send it without `wait` and follow the events instead.',
  chain_unavailable: `${LATER} \`GET /readyz\` names the chain that does not respond.`,
  database_unavailable:
    'Retry after `Retry-After`. A request that changes something may or may not have been stored: send it again with the same idempotency key, so that it is stored only once.',
  timer_limit:
    'Cancel timers that you no longer need, or raise the limit: `maxTimersPerTenant`, `maxTimersPerSigner`, `timerShare`, or the parameter of the chain that `bound` names.',
  timers_unavailable:
    'Check that the RPC nodes of the chain respond and agree. Then send the request again with the same `requestId`.',
  webhook_limit: 'Delete a webhook that you no longer need, or raise the setting `maxWebhooks`.',
  too_many_streams:
    'Open the stream again after `Retry-After`, with `Last-Event-ID`. Share one stream among your readers.',
  payload_too_large: 'Send a smaller request.',
  headers_too_large: 'Shorten the URL or the headers.',
  request_timeout: 'Send the whole request at once.',
  unsupported_media_type: 'Send JSON with `Content-Type: application/json`.',
  internal: 'Report it with the time of the request. The log of the node has the details.',
}
