/** A node's URL may carry credentials: what may be shown of it, and what has to be struck out of the node's own words. */

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
  return {
    url,
    host: url.host,
    redact: (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text),
  }
}

function listSecrets(url: URL): readonly string[] {
  const parts = [url.password, url.username, ...url.pathname.split('/'), ...url.searchParams.values()]
  const long = parts.filter((part) => part.length >= MIN_SECRET_LENGTH)
  const secrets = new Set(long.flatMap((part) => [part, decodePart(part)]))
  // A password is a secret whatever its length.
  if (url.password !== '') secrets.add(url.password).add(decodePart(url.password))
  for (const text of basicCredentialsOf(url)) secrets.add(text)
  return [...secrets].sort((a, b) => b.length - a.length)
}

/** As they travel in the header `Authorization: Basic`, which a node may repeat in an error. */
function basicCredentialsOf({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return []
  const pair = Buffer.from(`${decodePart(username)}:${decodePart(password)}`)
  // Also without the padding, which some leave out.
  return [pair.toString('base64'), pair.toString('base64').replace(/=+$/, ''), pair.toString('base64url')]
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return part
    throw error
  }
}
