import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestApi } from '../../testing/api/create-test-api.ts'
import { ROUTES } from '../routes.ts'
import { buildDocsPage } from './build-docs-page.ts'
import { buildOpenApi } from './build-open-api.ts'
import { sampleBody } from './sample-request.ts'

const document = JSON.parse(JSON.stringify(buildOpenApi(ROUTES)))
const page = buildDocsPage(document)

test('every operation is on the page, with an example', () => {
  for (const { operationId, method, path } of ROUTES) {
    const article = page.html.split(`<article id="${operationId}"`)[1]?.split('</article>')[0]
    expect(article, operationId).toContain(`${method} ${path}`)
    expect(article, operationId).toContain('curl')
  }
})

test.each(ROUTES.map((route) => [route.operationId, route] as const))('%s takes its own example', (_, route) => {
  const schema = document.paths[route.path][route.method.toLowerCase()].requestBody?.content['application/json'].schema
  const body = schema === undefined ? undefined : sampleBody(schema, document.components.schemas)
  expect(route.body.safeParse(body).error?.issues).toBeUndefined()
})

test('what ends can be tried, with its parameters and its example', () => {
  const send = page.html.split('<article id="createTransaction"')[1]?.split('</article>')[0]
  expect(send).toContain('<form data-method="POST" data-path="/v1/transactions">')
  expect(send).toContain('data-place="body"')
  expect(page.html.split('<article id="streamEvents"')[1]?.split('</article>')[0]).not.toContain('<form')
})

test('it needs nothing from elsewhere, and its policy allows its style, its script and calls to this service alone', async () => {
  const { server } = await createTestApi()
  const { headers, body, statusCode } = await server.inject('/docs')
  expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', page.html])
  const digest = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const style = /<style>(.*?)<\/style>/s.exec(body)?.[1]
  const script = /<script type="module">(.*?)<\/script>/s.exec(body)
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src ${digest(style)}; script-src ${digest(script?.[1])}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(body.replace(script?.[0] ?? '', '')).not.toMatch(
    /<script|<link|<img|@import|url\(|\son\w+=|\sstyle=|javascript:/i,
  )
})

test('what the document says is text and not markup', () => {
  const hostile = { ...document.paths['/healthz'].get, summary: '<script>alert("x")</script>' }
  const { html } = buildDocsPage({ ...document, paths: { '/healthz': { get: hostile } } })
  expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)')
  expect(html).not.toContain('<script>')
})
