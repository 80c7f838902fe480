/**
 * Errors as JSON-RPC clients know them: the codes of the specification, of EIP-1474 and EIP-1193, and geth's own words
 * where libraries match on them.
 *
 * A code also tells a client whether to send again by itself: viem does so on -32603, -32005 and -32007. So a call that
 * was accepted, or may have been, never gets one of those codes: the client would send it twice.
 */
import { AppError, type AppErrorCode } from '../core/app-error.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { StoreUnavailable } from '../ports/store.ts'

export const RPC_CODES = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  /** The node's catch-all: what was asked could not be done, for the reason that the message gives. */
  refused: -32000,
  /** Accepted and stored, but not signed within the time that the call may take; `data` names the transaction. */
  still_waiting: -32002,
  limit_exceeded: -32005,
  reverted: 3,
  unauthorized: 4100,
  unsupported_method: 4200,
} as const

export type RpcCodeName = keyof typeof RPC_CODES

export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  readonly error: RpcErrorObject

  constructor(code: RpcCodeName | number, message: string, data?: unknown, options?: { cause?: unknown }) {
    super(message, options)
    const number = typeof code === 'number' ? code : RPC_CODES[code]
    this.error = { code: number, message, ...(data !== undefined && data !== null && { data }) }
  }
}

const CODE_OF: Readonly<Partial<Record<AppErrorCode, RpcCodeName>>> = {
  unauthorized: 'unauthorized',
  invalid_request: 'invalid_params',
  unknown_chain: 'invalid_params',
  queue_full: 'limit_exceeded',
  too_many_waiting: 'limit_exceeded',
  tenant_limit: 'limit_exceeded',
  overloaded: 'limit_exceeded',
  rate_limited: 'limit_exceeded',
  internal: 'internal',
}
const NO_NODE = 'no RPC node of the chain responds'
const NO_DATABASE = 'the database does not respond'

/** Anything thrown while a call was answered. Anything not known to be harmless is `internal`, without details. */
export function toRpcFailure(error: unknown): RpcFailure {
  if (error instanceof RpcFailure) return error
  if (error instanceof AppError) return fromAppError(error)
  if (error instanceof StoreUnavailable) return new RpcFailure('internal', NO_DATABASE, undefined, { cause: error })
  if (error instanceof ChainUnavailable) return new RpcFailure('internal', NO_NODE, undefined, { cause: error })
  return new RpcFailure('internal', 'Something went wrong inside Drover. The log has the details.', undefined, {
    cause: error,
  })
}

/** For a call that may have been stored: nothing here makes a client retry on its own. */
export function toSendFailure(cause: unknown): RpcFailure {
  const failure = toRpcFailure(cause)
  if (failure.error.code !== RPC_CODES.internal) return failure
  const message = `${failure.message} The transaction may or may not have been stored. Look for it before you send it again.`
  return new RpcFailure('refused', message, undefined, { cause: failure.cause })
}

function fromAppError(error: AppError): RpcFailure {
  const { code, details } = error
  if (code === 'transaction_rejected') return fromRejection(error)
  if (code === 'unknown_signer') return new RpcFailure('refused', `unknown account: ${error.message}`)
  if (code === 'database_unavailable') return new RpcFailure('internal', NO_DATABASE, undefined, { cause: error })
  const { field, rule, limit, used, wanted } = details
  const figures = rule === undefined ? {} : { rule, limit, used, wanted }
  const data = { code, ...(field !== undefined && { field }), ...figures }
  return new RpcFailure(CODE_OF[code] ?? 'refused', error.message, data, { cause: error })
}

function fromRejection({ message, details }: AppError): RpcFailure {
  const reason = details.reason ?? ''
  switch (details.outcome) {
    case 'reverted':
      return new RpcFailure('reverted', spellRevert(reason), details.revertData)
    case 'insufficient_funds':
      return new RpcFailure('refused', spellShortage(reason))
    default:
      return new RpcFailure('refused', reason === '' ? message : reason)
  }
}

const SHORTAGE = 'insufficient funds for gas * price + value'

/** Libraries match these exact words. */
export function spellShortage(reason: string): string {
  return reason.toLowerCase().includes(SHORTAGE) ? reason : `${SHORTAGE}: ${reason}`
}

/** As geth says it. */
export function spellRevert(reason: string): string {
  return reason === '' || reason === 'reverted without a reason'
    ? 'execution reverted'
    : `execution reverted: ${reason}`
}
