/**
 * The documentation page: the OpenAPI document as HTML for people, with a form to try each operation. One file that
 * loads no fonts, scripts or anything else from other hosts, so it works with no network except this service, and under
 * a policy that allows nothing else.
 */
import { createHash } from 'node:crypto'
import { describeFields, escapeHtml, type Json, renderProse, toJson, toList } from './docs-page-parts.ts'
import { SCRIPT } from './docs-script.ts'
import { STYLE } from './docs-style.ts'
import { KEY_FIELD, renderTryIt } from './docs-try-it.ts'
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

const INTRODUCTION = `<p>JSON over HTTP. Amounts are decimal strings in wei. Nonces, block numbers and chain ids are numbers. Times are ISO 8601.
Requests with unknown fields are rejected. Errors are problem documents (RFC 9457) with a stable <code>code</code>. Once an API key exists, every
request needs one: <code>Authorization: Bearer drv_…</code>. For programs: <a href="/openapi.json">openapi.json</a>.</p>`

const BRAND =
  '<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M6 6.5h5.5a5.5 5.5 0 0 1 0 11H6"/><path d="M6 12h6.2m-2.4-2.6L12.4 12l-2.6 2.6"/></svg>Drover</a>'

const TOOLS =
  '<div class="tools"><span id="count" role="status"></span><button type="button" id="open-all">Open all</button><button type="button" id="close-all">Close all</button></div>'

/** What the sections are called; others are called as their tag. */
const TITLES: Readonly<Record<string, string>> = { 'api-keys': 'API keys' }

export function buildDocsPage(document: Json): DocsPage {
  const operations = listOperations(document)
  const schemas = toJson(toJson(document.components).schemas)
  const tags = [...new Set(operations.map(({ described }) => groupOf(described)))]
  const groups = tags.map((tag) => ({
    title: titleOf(tag),
    own: operations.filter(({ described }) => groupOf(described) === tag),
  }))
  const navigation = groups.map(
    ({ title, own }) =>
      `<details><summary>${escapeHtml(title)}</summary>${own.map((each) => renderLink(each)).join('')}</details>`,
  )
  const sections = groups.map(
    ({ title, own }) =>
      `<section><h2>${escapeHtml(title)}</h2>${own.map((each) => renderOperation(each, schemas)).join('')}</section>`,
  )
  const side = `<aside>${BRAND}<label>Find <input id="search" type="search" placeholder="path, word or /"></label><nav aria-label="Operations">${navigation.join('')}</nav></aside>`
  const main = `<main><h1>Drover API</h1>${INTRODUCTION}${KEY_FIELD}${TOOLS}${sections.join('')}</main>`
  return {
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Drover API</title><style>${STYLE}</style></head><body>${side}${main}<script type="module">${SCRIPT}</script></body></html>`,
    policy: `default-src 'none'; style-src ${digestOf(STYLE)}; script-src ${digestOf(SCRIPT)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
}

function titleOf(tag: string): string {
  return TITLES[tag] ?? tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll('-', ' ')
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

function renderLink(operation: Operation): string {
  const { operationId, summary } = operation.described
  return `<a href="#${escapeHtml(String(operationId))}" data-find="${findable(operation)}" title="${escapeHtml(`${operation.method} ${operation.path}`)}">${renderProse(String(summary))}</a>`
}

/** What the search looks through. */
function findable({ method, path, described: { operationId, summary } }: Operation): string {
  return escapeHtml(`${method} ${path} ${String(operationId)} ${String(summary)}`)
}

function renderOperation(operation: Operation, schemas: Json): string {
  const { method, path, described } = operation
  const body = bodyOf(described)
  return [
    `<article id="${escapeHtml(String(described.operationId))}" data-find="${findable(operation)}"><details>`,
    `<summary><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${breakable(path)}</span> <span class="about">${renderProse(String(described.summary))}</span></summary>`,
    `<div class="body"><p>${renderScope(described)}</p>`,
    renderParameters(described),
    body === null ? '' : describeFields('Body', body, schemas),
    renderTryIt(method, path, described, body === null ? undefined : sampleBody(body, schemas)),
    `<h4>Example</h4><pre><code>${escapeHtml(writeCurl(operation, body, schemas))}</code></pre>`,
    renderAnswers(described),
    '</div></details></article>',
  ].join('')
}

function breakable(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

function renderScope({ security }: Json): string {
  const [first] = toList(security)
  if (first === undefined) return '<span class="scope">no API key needed</span>'
  return `<span class="scope">scope ${escapeHtml(String(toList(toJson(first).apiKey)[0]))}</span>`
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
