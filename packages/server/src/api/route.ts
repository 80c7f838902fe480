/** One HTTP operation: its request, its responses, and the code behind it. The server and OpenAPI both read it. */
import { z } from 'zod'
import type { Caller, Scope } from '../core/access/caller.ts'
import type { AppErrorCode } from '../core/app-error.ts'
import type { ApiServices } from './api-services.ts'
import { parseInput } from './parse-input.ts'

export interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  /** By lower-case name. */
  readonly headers: unknown
  readonly body: unknown
  /** Aborted if the caller disconnects before the response. */
  disconnected(): AbortSignal
}

export interface RouteReply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** What the audit says besides the path; never a secret. */
  readonly auditNote?: string
}

/** The response if there is no error. A null schema is an open JSON object; no schema is text. */
type RouteAnswer = { readonly status: number; readonly description: string } & (
  | { readonly schema: z.ZodType | null }
  | { readonly contentType: 'text/plain' | 'text/html' }
  /** `events`: what their `data` may be. */
  | { readonly contentType: 'text/event-stream'; readonly events: readonly z.ZodType[] }
)

interface RouteDescription {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As in OpenAPI: `/v1/transactions/{id}`. */
  readonly path: string
  readonly summary: string
  /** The scope the caller's key needs. Null: public, with or without keys. */
  readonly scope: Scope | null
  /** Whether the call is audited. By default, operator and admin calls are. */
  readonly audited?: boolean
  /** It answers from memory, and a key that this node remembers is enough while the database is down. */
  readonly duringOutage?: boolean
  /** Set if it accepts more than other routes. */
  readonly maxBodyBytes?: number
  readonly answers: readonly RouteAnswer[]
  /** Called before the first request: it would hold up everybody then. */
  prepare?(): void
  /** Errors of its own; errors that any request can get are not repeated here. */
  readonly errors: readonly AppErrorCode[]
}

export interface RouteInputs {
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  /** Only headers that the operation itself reads; others are ignored. */
  readonly headers: z.ZodObject
  readonly body: z.ZodType
}

export interface Route extends RouteDescription, RouteInputs {
  answer(request: RawRequest, services: ApiServices, caller: Caller): Promise<RouteReply>
}

interface Parsed<I extends RouteInputs> {
  readonly params: z.output<I['params']>
  readonly query: z.output<I['query']>
  readonly headers: z.output<I['headers']>
  readonly body: z.output<I['body']>
  readonly disconnected: RawRequest['disconnected']
}

/** Spread this into a route that reads only its path. Unknown query parameters are still refused. */
export const NO_INPUT = {
  params: z.strictObject({}),
  query: z.strictObject({}),
  headers: z.object({}),
  body: z.undefined(),
}

/** Ties the code of a route to its schemas: it never sees a request that does not fit them. */
export function defineRoute<I extends RouteInputs>(
  inputs: I,
  description: RouteDescription,
  run: (input: Parsed<I>, services: ApiServices, caller: Caller) => Promise<RouteReply> | RouteReply,
): Route {
  const { params, query, headers, body } = inputs
  const parseParams = parseOrReuse<I['params']>(params)
  const parseQuery = parseOrReuse<I['query']>(query)
  return {
    ...description,
    params,
    query,
    headers,
    body,
    async answer(raw, services, caller) {
      const input = {
        params: parseParams(raw.params),
        query: parseQuery(raw.query),
        headers: parseInput<I['headers']>(headers, raw.headers),
        body: parseInput<I['body']>(body, body === NO_INPUT.body ? withoutEmpty(raw.body) : raw.body),
        disconnected: raw.disconnected,
      }
      return run(input, services, caller)
    },
  }
}

/** Most requests have an empty query, and many routes no parameters: what that means is found out once. */
function parseOrReuse<S extends z.ZodObject>(schema: S): (input: unknown) => z.output<S> {
  let empty: { readonly output: z.output<S> } | null = null
  return (input) => {
    if (!isEmpty(input)) return parseInput(schema, input)
    empty ??= { output: parseInput(schema, input) }
    return empty.output
  }
}

function isEmpty(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  for (const _ in input) return false
  return true
}

/** Many HTTP clients send `{}` where there is nothing to say. */
function withoutEmpty(body: unknown): unknown {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0 ? undefined : body
}
