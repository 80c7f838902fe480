/** The calls of the HTTP API by method and path, with the types that the contract gives to their parts. */
import { DroverError } from './drover-error.ts'
import type { Operations } from './generated/api-types.ts'

export type OperationName = keyof Operations
export type Answer<N extends OperationName> = Operations[N]['answer']
type Part = 'params' | 'query' | 'body'
type Given<N extends OperationName, P extends Part> = Operations[N][P] extends undefined
  ? { readonly [K in P]?: undefined }
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
  // Never without a request id, under which the service knows it again.
  'POST /v1/transactions',
  'PATCH /v1/signers/{address}',
  'POST /v1/signers/{address}/pause',
  'POST /v1/signers/{address}/resume',
])

export function isRepeatable(name: OperationName): boolean {
  return name.startsWith('GET ') || REPEATABLE.has(name)
}

/** Method, path and query of a call. */
export function spellOperation(
  name: OperationName,
  params: Readonly<Record<string, string | number>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): { readonly method: string; readonly path: string } {
  const [method = '', template = ''] = name.split(' ')
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => spellPart(key, params[key]))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  const text = search.toString()
  return { method, path: text === '' ? path : `${path}?${text}` }
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
