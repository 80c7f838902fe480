/**
 * Decides who may open a WebSocket, and for which chain. There is no reply object yet, so refusals are written by hand.
 */
import type { IncomingMessage } from 'node:http'
import { checkHost, checkNotForwarded } from '../../api/access/check-host.ts'
import { type Caller, mayUseChain } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { RpcFailure } from '../rpc-failure.ts'

export interface UpgradeDoor {
  /** No key was ever created: only this machine may connect, and by its own name. */
  isOpen(): boolean
  identify(authorization: string | undefined): Promise<Caller>
  /** Whether a caller that was admitted before still would be. */
  isAllowed(caller: Caller): Promise<boolean>
  /** The same for one more request, which counts against the rate of the key. Throws `rate_limited`. */
  readmit(caller: Caller): Promise<boolean>
}

interface UpgradeContext extends UpgradeDoor {
  readonly isFull: boolean
  resolveChain(chain: string | null): number
  /** Takes one of the socket slots, in turn. Throws `tenant_limit` or `overloaded`. */
  enter(caller: Caller): Promise<() => void>
}

type Refusal = { readonly type: 'refused'; readonly answer: string }
export type Admission =
  | { readonly type: 'admitted'; readonly chainId: number; readonly caller: Caller; leave(): void }
  | Refusal

const PATH = /^\/rpc(?:\/([^/?]{1,20}))?\/?$/
const STATUSES = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
} as const
type Status = keyof typeof STATUSES

export async function admitUpgrade(request: IncomingMessage, context: UpgradeContext): Promise<Admission> {
  const { host, origin, authorization } = request.headers
  const path = PATH.exec((request.url ?? '').split('?', 1)[0] ?? '')
  if (path === null) return refuse(404, 'WebSockets are at /rpc and /rpc/{chainId}.')
  if (origin !== undefined && hostOf(origin) !== host) return refuse(403, 'Web pages of other origins may not connect.')
  if (context.isFull) return refuseAsFull()
  try {
    if (context.isOpen()) {
      checkHost(host)
      checkNotForwarded(request.headers)
    }
    const chainId = context.resolveChain(path[1] ?? null)
    const caller = await context.identify(authorization)
    if (!mayUseChain(caller, chainId)) return refuse(403, `This API key has no access to chain ${chainId}.`)
    return { type: 'admitted', chainId, caller, leave: await context.enter(caller) }
  } catch (error) {
    return describe(error)
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}

function describe(error: unknown): Admission {
  if (error instanceof RpcFailure) return refuse(404, error.message)
  if (error instanceof StoreUnavailable) return refuse(503, 'The database does not respond.')
  if (!(error instanceof AppError)) throw error
  switch (error.code) {
    case 'unauthorized':
      return refuse(401, error.message)
    case 'misdirected_request':
      return refuse(421, error.message)
    case 'rate_limited':
    case 'tenant_limit':
      return refuse(429, error.message)
    case 'queue_full':
    case 'overloaded':
    case 'database_unavailable':
      return refuse(503, error.message)
    default:
      throw error
  }
}

export function refuseAsFull(): Refusal {
  return refuse(503, 'Too many WebSockets are open. Retry later.')
}

function refuse(status: Status, message: string): Refusal {
  const body = JSON.stringify({ status, detail: message })
  const head = [
    `HTTP/1.1 ${status} ${STATUSES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer realm="drover"'] : []),
    'Connection: close',
  ]
  return { type: 'refused', answer: `${head.join('\r\n')}\r\n\r\n${body}` }
}
