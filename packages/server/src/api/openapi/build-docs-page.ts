/**
 * The documentation page: the OpenAPI document as HTML for people, with a form to try each operation. One file that
 * loads no fonts, scripts or anything else from other hosts, so it works with no network except this service, and under
 * a policy that allows nothing else.
 */
import { createHash } from 'node:crypto'
import { describeFields, escapeHtml, type Json, renderProse, toJson, toList } from './docs-page-parts.ts'
import { KEY_FIELD, renderTryIt, TRY_IT_SCRIPT } from './docs-try-it.ts'
import { sampleBody, sampleParameter } from './sample-request.ts'

export interface DocsPage {
  readonly html: string
  /** Allows the page's own style and script, by their digests, calls to this service, and nothing else. */
  readonly policy: string
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly described: Json
}

const STYLE = `
:root{color-scheme:light dark;font:16px/1.55 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:1.5rem}
nav{columns:19rem;font-size:.9rem}nav a{display:block;overflow-wrap:anywhere;padding-left:2rem;text-indent:-2rem}
article{border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:1rem 0}
h3{font:600 1rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
pre{overflow:auto;padding:.75rem;background:color-mix(in srgb,currentColor 7%,transparent);border-radius:.4rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0}
code{font-family:ui-monospace,monospace}a{color:LinkText}
form{display:grid;gap:.5rem;padding:.5rem 0}form label{display:grid}textarea{font-family:ui-monospace,monospace}button{justify-self:start}
`

const INTRODUCTION = `<p>JSON over HTTP. Amounts are decimal strings in wei. Nonces, block numbers and chain ids are numbers. Times are ISO 8601.
Requests with unknown fields are rejected. Errors are problem documents (RFC 9457) with a stable <code>code</code>. Once an API key exists, every
request needs one: <code>Authorization: Bearer drv_…</code>. For programs: <a href="/openapi.json">openapi.json</a>.</p>`

export function buildDocsPage(document: Json): DocsPage {
  const operations = listOperations(document)
  const schemas = toJson(toJson(document.components).schemas)
  const groups = [...new Set(operations.map(({ described }) => groupOf(described)))]
  const sections = groups.map((group) => {
    const own = operations.filter(({ described }) => groupOf(described) === group)
    return `<section><h2>${escapeHtml(group)}</h2>${own.map((each) => renderOperation(each, schemas)).join('')}</section>`
  })
  return {
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Drover API</title><style>${STYLE}</style><h1>Drover API</h1>${INTRODUCTION}${KEY_FIELD}<nav>${operations.map(renderLink).join('')}</nav>${sections.join('')}<script type="module">${TRY_IT_SCRIPT}</script></html>`,
    policy: `default-src 'none'; style-src ${digestOf(STYLE)}; script-src ${digestOf(TRY_IT_SCRIPT)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
}

function digestOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function listOperations(document: Json): readonly Operation[] {
  return Object.entries(toJson(document.paths)).flatMap(([path, methods]) =>
    Object.entries(toJson(methods)).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      described: toJson(described),
    })),
  )
}

function groupOf({ tags }: Json): string {
  return String(toList(tags)[0] ?? '')
}

function renderLink({ method, path, described }: Operation): string {
  return `<a href="#${escapeHtml(String(described.operationId))}"><code>${method} ${escapeHtml(path)}</code></a>`
}

function renderOperation(operation: Operation, schemas: Json): string {
  const { method, path, described } = operation
  const body = bodyOf(described)
  return [
    `<article id="${escapeHtml(String(described.operationId))}"><h3>${method} ${escapeHtml(path)}</h3>`,
    `<p>${renderProse(String(described.summary))}. ${renderScope(described)}</p>`,
    renderParameters(described),
    body === null ? '' : describeFields('Body', body, schemas),
    `<pre><code>${escapeHtml(writeCurl(operation, body, schemas))}</code></pre>`,
    renderTryIt(method, path, described, body === null ? undefined : sampleBody(body, schemas)),
    renderAnswers(described),
    '</article>',
  ].join('')
}

function renderScope({ security }: Json): string {
  const [first] = toList(security)
  if (first === undefined) return 'Needs no API key.'
  return `Needs the scope <code>${escapeHtml(String(toList(toJson(first).apiKey)[0]))}</code> once an API key exists.`
}

function renderParameters({ parameters }: Json): string {
  const rows = toList(parameters).map((parameter) => {
    const { name, in: place, description = '' } = toJson(parameter)
    return `<tr><td><code>${escapeHtml(String(name))}</code></td><td>${String(place)}</td><td>${renderProse(String(description))}</td></tr>`
  })
  return rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

function renderAnswers({ responses }: Json): string {
  const rows = Object.entries(toJson(responses)).map(
    ([status, answer]) =>
      `<tr><td>${status}</td><td>${renderProse(String(toJson(answer).description)).replaceAll(', ', ', <wbr>')}</td></tr>`,
  )
  return `<h4>Answers</h4><table>${rows.join('')}</table>`
}

function bodyOf({ requestBody }: Json): Json | null {
  if (requestBody === undefined) return null
  return toJson(toJson(toJson(toJson(requestBody).content)['application/json']).schema)
}

function writeCurl({ method, path }: Operation, body: Json | null, schemas: Json): string {
  const url = `http://127.0.0.1:4747${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sampleParameter(name))}`
  const verb = method === 'GET' ? '' : ` -X ${method}`
  if (body === null) return `curl${verb} ${url}`
  const sent = JSON.stringify(sampleBody(body, schemas)).replaceAll("'", "'\\''")
  return `curl${verb} ${url} \\\n  -H 'content-type: application/json' \\\n  -d '${sent}'`
}
