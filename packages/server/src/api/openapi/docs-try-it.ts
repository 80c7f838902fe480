/** The form below an operation on the documentation page, and the script that sends it and shows the response. */
import { escapeHtml, type Json, toJson, toList } from './docs-page-parts.ts'

/** Runs in the browser. It is allowed by its digest, talks only to this service, and does not store the API key. */
export const TRY_IT_SCRIPT = `
document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const output = form.querySelector('output')
  let path = form.dataset.path
  const query = new URLSearchParams()
  const headers = {}
  let body
  for (const { name, value, dataset } of form.elements) {
    if (dataset.place === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value))
    if (dataset.place === 'query' && value !== '') query.set(name, value)
    if (dataset.place === 'header' && value !== '') headers[name] = value
    if (dataset.place === 'body') body = value
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const key = document.getElementById('api-key').value.trim()
  if (key !== '') headers.authorization = 'Bearer ' + key
  output.textContent = 'Sending …'
  try {
    const response = await fetch(path + (query.size > 0 ? '?' + query : ''), { method: form.dataset.method, headers, body })
    output.textContent = response.status + ' ' + response.statusText + '\\n' + indent(await response.text()).slice(0, 100000)
  } catch (error) {
    output.textContent = 'No answer: ' + error.message
  }
})
function indent(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2) } catch { return text }
}
`

export const KEY_FIELD =
  '<p><label>API key for “Try it” <input id="api-key" type="password" autocomplete="off" placeholder="drv_…"></label> It is kept nowhere. What you send is real.</p>'

export function renderTryIt(method: string, path: string, described: Json, sampleBody: unknown): string {
  // A response that never ends cannot be shown.
  if (JSON.stringify(described.responses).includes('text/event-stream')) return ''
  const fields = toList(described.parameters).map((parameter) => {
    const { name, in: place, schema } = toJson(parameter)
    const hint = String(toJson(schema ?? {}).type ?? '')
    return `<label>${escapeHtml(String(name))} <input name="${escapeHtml(String(name))}" data-place="${escapeHtml(String(place))}" placeholder="${escapeHtml(hint)}"${place === 'path' ? ' required' : ''}></label>`
  })
  if (sampleBody !== undefined) {
    const text = escapeHtml(JSON.stringify(sampleBody, null, 2))
    fields.push(`<label>body <textarea name="body" data-place="body" rows="8">${text}</textarea></label>`)
  }
  return `<details><summary>Try it</summary><form data-method="${method}" data-path="${escapeHtml(path)}">${fields.join('')}<button>Send</button><pre><output></output></pre></form></details>`
}
