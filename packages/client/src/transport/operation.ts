/** The calls of the HTTP API by method and path, with the types that the contract gives to their parts. */

import type { Operations } from '../generated/api-types.ts'
import { DroverError } from './drover-error.ts'

export type OperationName = keyof Operations
export type Answer<N extends OperationName> = Operations[N]['answer']
type Part = 'params' | 'query' | 'body'
type Given<N extends OperationName, P extends Part> = Operations[N][P] extends undefined
  ? { readonly [K in P]?: undefined }
  : Record<never, never> extends Operations[N][P]
    ? { readonly [K in P]?: Operations[N][P] | undefined }
    : { readonly [K in P]: Operations[N][P] }
export type OperationInput<N extends OperationName> = Given<N, 'params'> & Given<N, 'query'> & Given<N, 'body'>

export interface CallOptions {
  /** Ends the call, and whatever it waits for, with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export type Request = <N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  options?: CallOptions,
) => Promise<Answer<N>>

/** Beside reading: doing these twice is as good as once, so they may be sent again when an answer was lost. */
const REPEATABLE: ReadonlySet<OperationName> = new Set<OperationName>([
  'POST /v1/nonces/{id}/use',
  'POST /v1/nonces/{id}/extend',
  'POST /v1/nonces/{id}/release',
  'PATCH /v1/signers/{address}',
  'PATCH /v1/timers/{id}',
  'DELETE /v1/api-keys/{id}',
  'POST /v1/signers/{address}/pause',
  'POST /v1/signers/{address}/resume',
  'POST /v1/signers/{address}/nonces/release',
  'POST /v1/signers/{address}/nonces/fill',
])

const RESERVE = 'POST /v1/signers/{address}/nonces'

/** These too, but only with a request id, under which the service knows them again. */
const REPEATABLE_BY_ID: ReadonlySet<OperationName> = new Set<OperationName>([
  'POST /v1/transactions',
  'POST /v1/transactions/batch',
  'POST /v1/timers',
  RESERVE,
])

export function isRepeatable(name: OperationName, body: unknown): boolean {
  // Without the proof of its own, a repeated reservation would be answered without any.
  if (name === RESERVE && !hasField(body, 'lockOwner')) return false
  if (REPEATABLE_BY_ID.has(name)) return hasRequestId(body)
  return name.startsWith('GET ') || REPEATABLE.has(name)
}

function hasRequestId(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  if ('transactions' in body && Array.isArray(body.transactions)) return body.transactions.every(hasRequestId)
  return hasField(body, 'requestId')
}

function hasField(body: unknown, name: string): boolean {
  return typeof body === 'object' && body !== null && name in body
}

/** Method, path and query of a call. */
export function spellOperation(
  name: OperationName,
  params: Readonly<Record<string, string | number>> = {},
  query: Query = {},
): { readonly method: string; readonly path: string } {
  const [method = '', template = ''] = name.split(' ')
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => spellPart(key, params[key]))
  return { method, path: spellPath(path, query) }
}

type Query = Readonly<Record<string, string | number | undefined>>

export function spellPath(path: string, query: Query): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Nothing, or dots, would name another path and be answered with something else than was asked for. */
function spellPart(key: string, value: string | number | undefined): string {
  const text = String(value ?? '').trim()
  if (text === '' || text === '.' || text === '..') {
    throw new DroverError({
      code: 'invalid_argument',
      detail: `${key} must not be ${JSON.stringify(text)}.`,
      field: key,
    })
  }
  return encodeURIComponent(text)
}
