/** An EIP-1193 provider for the service's JSON-RPC endpoint. It is to ethers, viem and web3 what a wallet is. */
import { type ConnectionOptions, createConnection } from '../transport/connection.ts'
import { createRequestId } from '../transport/create-request-id.ts'
import { createExchange } from '../transport/exchange.ts'
import { DEFAULT_RETRY, NO_RETRY, type RetryPolicy } from '../transport/retry.ts'
import { createCallRpc, SEND_METHOD, STILL_WAITING } from './call-rpc.ts'
import { createProviderEvents, type ProviderEvents } from './provider-events.ts'
import { PROVIDER_CODES, ProviderRpcError } from './provider-rpc-error.ts'

export interface ProviderOptions extends ConnectionOptions {
  /** Optional if the service follows one chain. */
  readonly chainId?: number
  /** For one try of one request. 60 seconds if left out: the service holds a sending call until the hash is known. */
  readonly timeoutMs?: number
  /** How long `eth_sendTransaction` may wait for its hash in all, behind others of its signer. Five minutes if left out. */
  readonly maxHoldMs?: number
  /** False: every request is sent once. */
  readonly retry?: Partial<RetryPolicy> | false
}

export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Of `eth_sendTransaction`: the same key and transaction again give the same hash. Made up if left out. */
  readonly idempotencyKey?: string | undefined
}

export interface Provider extends Pick<ProviderEvents, 'on' | 'removeListener'> {
  /** Fails with ProviderRpcError, or with the reason of the signal. */
  request(args: RequestArguments, options?: RequestOptions): Promise<unknown>
}

export function createProvider(options: ProviderOptions): Provider {
  const { timeoutMs = 60_000, maxHoldMs = 5 * 60_000, retry = {} } = options
  const exchange = createExchange({ connect: createConnection(options), timeoutMs })
  const policy = retry === false ? NO_RETRY : { ...DEFAULT_RETRY, ...retry }
  const path = options.chainId === undefined ? '/rpc' : `/rpc/${checkChainId(options.chainId)}`
  const callRpc = createCallRpc({ exchange, path, retry: policy, maxHoldMs })
  const events = createProviderEvents()
  const link = createLink(events, options.chainId)
  const openKeys = createOpenKeys()
  let lastId = 0

  async function request(args: RequestArguments, { signal, idempotencyKey }: RequestOptions = {}): Promise<unknown> {
    const { method, params = [] } = args
    const body = serializeCall(++lastId, method, params)
    const key = method === SEND_METHOD ? checkKey(idempotencyKey ?? openKeys.take(params)) : null
    try {
      const result = await callRpc({ method, body, idempotencyKey: key, signal })
      link.answered(method, result)
      return result
    } catch (error) {
      if (key !== null && !isSettled(error)) openKeys.keep(params, key)
      if (error instanceof ProviderRpcError) link.failed(error)
      throw error
    }
  }

  return { request, on: events.on, removeListener: events.removeListener }
}

/**
 * Libraries retry a failed request on their own, with the very same parameters. Until there is a response, such a retry
 * uses the key of the first request, so two tries never make two transactions. Equal parameters in another object are
 * another request: a caller that pays twice means it.
 */
function createOpenKeys() {
  const keys = new WeakMap<object, string>()
  return {
    take(params: object): string {
      const key = keys.get(params) ?? createRequestId()
      keys.delete(params)
      return key
    },
    keep: (params: object, key: string) => void keys.set(params, key),
  }
}

/** The outcome is known: it was stored and has ended. Anything else may still be in progress. */
function isSettled(error: unknown): boolean {
  if (!(error instanceof ProviderRpcError) || error.code === STILL_WAITING) return false
  return typeof error.data === 'object' && error.data !== null && 'transactionId' in error.data
}

/** Reports the first response, and the first call in a row without one. */
function createLink(events: ProviderEvents, chainId: number | undefined) {
  let known = chainId === undefined ? null : `0x${chainId.toString(16)}`
  let state: 'new' | 'connected' | 'disconnected' = 'new'
  function connect(): void {
    if (state === 'connected' || known === null) return
    state = 'connected'
    events.emit('connect', { chainId: known })
  }
  return {
    answered(method: string, result: unknown): void {
      if (method === 'eth_chainId' && typeof result === 'string') known = result
      connect()
    },
    failed(error: ProviderRpcError): void {
      // Any error but this is an answer.
      if (error.code !== PROVIDER_CODES.disconnected) connect()
      else if (state !== 'disconnected') {
        state = 'disconnected'
        events.emit('disconnect', error)
      }
    },
  }
}

function serializeCall(id: number, method: string, params: readonly unknown[] | object): string {
  if (typeof method !== 'string' || method === '') {
    throw new ProviderRpcError(PROVIDER_CODES.invalidRequest, 'method must be the name of a JSON-RPC method.')
  }
  try {
    const quantity = (_: string, value: unknown) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value)
    return JSON.stringify({ jsonrpc: '2.0', id, method, params }, quantity)
  } catch (cause) {
    throw new ProviderRpcError(PROVIDER_CODES.invalidParams, 'params cannot be written as JSON.', { cause })
  }
}

function checkChainId(chainId: number): number {
  if (Number.isSafeInteger(chainId) && chainId > 0) return chainId
  throw new ProviderRpcError(PROVIDER_CODES.invalidParams, 'chainId must be a whole number above 0.')
}

/** Characters that a header cannot carry would look like a network failure. */
function checkKey(key: string): string {
  if (/^[\x20-\x7e]{1,190}$/.test(key) && key.trim() === key) return key
  const message = 'idempotencyKey must be 1 to 190 printable ASCII characters, without a blank at either end.'
  throw new ProviderRpcError(PROVIDER_CODES.invalidParams, message)
}
