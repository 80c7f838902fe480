/** Authenticates each request on arrival, and checks that its key allows what it asks for. */
import type { FastifyRequest } from 'fastify'
import { actorOf, type Caller, hasScope, type Scope } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { ApiServices } from '../api-services.ts'
import { checkHost, checkNotForwarded, checkOrigin } from './check-host.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** The required scope. Null: no scope and no key. Undefined: a key, but no scope. */
    readonly scope?: Scope | null
    readonly operationId?: string
    /** Answers from memory, and is needed most while the database is down. */
    readonly duringOutage?: boolean
  }
}

/** Has no scope and reaches nothing: public routes do not authenticate. */
const NOBODY: Caller = {
  keyId: null,
  tenant: '',
  name: 'nobody',
  scopes: [],
  rate: null,
  maxTxFeeWei: 0n,
  signers: [],
  chains: [],
}

type Services = Pick<ApiServices, 'access' | 'telemetry'>

export async function admit(request: FastifyRequest, { access, telemetry }: Services): Promise<Caller> {
  const { origin, authorization } = request.headers
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  const { scope, operationId, duringOutage = false } = request.routeOptions.config
  if (scope === null || request.is404) {
    if (access.isOpen()) checkLocal(request)
    return NOBODY
  }
  const caller = await access.identify(authorization, { duringOutage })
  // A page on another site has no key, so once keys exist the Host of a request does not matter.
  if (caller.keyId === null) checkLocal(request)
  if (caller.keyId === null && !isReading) checkOrigin(origin)
  if (scope === undefined || hasScope(caller, scope)) return caller
  telemetry.count('drover_access_refused_total', { reason: 'scope' })
  if (!isReading) {
    await access.recordRefusal(caller, { operation: operationId ?? 'unnamed', target: pathOf(request) })
  }
  const message = `API key ${actorOf(caller)} does not have the scope ${scope}. Its scopes: ${caller.scopes.join(', ')}.`
  throw new AppError('forbidden', message, { scope })
}

function checkLocal({ headers }: FastifyRequest): void {
  checkHost(headers.host)
  checkNotForwarded(headers)
}

/** The target of an audit entry: without the query, and without the secret if a caller used a whole key as its id. */
export function pathOf(request: FastifyRequest): string {
  const path = request.url.split('?', 1)[0] ?? ''
  return path.replaceAll(/(drv_[0-9a-f]{16}_)[\w-]+/gi, '$1…').slice(0, 200)
}
