/** The error that EIP-1193 requires: a code that wallets and libraries know, and the data of the node, if any. */

/** Codes that the provider itself gives; all others are those of the service or of the node behind it. */
export const PROVIDER_CODES = {
  /** The API key is missing, wrong, or not allowed to do this. */
  unauthorized: 4100,
  /** No response. It is unknown whether the request was carried out. */
  disconnected: 4900,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  /** Too many requests, or more than there is room for. */
  limitExceeded: -32005,
} as const

export class ProviderRpcError extends Error {
  readonly code: number
  readonly data: unknown
  /** The same as the message; viem looks for the node's words here. */
  readonly details: string

  constructor(code: number, message: string, { data, cause }: { data?: unknown; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ProviderRpcError'
    this.code = code
    this.data = data
    this.details = message
  }
}
