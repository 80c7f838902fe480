/** What runs on the documentation page: sends what is tried, finds operations, and opens the one that the address names. */

/**
 * It is allowed by its digest, talks only to this service, and stores nothing. The API key comes from the field, or from
 * the web page in the same tab.
 */
export const SCRIPT = `
const key = document.getElementById('api-key')
key.value = sessionStorage.getItem('drover.apiKey') ?? ''
document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const output = form.querySelector('output')
  let path = form.dataset.path
  const query = new URLSearchParams()
  const headers = {}
  let body
  for (const { name, value, dataset } of form.elements) {
    if (dataset.place === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value.trim()))
    if (dataset.place === 'query' && value !== '') query.set(name, value)
    if (dataset.place === 'header' && value !== '') headers[name] = value
    if (dataset.place === 'body') body = value
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const token = key.value.trim()
  if (token !== '') headers.authorization = 'Bearer ' + token
  output.textContent = 'Sending …'
  try {
    const response = await fetch(path + (query.size > 0 ? '?' + query : ''), { method: form.dataset.method, headers, body })
    output.textContent = response.status + ' ' + response.statusText + '\\n' + indent(await response.text()).slice(0, 100000)
    if (response.status === 401) key.focus()
  } catch (error) {
    output.textContent = 'No answer: ' + error.message
  }
})
function indent(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2) } catch { return text }
}

const search = document.getElementById('search')
const count = document.getElementById('count')
const isWide = matchMedia('(min-width: 820px)')
const articles = [...document.querySelectorAll('article')]
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const isFound = (element) => words.every((word) => element.dataset.find.toLowerCase().includes(word))
  for (const element of document.querySelectorAll('[data-find]')) element.hidden = !isFound(element)
  for (const group of document.querySelectorAll('section, aside nav details')) {
    group.hidden = group.querySelector('[data-find]:not([hidden])') === null
    if (group.localName === 'details') group.open = words.length > 0 || group.querySelector('[aria-current]') !== null
  }
  const shown = articles.filter((article) => !article.hidden).length
  count.textContent = shown === articles.length ? shown + ' operations' : shown + ' of ' + articles.length + ' operations'
}
search.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key === '/' && !isTyping) { event.preventDefault(); search.focus() }
  if (event.key === 'Escape' && document.activeElement === search) { search.value = ''; filter() }
})
function open(isOpen) { for (const article of articles) if (!article.hidden) article.firstElementChild.open = isOpen }
document.getElementById('open-all').addEventListener('click', () => open(true))
document.getElementById('close-all').addEventListener('click', () => open(false))
function follow() {
  const id = decodeURIComponent(location.hash.slice(1))
  const article = articles.find((each) => each.id === id)
  for (const link of document.querySelectorAll('aside nav a')) {
    if (link.hash === location.hash && article !== undefined) { link.setAttribute('aria-current', 'true'); link.closest('details').open = isWide.matches }
    else link.removeAttribute('aria-current')
  }
  if (article === undefined) return
  if (article.hidden) { search.value = ''; filter() }
  article.firstElementChild.open = true
  article.scrollIntoView()
  article.querySelector('summary').focus({ preventScroll: true })
}
addEventListener('hashchange', follow)
filter()
follow()
`
