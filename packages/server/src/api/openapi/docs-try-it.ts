/** The field for the API key on the documentation page, and the form below each operation. */
import { escapeHtml, type Json, toJson, toList } from './docs-page-parts.ts'

export const KEY_FIELD =
  '<div class="key"><label>API key for “Try it” <input id="api-key" type="password" autocomplete="off" placeholder="drv_…"></label><p>Not needed until a key exists. Taken from the console if you opened it in this tab. What you send is real.</p></div>'

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
    fields.push(`<label class="wide">body <textarea name="body" data-place="body" rows="8">${text}</textarea></label>`)
  }
  return `<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${escapeHtml(path)}">${fields.join('')}<button class="main">Send</button><pre><output></output></pre></form></details>`
}
