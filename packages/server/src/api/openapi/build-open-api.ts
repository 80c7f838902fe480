/** The OpenAPI 3.1 document, made from the routes and their schemas: it cannot say what the code does not do. */
import { z } from 'zod'
import type { AppErrorCode } from '../../core/app-error.ts'
import { requestSchemas, resourceSchemas } from '../contract/api-schemas.ts'
import { problem, STATUS_OF } from '../contract/values/problem.ts'
import type { Route } from '../route.ts'

type Json = Readonly<Record<string, unknown>>

/** Errors that any request can get. */
const GENERAL_ERRORS: readonly AppErrorCode[] = [
  'invalid_request',
  'misdirected_request',
  'database_unavailable',
  'internal',
]
const ACCESS_ERRORS: readonly AppErrorCode[] = ['unauthorized', 'forbidden', 'rate_limited', 'queue_full']
const BODY_ERRORS: readonly AppErrorCode[] = ['payload_too_large', 'unsupported_media_type']

export function buildOpenApi(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeOperation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Drover',
      version: '1',
      description: 'Sends EVM transactions and follows them until they are final, exactly once.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      schemas: describeSchemas(),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `drv_…`.' } },
    },
  }
}

function describeOperation(route: Route): Json {
  const parameters = [
    ...describeParameters('path', route.params),
    ...describeParameters('query', route.query),
    ...describeParameters('header', route.headers),
  ]
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [groupOf(route)],
    // The second, empty one: no key is needed until one exists.
    security: route.scope === null ? [] : [{ apiKey: [route.scope] }, {}],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(route) && {
      requestBody: { required: true, content: { 'application/json': { schema: refer(route.body) } } },
    }),
    responses: { ...describeErrors(route), ...describeAnswers(route) },
  }
}

/** The first part of its path under `/v1`; anything outside `/v1` is about the service itself. */
function groupOf({ path }: Route): string {
  return /^\/v1\/([\w-]+)/.exec(path)?.[1] ?? 'service'
}

function hasBody(route: Route): boolean {
  return !(route.body instanceof z.ZodUndefined)
}

function describeParameters(place: 'path' | 'query' | 'header', object: z.ZodObject): Json[] {
  return Object.entries(object.shape).map(([name, field]) => {
    const { description, ...schema } = toSchema(field as z.ZodType)
    const required = place === 'path'
    return {
      name: place === 'header' ? capitalise(name) : name,
      in: place,
      required,
      ...(description !== undefined && { description }),
      schema,
    }
  })
}

function capitalise(header: string): string {
  return header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

function describeAnswers(route: Route): Json {
  return Object.fromEntries(
    route.answers.map((answer) => [
      answer.status,
      { description: answer.description, content: describeContent(answer) },
    ]),
  )
}

function describeContent(answer: Route['answers'][number]): Json {
  if ('events' in answer) {
    return { [answer.contentType]: { schema: { type: 'string', 'x-event-data': answer.events.map(refer) } } }
  }
  if ('contentType' in answer) return { [answer.contentType]: { schema: { type: 'string' } } }
  return { 'application/json': { schema: answer.schema === null ? { type: 'object' } : refer(answer.schema) } }
}

/** Every code that the operation can return. */
export function listErrors(route: Route): readonly AppErrorCode[] {
  const access = route.scope === null ? [] : ACCESS_ERRORS
  return [...new Set([...GENERAL_ERRORS, ...access, ...(hasBody(route) ? BODY_ERRORS : []), ...route.errors])]
}

/** One entry for each status; the description lists its codes. */
function describeErrors(route: Route): Json {
  const codes = listErrors(route)
  const describe = (status: number): Json => ({
    description: codes.filter((code) => STATUS_OF[code] === status).join(', '),
    content: { 'application/problem+json': { schema: refer(problem) } },
  })
  return Object.fromEntries(codes.map((code) => [STATUS_OF[code], describe(STATUS_OF[code])]))
}

function describeSchemas(): Json {
  const uri = (id: string) => `#/components/schemas/${id}`
  const requests = z.toJSONSchema(requestSchemas, { io: 'input', uri }).schemas
  const resources = z.toJSONSchema(resourceSchemas, { io: 'output', uri, override: allowMore }).schemas
  const named = Object.entries({ ...requests, ...resources }).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(named.map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]))
}

/** Responses may gain fields within an API version, so the schema must not say that there are no others. */
function allowMore({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

function toSchema(schema: z.ZodType): Json {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}

function refer(schema: z.ZodType): Json {
  const id = requestSchemas.get(schema)?.id ?? resourceSchemas.get(schema)?.id
  if (id === undefined) throw new Error('a schema of the API has no name')
  return { $ref: `#/components/schemas/${id}` }
}
