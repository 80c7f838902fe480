/** `GET /docs`: this API, described for people. */
import { buildDocsPage, type DocsPage } from '../../openapi/build-docs-page.ts'
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

type BuiltPage = Pick<DocsPage, 'policy'> & { readonly bytes: Buffer }

/** Built later, because the document describes this route too. */
export function createShowDocs(document: () => Readonly<Record<string, unknown>>): Route {
  let built: BuiltPage | null = null
  const build = (): BuiltPage => {
    built ??= toBytes(buildDocsPage(document()))
    return built
  }
  return defineRoute(
    NO_INPUT,
    {
      operationId: 'showDocs',
      method: 'GET',
      path: '/docs',
      summary: 'API reference for people',
      scope: null,
      answers: [{ status: 200, description: 'One page, with a form to try each request.', contentType: 'text/html' }],
      errors: [],
      prepare: build,
    },
    () => {
      const { policy, bytes } = build()
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
      return { status: 200, headers, body: bytes }
    },
  )
}

function toBytes({ html, policy }: DocsPage): BuiltPage {
  return { policy, bytes: Buffer.from(html) }
}
