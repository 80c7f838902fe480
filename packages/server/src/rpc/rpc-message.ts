/** JSON-RPC 2.0 on the wire: reads calls, singly and in batches, and writes their answers. */
import { hasTooManyFields, MAX_FIELDS } from '../core/field-limit.ts'
import { RpcFailure } from './rpc-failure.ts'

export type RpcId = string | number | null

export interface RpcCall {
  /** Undefined: a notification, which gets no answer. */
  readonly id: RpcId | undefined
  readonly method: string
  readonly params: readonly unknown[]
}

/** One entry of what was sent, in its place. */
export type RpcEntry =
  | { readonly type: 'call'; readonly call: RpcCall }
  | { readonly type: 'invalid'; readonly id: RpcId; readonly failure: RpcFailure }

export interface RpcMessage {
  readonly isBatch: boolean
  readonly entries: readonly RpcEntry[]
}

const MAX_BATCH = 1_000
/** What is nested deeper cannot be written again without running out of stack; no method needs this much. */
const MAX_DEPTH = 64
const MAX_METHOD_LENGTH = 100

/** Throws RpcFailure if there is nothing to answer call by call. */
export function parseMessage(text: string): RpcMessage {
  const parsed = parseJson(text)
  if (!Array.isArray(parsed)) return { isBatch: false, entries: [parseEntry(parsed)] }
  if (parsed.length === 0) throw new RpcFailure('invalid_request', 'the batch is empty')
  if (parsed.length > MAX_BATCH) return { isBatch: true, entries: [refuseBatch(parsed)] }
  return { isBatch: true, entries: parsed.map(parseEntry) }
}

/** In an array, since that is what a client that sent one reads; under the id of the first call, as nodes do it. */
function refuseBatch(calls: readonly unknown[]): RpcEntry {
  const message = `batch too large: it has ${calls.length} calls, but the limit is ${MAX_BATCH}`
  const first = calls.find((call) => isRecord(call) && call.id !== undefined && isId(call.id))
  return invalid(isRecord(first) && isId(first.id) ? first.id : null, message)
}

function parseJson(text: string): unknown {
  if (hasTooManyFields(text)) throw new RpcFailure('invalid_request', `the message has more than ${MAX_FIELDS} fields`)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new RpcFailure('parse_error', 'the message is not valid JSON')
    throw error
  }
}

function parseEntry(entry: unknown): RpcEntry {
  if (!isRecord(entry)) return invalid(null, 'a call must be an object')
  const { jsonrpc, id, method } = entry
  // Some clients write null for none, and nodes take it.
  const params = entry.params ?? []
  if (!isId(id) && id !== undefined) return invalid(null, 'id must be a string, an exact number, or null')
  const known = id ?? null
  if (jsonrpc !== '2.0') return invalid(known, 'jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '' || method.length > MAX_METHOD_LENGTH) {
    return invalid(known, `method must be a string of 1 to ${MAX_METHOD_LENGTH} characters`)
  }
  if (!Array.isArray(params)) return invalid(known, 'params must be an array', 'invalid_params')
  if (isDeeper(params, MAX_DEPTH)) {
    return invalid(known, `params are nested more than ${MAX_DEPTH} levels deep`, 'invalid_params')
  }
  return { type: 'call', call: { id, method, params } }
}

function invalid(id: RpcId, message: string, code: 'invalid_request' | 'invalid_params' = 'invalid_request'): RpcEntry {
  return { type: 'invalid', id, failure: new RpcFailure(code, message) }
}

/** A number that cannot be repeated exactly would come back as another one. */
function isId(id: unknown): id is RpcId {
  if (typeof id === 'number') return Number.isFinite(id) && (Number.isSafeInteger(id) || !Number.isInteger(id))
  return id === null || typeof id === 'string'
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function writeResult(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null })
}

export function writeFailure(id: RpcId, { error }: RpcFailure): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

/** One failure for all calls of a message: clients look for their ids, and take anything else for no answer. */
export function writeRefusal({ isBatch, entries }: RpcMessage, refusal: RpcFailure): string | null {
  const written = entries.flatMap((entry) => {
    if (entry.type === 'invalid') return [writeFailure(entry.id, entry.failure)]
    return entry.call.id === undefined ? [] : [writeFailure(entry.call.id, refusal)]
  })
  return joinAnswers(written, isBatch)
}

/** Null: notifications alone get no answer. */
export function joinAnswers(written: readonly string[], isBatch: boolean): string | null {
  if (written.length === 0) return null
  return isBatch ? `[${written.join(',')}]` : (written[0] ?? null)
}
