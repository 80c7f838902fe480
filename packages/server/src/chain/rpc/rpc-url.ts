/** A node's URL may carry credentials: what may be shown of it, and what has to be struck out of the node's own words. */
import { anySpellingOf, basicFormsOf, decodePart, queryValuesOf } from '../../core/secret-spellings.ts'

export interface RpcUrl {
  readonly url: URL
  /** Host and port: all that logs, errors and metrics ever show. */
  readonly host: string
  /** Strikes out every part of the URL that could be a secret. */
  redact(text: string): string
}

const TRANSPORTS = new Set(['http:', 'https:', 'ws:', 'wss:'])
/** Shorter parts (`v1`, `rpc`, `eth`) are ordinary words, not keys. */
const MIN_SECRET_LENGTH = 8

/** Problems name the position, never the text. */
export function parseRpcUrls(texts: readonly string[]): readonly RpcUrl[] {
  if (texts.length === 0) throw new Error('at least one RPC URL is required')
  return texts.map((text, index) => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url === null || !TRANSPORTS.has(url.protocol))
      throw new Error(`RPC URL ${index + 1} of ${texts.length} is not an http(s) or ws(s) URL`)
    return createRpcUrl(url)
  })
}

/** The display name of each: its host, and its position if several share one. */
export function nameRpcUrls(urls: readonly RpcUrl[]): readonly string[] {
  return urls.map(({ host }, index) =>
    urls.filter((other) => other.host === host).length > 1 ? `${host}#${index + 1}` : host,
  )
}

function createRpcUrl(url: URL): RpcUrl {
  const secrets = listSecrets(url)
  const pattern = secrets.length === 0 ? null : new RegExp(secrets.map(anySpellingOf).join('|'), 'g')
  return {
    url,
    host: url.host,
    redact: (text) => (pattern === null ? text : text.replace(pattern, '***')),
  }
}

/** Longest first: a secret that contains another must not leave its rest behind. */
function listSecrets(url: URL): readonly string[] {
  const parts = [url.username, ...url.pathname.split('/'), ...queryValuesOf(url)]
  const long = parts.filter((part) => part.length >= MIN_SECRET_LENGTH)
  // A password is a secret whatever its length.
  const spelled = [...long, url.password].filter((part) => part !== '')
  const secrets = new Set([...spelled, ...spelled.map(decodePart), ...basicFormsOf(url)])
  return [...secrets].sort((a, b) => b.length - a.length)
}
