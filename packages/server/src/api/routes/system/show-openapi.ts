/** `GET /openapi.json`: this API, described. */
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

/** The document describes this route too, so it is a function, called on the first request. */
export function createShowOpenApi(document: () => unknown): Route {
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
    () => ({ status: 200, body: document() }),
  )
}
