/**
 * Serves only requests that name this machine as their host. Without access control, loopback is the only protection. A
 * web page on another site gets past it by making its own name resolve to 127.0.0.1 (DNS rebinding), and then has the
 * same origin as this service. But it cannot choose the Host header, which still has its name.
 */
import { AppError } from '../../core/app-error.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

export function checkHost(host: string | undefined): void {
  if (host !== undefined && LOOPBACK.test(host)) return
  const message = `Without API keys, Drover answers only as localhost, 127.0.0.1 and [::1], not as ${JSON.stringify((host ?? '').slice(0, 200))}.`
  throw new AppError('misdirected_request', message)
}

/** Headers that proxies add. A client that calls this machine directly sends none of them. */
const FORWARDING = [
  /^via$|^cdn-loop$/,
  /forwarded/,
  /client-?ip$|real-ip$|user-?ip$|socketip$|connecting-ip/,
  /^x-original-host$|^x-envoy-/,
]

/**
 * Refuses requests forwarded by a proxy: they may come from anywhere, but look local to the service. To use a proxy,
 * create an API key.
 */
export function checkNotForwarded(headers: Readonly<Record<string, unknown>>): void {
  const found = Object.keys(headers).find((name) => FORWARDING.some((pattern) => pattern.test(name)))
  if (found === undefined) return
  const message = `Without API keys, Drover serves only this machine, but the header ${JSON.stringify(found.slice(0, 40))} shows that a proxy forwarded this request. Create an API key first: "drover key create".`
  throw new AppError('misdirected_request', message)
}

/**
 * Refuses changes from a page of another machine. Without a preflight, such a page can send a request without a body,
 * and some calls need no body. The browser says which page it comes from.
 */
export function checkOrigin(origin: string | undefined): void {
  if (origin === undefined || (URL.canParse(origin) && LOOPBACK.test(new URL(origin).host))) return
  throw new AppError('forbidden', 'Web pages of other origins may not change anything here.')
}
