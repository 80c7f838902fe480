/**
 * One JSON-RPC call over HTTP: retried if that is safe. Ends with a result or a ProviderRpcError.
 *
 * Reads are always safe to retry. So is `eth_sendTransaction`, because it carries a key by which the service recognises
 * it. A lost response is requested again, and so is a hash that does not exist yet: if a signer has one transaction in
 * flight at a time, the service answers "still waiting" after a while, and the transaction continues.
 */
import { delay } from '../transport/delay.ts'
import type { DroverError } from '../transport/drover-error.ts'
import type { Exchange, Outcome } from '../transport/exchange.ts'
import { parseObject } from '../transport/parse-object.ts'
import { nextDelayMs, type RetryPolicy } from '../transport/retry.ts'
import { spellFailure } from '../transport/spell-failure.ts'
import { PROVIDER_CODES, ProviderRpcError } from './provider-rpc-error.ts'

export interface RpcCall {
  readonly method: string
  /** JSON, serialised once: a retry must send the same bytes. */
  readonly body: string
  readonly idempotencyKey: string | null
  readonly signal: AbortSignal | undefined
}

export interface RpcPorts {
  readonly exchange: Exchange
  /** `/rpc` or `/rpc/{chainId}`. */
  readonly path: string
  readonly retry: RetryPolicy
  /** How long a transaction may wait for its hash. */
  readonly maxHoldMs: number
}

export type CallRpc = (call: RpcCall) => Promise<unknown>

export const SEND_METHOD = 'eth_sendTransaction'
/** The service's answer that the transaction is stored and continues, but has no hash yet. */
export const STILL_WAITING = -32002

const READING =
  /^(?:eth_(?:accounts|requestAccounts|blobBaseFee|blockNumber|call|chainId|createAccessList|estimateGas|feeHistory|gasPrice|maxPriorityFeePerGas|simulateV1|syncing|get\w+)|net_\w+|web3_\w+)$/
/** Returns what is new since the last call: a lost response cannot be recovered, and a retry would hide that. */
const CONSUMING = 'eth_getFilterChanges'

export function createCallRpc({ exchange, path, retry, maxHoldMs }: RpcPorts): CallRpc {
  return async ({ method, body, idempotencyKey, signal }) => {
    const repeatable = idempotencyKey !== null || (READING.test(method) && method !== CONSUMING)
    const headers = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }
    const startedAt = performance.now()
    for (let tries = 1; ; tries++) {
      const outcome = await exchange({ method: 'POST', path, headers, body, signal })
      const reply = readReply(outcome)
      if (reply !== null && 'result' in reply) return reply.result
      const error = reply?.error ?? toProviderError(outcome, { operation: `POST ${path} ${method}`, tries })
      if (idempotencyKey !== null && error.code === STILL_WAITING && performance.now() - startedAt < maxHoldMs) {
        // Got a response: earlier failures no longer count.
        tries = 0
        await delay(retry.minDelayMs, signal)
        continue
      }
      const delayMs = nextDelayMs(asPassing(outcome, error), { tries, repeatable }, retry, Math.random())
      if (delayMs === null) throw error
      await delay(delayMs, signal)
    }
  }
}

type Reply = { readonly result: unknown } | { readonly error: ProviderRpcError }

/** Null: it is no answer of a JSON-RPC service. Some answer errors with a status of their own. */
function readReply(outcome: Outcome): Reply | null {
  if (outcome.type === 'lost' || outcome.type === 'garbled') return null
  const body = outcome.type === 'answered' ? outcome.body : parseObject(outcome.text)
  if (body === null || body === undefined) return null
  if ('error' in body && isErrorObject(body.error)) {
    const { code, message, data } = body.error
    return { error: new ProviderRpcError(code, message, { data }) }
  }
  return outcome.type === 'answered' && 'result' in body ? { result: body.result } : null
}

interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

function isErrorObject(value: unknown): value is ErrorObject {
  if (typeof value !== 'object' || value === null) return false
  return 'code' in value && typeof value.code === 'number' && 'message' in value && typeof value.message === 'string'
}

/** "Too many" means that nothing was done, however it is worded. */
function asPassing(outcome: Outcome, { code }: ProviderRpcError): Outcome {
  if (code !== PROVIDER_CODES.limitExceeded || outcome.type === 'refused') return outcome
  return { type: 'refused', status: 429, problem: null, retryAfterMs: null, text: '' }
}

function toProviderError(outcome: Outcome, call: { readonly operation: string; readonly tries: number }) {
  const failure = outcome.type === 'answered' ? { ...outcome, type: 'garbled' as const, text: '' } : outcome
  const cause = spellFailure(failure, call)
  return new ProviderRpcError(codeOf(failure), cause.message, { data: dataOf(cause), cause })
}

function codeOf(failure: Exclude<Outcome, { readonly type: 'answered' }>): number {
  // A proxy also says this while the service is down: it is unknown whether the request arrived.
  if (failure.type === 'lost') return PROVIDER_CODES.disconnected
  if (failure.type === 'garbled') return PROVIDER_CODES.internal
  if (failure.status === 401 || failure.status === 403) return PROVIDER_CODES.unauthorized
  if (failure.status === 429) return PROVIDER_CODES.limitExceeded
  return failure.status >= 500 ? PROVIDER_CODES.disconnected : PROVIDER_CODES.invalidRequest
}

function dataOf({ code, status, field }: DroverError): object {
  return { code, ...(status !== undefined && { status }), ...(field !== undefined && { field }) }
}
