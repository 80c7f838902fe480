/** What a caller sees of an error: all of an AppError, nothing of a bug. */
import { APP_ERRORS, AppError } from '../../core/app-error.ts'
import { DATABASE_STEP } from '../../core/explain/next-steps.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { checksumText } from '../contract/values/address.ts'
import { type Problem, STATUS_OF } from '../contract/values/problem.ts'

const MEBIBYTE = 1024 * 1024
/** The limit of routes that do not set a higher one. */
export const MAX_BODY_BYTES = MEBIBYTE

const NOT_SERVED = 'The request is not valid.'
const MEDIA_TYPE_HINT = 'Send the body as JSON, with the header "Content-Type: application/json".'

export function presentProblem(error: AppError): Problem {
  const status = STATUS_OF[error.code]
  const type = `urn:drover:error:${error.code}`
  const detail = checksumText(error.message)
  return { ...error.details, type, title: APP_ERRORS[error.code], status, detail, code: error.code }
}

interface FailedRequest {
  readonly maxBodyBytes?: number | undefined
  /** It changes nothing, so there is no doubt about what it left behind. */
  readonly isRead?: boolean
}

const RETRY_READ = 'Send the request again.'
const RETRY_WRITE =
  'The request may or may not have been stored. Send it again, with the same request id if it has one.'

/** Anything thrown while a request was served, as an AppError. Anything not known to be harmless becomes `internal`. */
export function toAppError(
  error: unknown,
  { maxBodyBytes = MAX_BODY_BYTES, isRead = false }: FailedRequest = {},
): AppError {
  if (error instanceof AppError) return error
  if (error instanceof StoreUnavailable) {
    const message = `The database does not respond. ${isRead ? RETRY_READ : RETRY_WRITE} For operators: ${DATABASE_STEP}`
    return new AppError('database_unavailable', message, { retryAfterMs: 1_000 }, { cause: error })
  }
  if (error instanceof ChainUnavailable) {
    const message = 'No RPC node of the chain responds. Send the request again.'
    return new AppError('chain_unavailable', message, { retryAfterMs: 1_000 }, { cause: error })
  }
  return fromHttpError(error, maxBodyBytes) ?? new AppError('internal', APP_ERRORS.internal, {}, { cause: error })
}

/** Requests that the HTTP layer itself rejected. Its own messages are left out: they talk about the framework. */
function fromHttpError(cause: unknown, maxBodyBytes: number): AppError | null {
  const status = statusOf(cause)
  switch (status) {
    case 413:
      return new AppError('payload_too_large', `The body is larger than ${maxBodyBytes / MEBIBYTE} MiB.`, {}, { cause })
    case 415:
      return new AppError('unsupported_media_type', MEDIA_TYPE_HINT, {}, { cause })
    case 400:
      return new AppError('invalid_request', describeBadRequest(cause), {}, { cause })
    case 414:
      return new AppError('not_found', 'A part of the path is too long to be an id.', {}, { cause })
    default:
      return status !== null && status < 500 ? new AppError('invalid_request', NOT_SERVED, {}, { cause }) : null
  }
}

function statusOf(error: unknown): number | null {
  const isHttpError = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
  return isHttpError ? Number(error.statusCode) : null
}

function describeBadRequest(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return 'The body is empty. It must be a JSON object.'
    case 'FST_ERR_BAD_URL':
      return 'The URL is malformed.'
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return 'The length of the body does not match Content-Length.'
    default:
      return 'The body is not valid JSON.'
  }
}
