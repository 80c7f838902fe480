/** `GET /openapi.json`: this API, described. */
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

/** Built on the first request, because the document describes this route too. */
export function createShowOpenApi(document: () => unknown): Route {
  let bytes: Buffer | null = null
  return defineRoute(
    NO_INPUT,
    {
      operationId: 'showOpenApi',
      method: 'GET',
      path: '/openapi.json',
      summary: 'API reference for programs',
      scope: null,
      answers: [{ status: 200, description: 'The OpenAPI 3.1 document.', schema: null }],
      errors: [],
    },
    () => {
      bytes ??= Buffer.from(JSON.stringify(document()))
      return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: bytes }
    },
  )
}
