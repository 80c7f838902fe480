/** What a caller can do about each error, for the reference page. Complete by type, like the table of statuses. */
import type { AppErrorCode } from '../../../core/app-error.ts'

const LATER = 'Send it again after `Retry-After`, with the same key.'

export const ERROR_ADVICE: Readonly<Record<AppErrorCode, string>> = {
  invalid_request:
    'Correct the part that `field` names; `issues` has what is wrong, up to 20. The same request never succeeds.',
  not_found: 'Check the id, and that your key reaches its signer: what is out of reach is not there.',
  unauthorized: 'Send `Authorization: Bearer` with a key that is neither revoked nor expired.',
  forbidden: 'Use a key with the scope, and for the signer and chain, that `detail` names.',
  rate_limited: LATER,
  tenant_limit:
    '`bound` and `limit` say what of. Finish or close some of your own first; others are not affected. Then send it again after `Retry-After`.',
  overloaded: LATER,
  misdirected_request:
    'Call the service under localhost or 127.0.0.1 and not through a proxy, or create an API key to open it to others.',
  method_not_allowed: 'Use a method of the `Allow` header.',
  unknown_chain: 'Use a chain of `GET /v1/chains`.',
  unknown_signer: 'Use a signer of `GET /v1/signers`, or register it first.',
  signer_exists: 'Change it with `PATCH /v1/signers/{address}` instead.',
  idempotency_conflict: '`transactionId` names the earlier one. Use a new key for a new request.',
  transaction_rejected:
    '`reason` says why. Correct the call; or send it with `simulate: false` if it waits for another one.',
  action_forbidden:
    'Read the transaction or the signer again; `GET /v1/transactions/{id}/explain` lists what can be done.',
  not_lock_owner: 'Use the `lockOwner` that the reservation was made with.',
  reservation_expired: 'Send nothing with that nonce; reserve another one.',
  queue_full: LATER,
  too_many_waiting: 'Send it again after `Retry-After`, or without `wait`, and follow the events instead.',
  chain_unavailable: `${LATER} \`GET /readyz\` tells which chain does not answer.`,
  database_unavailable: `${LATER} The key makes sure that it is stored once.`,
  webhook_limit: 'Delete a webhook that is not needed any more, or raise the setting `maxWebhooks`.',
  too_many_streams: 'Open it again after `Retry-After`, with `Last-Event-ID`; share one stream among your readers.',
  payload_too_large: 'Send less at once.',
  headers_too_large: 'Shorten the URL or the headers.',
  request_timeout: 'Send the whole request at once.',
  unsupported_media_type: 'Send JSON with `Content-Type: application/json`.',
  internal: 'Report it, with the time; the log of the service has the details.',
}
