/** The way to the service: where it is, the key that opens it, and the fetch that goes there. */
import { DroverError } from './drover-error.ts'

export type Fetch = (input: string, init: RequestInit) => Promise<Response>

export interface ConnectionOptions {
  /** Where the service is, such as `https://drover.example.org`; a path in front of `/v1` may be a part of it. */
  readonly url: string
  /** Undefined: none, so that a variable that may not be set can be handed over as it is. */
  readonly apiKey?: string | undefined
  /** In place of the runtime's own. */
  readonly fetch?: Fetch
}

export interface ConnectionRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/** Asks for a path of the service; fails as fetch does. */
export type Connection = (path: string, request: ConnectionRequest) => Promise<Response>

export function createConnection(options: ConnectionOptions): Connection {
  const url = checkUrl(options.url)
  const access = options.apiKey === undefined ? {} : { authorization: `Bearer ${checkApiKey(options.apiKey)}` }
  // Called anew each time: browsers insist on its being called on the global object.
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return (path, { method, headers, body, signal }) => {
    // A followed redirect can turn a POST into a GET, whose answer would be taken for that of the POST.
    const init = { method, headers: { ...headers, ...access }, redirect: 'manual', signal } as const
    return fetch(url + path, body === null ? init : { ...init, body })
  }
}

/** Neither message repeats what was given: both may hold secrets. */
function checkUrl(text: string): string {
  const url = parseUrl(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse('url', 'must be an http or https URL')
  if (url.username !== '' || url.password !== '') throw refuse('url', 'must hold no user and password; use apiKey')
  if (url.search !== '' || url.hash !== '') throw refuse('url', 'must end before any ? or #')
  return url.href.replace(/\/+$/, '')
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    // `URL.canParse` would say so too, but not in browsers of 2023; the caller gets an error either way.
    return null
  }
}

/** A value that a header cannot carry would be repeated in the error of the attempt to send it. */
function checkApiKey(apiKey: string): string {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw refuse('apiKey', 'must be printable ASCII without blanks')
  return apiKey
}

function refuse(field: string, what: string): DroverError {
  return new DroverError({ code: 'invalid_argument', detail: `${field} ${what}.`, field })
}
