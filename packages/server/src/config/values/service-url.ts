/** Addresses of the services that Drover talks to. They often carry passwords or API keys, so they are shown without them. */
import { basicFormsOf, decodePart, queryValuesOf } from '../../core/secret-spellings.ts'
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

const HIDDEN = '…'

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

export const databaseUrl: SettingType<string> = {
  label: 'PostgreSQL URL',
  parse(input) {
    if (typeof input === 'string' && hasSeveralHosts(input))
      return refuse(
        'must name one host: the driver does not choose between several. Name a proxy that leads to the primary, such as HAProxy, or a DNS name or address that moves with it',
      )
    const url = typeof input === 'string' ? parseUrl(input.trim()) : null
    if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
      return refuse('must be a PostgreSQL URL such as postgres://user:password@host:5432/database')
    if (!isWhole(url))
      return refuse('must have / ? # @ and % in its user name and password encoded as %2F %3F %23 %40 and %25')
    return accept(spellStrict(url.href))
  },
  print(text) {
    const url = parseUrl(text)
    if (url === null) return HIDDEN
    const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${HIDDEN}`}@`
    return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : `?${HIDDEN}`}`
  },
}

/** As libpq takes them: `host1:5432,host2:5432` or `?host=host1,host2`. */
function hasSeveralHosts(text: string): boolean {
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text.trim()) ?? []
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  const [, named = ''] = /[?&]host=([^&#]*)/i.exec(text) ?? []
  return hosts.includes(',') || /,|%2c/i.test(named)
}

/**
 * The driver checks certificates with all of these modes, but warns at length that a later version will not. Drover
 * always means the strict one.
 */
function spellStrict(url: string): string {
  return /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

/**
 * A `/`, `?` or `#` in a password ends what a URL takes for the host: the rest of the password, an `@` and the true host
 * would become a path, which is shown. Likewise where the slashes are missing.
 */
function isWhole({ pathname, search, hash, username, password }: URL): boolean {
  const isPath = pathname === '' || pathname.startsWith('/')
  const isDecodable = [username, password, pathname].every((part) => !/%(?![0-9a-f]{2})/i.test(part))
  return isPath && isDecodable && hash === '' && !`${pathname}${search}`.includes('@')
}

export const rpcUrlList: SettingType<readonly string[]> = {
  label: 'comma-separated list of http, https, ws or wss URLs',
  parse(input) {
    const items = splitList(input)
    if (items === null || items.length === 0) return refuse('must be one or more URLs, separated by commas')
    const urls = items.map(parseUrl)
    const wrong = urls.findIndex((url) => url === null || !['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol))
    if (wrong !== -1)
      return refuse(`must contain only http, https, ws or wss URLs; number ${wrong + 1} of ${items.length} is not one`)
    if (!urls.some((url) => url?.protocol.startsWith('http')))
      return refuse('must contain at least one http or https URL; ws and wss URLs only announce new blocks')
    return accept(items)
  },
  // The path of an RPC URL is usually the API key itself.
  print: (urls) => urls.map(printHost).join(','),
}

export const httpUrl: SettingType<string> = {
  label: 'http or https URL',
  parse(input) {
    const url = typeof input === 'string' ? parseUrl(input.trim()) : null
    if (url === null || !['http:', 'https:'].includes(url.protocol)) return refuse('must be an http or https URL')
    return accept(url.href)
  },
  print: printHost,
}

/** Scheme and host: what can be shown of any service's URL. */
export function printHost(text: string): string {
  const url = parseUrl(text)
  if (url === null) return HIDDEN
  const hidesMore = url.username !== '' || url.password !== '' || url.pathname.length > 1 || url.search !== ''
  return `${url.protocol}//${url.host}${hidesMore ? `/${HIDDEN}` : ''}`
}

/**
 * The strings inside a URL that must not be seen anywhere else either. Short ones are left out: hiding every "postgres" or
 * "v3" in the logs would hide the logs, and in the form `user:password@` they are hidden wherever they stand.
 */
export function secretPartsOf(text: string): readonly string[] {
  const url = parseUrl(text)
  if (url === null) return [text]
  const isHttp = !url.protocol.startsWith('postgres')
  const segments = isHttp ? url.pathname.split('/').filter((segment) => segment.length >= 16) : []
  const parts = [url.password, ...(isHttp ? [url.username] : []), ...queryValuesOf(url), ...segments]
  const decoded = parts.flatMap((part) => [part, decodePart(part)]).concat(isHttp ? basicFormsOf(url) : [])
  return [...new Set(decoded)].filter((part) => part.length >= 8)
}
