/** Errors as RFC 9457 problem documents. */
import { z } from 'zod'
import { APP_ERRORS, type AppErrorCode } from '../../../core/app-error.ts'
import { resourceSchemas } from '../api-schemas.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

const CODES = Object.keys(APP_ERRORS) as [AppErrorCode, ...AppErrorCode[]]

export const problem = z
  .object({
    type: z.string().meta({ description: '`urn:drover:error:` followed by the code.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong and what to do about it.' }),
    code: z.enum(CODES).meta({ description: 'Stable, so programs can rely on it.' }),
    field: z.string().optional().meta({ description: 'Path of the field that is wrong.' }),
    reason: z.string().optional().meta({ description: "Decoded revert reason, or the node's own words." }),
    retryAfterMs: z.int().optional(),
    issues: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'At most 20 per response.' }),
    more: z.int().optional().meta({ description: 'Number of issues that are not listed.' }),
  })
  .catchall(z.unknown())
export type Problem = z.infer<typeof problem>
resourceSchemas.add(problem, { id: 'Problem' })

/** Complete by type: a new code does not compile until it has a status. */
export const STATUS_OF: Readonly<Record<AppErrorCode, number>> = {
  invalid_request: 400,
  not_found: 404,
  unauthorized: 401,
  forbidden: 403,
  rate_limited: 429,
  tenant_limit: 429,
  overloaded: 503,
  misdirected_request: 421,
  method_not_allowed: 405,
  unknown_chain: 400,
  unknown_signer: 400,
  signer_exists: 409,
  signer_busy: 409,
  no_master_key: 409,
  idempotency_conflict: 409,
  transaction_rejected: 422,
  refused_by_rule: 403,
  action_forbidden: 409,
  not_lock_owner: 403,
  reservation_expired: 409,
  queue_full: 429,
  too_many_waiting: 503,
  chain_unavailable: 503,
  database_unavailable: 503,
  webhook_limit: 409,
  timer_limit: 409,
  timers_unavailable: 503,
  too_many_streams: 503,
  payload_too_large: 413,
  headers_too_large: 431,
  request_timeout: 408,
  unsupported_media_type: 415,
  internal: 500,
}
