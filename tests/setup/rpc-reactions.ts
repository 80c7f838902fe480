/** How `startRpcProxy` can react to a JSON-RPC call. */

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
  readonly id: unknown
}

export type Reaction =
  | { readonly type: 'pass' }
  /** Not forwarded. */
  | { readonly type: 'answer'; readonly result: unknown }
  /** Not forwarded. */
  | { readonly type: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  /** Forwarded; the node's result is changed on its way back. */
  | { readonly type: 'change'; readonly change: (result: unknown, call: RpcCall) => unknown }
  /** Left out of a batch's answer; a single call gets an empty one. */
  | { readonly type: 'omit'; readonly forward: boolean }
  /** The connection breaks without a reply. */
  | { readonly type: 'drop'; readonly forward: boolean }
  | {
      readonly type: 'http'
      readonly forward: boolean
      readonly status: number
      readonly body: string
      readonly headers: Readonly<Record<string, string>>
    }

export const pass: Reaction = { type: 'pass' }
export const nullResult: Reaction = { type: 'answer', result: null }
export const answer = (result: unknown): Reaction => ({ type: 'answer', result })
export const rpcError = (code: number, message: string, data?: unknown): Reaction => ({
  type: 'error',
  code,
  message,
  ...(data === undefined ? {} : { data }),
})
export const change = (alter: (result: unknown, call: RpcCall) => unknown): Reaction => ({
  type: 'change',
  change: alter,
})
export const drop = (options: { readonly forward: boolean }): Reaction => ({ type: 'drop', ...options })
export const omit = (options: { readonly forward: boolean }): Reaction => ({ type: 'omit', ...options })
export const garbage = (options: { readonly forward: boolean; readonly body?: string }): Reaction => ({
  type: 'http',
  status: 200,
  body: options.body ?? '<html>upstream{"jsonrpc":',
  headers: { 'content-type': 'text/html' },
  forward: options.forward,
})
export const httpStatus = (
  status: number,
  options: { readonly forward?: boolean; readonly headers?: Readonly<Record<string, string>> } = {},
): Reaction => ({
  type: 'http',
  status,
  body: `status ${status}`,
  headers: options.headers ?? {},
  forward: options.forward ?? false,
})
