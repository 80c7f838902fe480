/** At the door: tells who sends a request, and whether their key is good for what it asks. */
import type { FastifyRequest } from 'fastify'
import { actorOf, type Caller, hasScope, type Scope } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { ApiServices } from '../api-services.ts'
import { checkHost, checkNotForwarded, checkOrigin } from './check-host.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends it. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** The scope that is needed; null: none, and no key either. Where it is not said, a key is. */
    readonly scope?: Scope | null
    readonly operationId?: string
    /** Answers from memory, and is wanted most while the database is away. */
    readonly duringOutage?: boolean
  }
}

/** Has no scope and reaches nothing: what is open to everybody asks nobody who they are. */
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
  // A page elsewhere has no key; so with keys the name that a request is sent to does not matter.
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

/** Without the query, and without the secret of a key that somebody took for its id: what an entry of the audit is about. */
export function pathOf(request: FastifyRequest): string {
  const path = request.url.split('?', 1)[0] ?? ''
  return path.replaceAll(/(drv_[0-9a-f]{16}_)[\w-]+/gi, '$1…').slice(0, 200)
}
