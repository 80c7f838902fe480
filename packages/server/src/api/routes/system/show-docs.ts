/** `GET /docs`: this API, described for people. */
import { buildDocsPage, type DocsPage } from '../../openapi/build-docs-page.ts'
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

/** Built on the first request, because the document describes this route too. */
export function createShowDocs(document: () => Readonly<Record<string, unknown>>): Route {
  let page: (Pick<DocsPage, 'policy'> & { readonly bytes: Buffer }) | null = null
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
    },
    () => {
      page ??= build(document())
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.policy }
      return { status: 200, headers, body: page.bytes }
    },
  )
}

function build(document: Readonly<Record<string, unknown>>) {
  const { html, policy } = buildDocsPage(document)
  return { policy, bytes: Buffer.from(html) }
}
