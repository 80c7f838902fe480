/** `GET /openapi.json`: this API, described. */
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

/** Built later, because the document describes this route too. */
export function createShowOpenApi(document: () => unknown): Route {
  let built: Buffer | null = null
  const build = (): Buffer => {
    built ??= Buffer.from(JSON.stringify(document()))
    return built
  }
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
      prepare: build,
    },
    () => ({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: build() }),
  )
}
