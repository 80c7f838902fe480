/** A read of the chain, and how to interpret the answer of one node. */
import { BadAnswer, NotKnown } from '../rpc-values.ts'
import type { Endpoint } from './endpoint.ts'
import type { RpcReply, RpcRequest } from './read-reply.ts'
import { isMethodMissing, type RpcError } from './rpc-error.ts'

export interface Read<T> extends RpcRequest {
  /** Some nodes lack this method; such a node is not asked for it again for a while. */
  readonly optional?: true
  /** Throws BadAnswer if the answer cannot be true, NotKnown if this node cannot know. */
  decode(result: unknown): T
  /** The value that a node's error stands for, or null if the error says nothing about the chain. */
  decodeError?(error: RpcError): { readonly value: T } | null
}

export type ReadReply<T> =
  | { readonly type: 'value'; readonly value: T }
  /** No node has this method. */
  | { readonly type: 'unsupported'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly retryAfterMs: number | null; readonly limited?: true }

export function decodeReply<T>(endpoint: Endpoint, read: Read<T>, reply: RpcReply): ReadReply<T> {
  switch (reply.type) {
    case 'result':
      return decodeResult(endpoint, read, reply.result)
    case 'error': {
      const meant = read.decodeError?.(reply.error) ?? null
      if (meant !== null) return { type: 'value', value: meant.value }
      if (read.optional && isMethodMissing(reply.error)) {
        endpoint.noteLacking(read.method)
        return { type: 'unsupported', message: `${endpoint.name}: ${read.method} is not supported` }
      }
      return { type: 'failed', message: `${endpoint.name}: ${reply.error.message.slice(0, 300)}`, retryAfterMs: null }
    }
    case 'rate_limited': {
      const message = `${endpoint.name}: ${reply.message}`
      return { type: 'failed', message, retryAfterMs: endpoint.waitMs(), limited: true }
    }
    case 'lost':
    case 'unreached':
      return { type: 'failed', message: `${endpoint.name}: ${reply.message}`, retryAfterMs: null }
  }
}

function decodeResult<T>(endpoint: Endpoint, read: Read<T>, result: unknown): ReadReply<T> {
  try {
    return { type: 'value', value: read.decode(result) }
  } catch (error) {
    if (!(error instanceof BadAnswer) && !(error instanceof NotKnown)) throw error
    if (error instanceof BadAnswer) endpoint.noteGarbage(`${read.method}: ${error.message}`)
    return { type: 'failed', message: `${endpoint.name}: ${error.message}`, retryAfterMs: null }
  }
}
