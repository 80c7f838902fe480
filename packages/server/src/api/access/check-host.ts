/**
 * Serves only requests that were meant for this machine by name. As long as there is no access control, loopback is the
 * wall; a web page elsewhere gets past it by making its own name resolve to 127.0.0.1 (DNS rebinding), and then is of
 * the same origin as this service. What it cannot do is choose the Host header, which still has its name.
 */
import { AppError } from '../../core/app-error.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

export function checkHost(host: string | undefined): void {
  if (host !== undefined && LOOPBACK.test(host)) return
  const message = `Without API keys, Drover answers only as localhost, 127.0.0.1 and [::1], not as ${JSON.stringify((host ?? '').slice(0, 200))}.`
  throw new AppError('misdirected_request', message)
}

/** What proxies add. None of them is sent by a client that calls this machine itself. */
const FORWARDING = ['forwarded', 'via', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip']

/**
 * And not what a proxy passes on, which may come from anywhere: to the service it looks like this machine. Nobody has to
 * put up with that: with an API key a proxy is welcome.
 */
export function checkNotForwarded(headers: Readonly<Record<string, unknown>>): void {
  const found = Object.keys(headers).find((name) => FORWARDING.includes(name) || name.startsWith('x-forwarded-'))
  if (found === undefined) return
  const message = `Without API keys, Drover serves only this machine, but the header ${JSON.stringify(found.slice(0, 40))} shows that a proxy forwarded this request. Create an API key first: "drover key create".`
  throw new AppError('misdirected_request', message)
}

/**
 * And changes nothing for a page of another machine. What such a page can send without asking first is a request without a
 * body, which some calls do not need; the browser says whose page it is.
 */
export function checkOrigin(origin: string | undefined): void {
  if (origin === undefined || (URL.canParse(origin) && LOOPBACK.test(new URL(origin).host))) return
  throw new AppError('forbidden', 'Web pages of other origins may not change anything here.')
}
