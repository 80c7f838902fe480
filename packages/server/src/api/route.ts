/** One HTTP operation: how it is called, what it answers, and the code behind it. The server and OpenAPI both read it. */
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
  /** Aborted when the caller has gone before the answer was given. */
  disconnected(): AbortSignal
}

export interface RouteReply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What is answered where there is no error. A null schema is an open JSON object; one without a schema is text. */
type RouteAnswer = { readonly status: number; readonly description: string } & (
  | { readonly schema: z.ZodType | null }
  | { readonly contentType: 'text/plain' | 'text/html' }
  /** `events`: what their `data` may be. */
  | { readonly contentType: 'text/event-stream'; readonly events: readonly z.ZodType[] }
)

interface RouteDescription {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As in OpenAPI: `/v1/transactions/{id}`. */
  readonly path: string
  readonly summary: string
  /** What the caller's key must be good for; null: open to everybody, keys or not. */
  readonly scope: Scope | null
  /** Whether the audit tells of it; where it is not said, operator and admin calls are. */
  readonly audited?: boolean
  /** It answers from memory, and a key that this node knows will do while the database is away. */
  readonly duringOutage?: boolean
  /** Where it takes more than others do. */
  readonly maxBodyBytes?: number
  readonly answers: readonly RouteAnswer[]
  /** Errors of its own; those that any request can meet are not repeated here. */
  readonly errors: readonly AppErrorCode[]
}

export interface RouteInputs {
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  /** Only headers that the operation itself reads; others pass. */
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

/** To be spread into a route that reads nothing but its path; unknown query parameters are refused nonetheless. */
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
  return {
    ...description,
    params,
    query,
    headers,
    body,
    async answer(raw, services, caller) {
      const input = {
        params: parseInput<I['params']>(params, raw.params),
        query: parseInput<I['query']>(query, raw.query),
        headers: parseInput<I['headers']>(headers, raw.headers),
        body: parseInput<I['body']>(body, raw.body),
        disconnected: raw.disconnected,
      }
      return run(input, services, caller)
    },
  }
}
