/** Audits who did what: each call with a lasting effect, and each call refused because of its caller. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/app-error.ts'
import type { Route, RouteReply } from '../route.ts'
import { pathOf } from './admit.ts'
import type { AuditTrail } from './audit-trail.ts'

export async function recordCall(
  audit: AuditTrail,
  route: Route,
  request: FastifyRequest,
  run: () => Promise<RouteReply>,
): Promise<RouteReply> {
  const { caller } = request
  const operation = route.operationId
  try {
    if (isAudited(route)) audit.admitEntry(caller)
    const answer = await run()
    // A created resource has its own path.
    const path = answer.headers?.location ?? pathOf(request)
    const target = answer.auditNote === undefined ? path : `${path} (${answer.auditNote})`
    if (isAudited(route)) await audit.record(caller, { operation, target, result: 'done' })
    return answer
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'forbidden'
    if (isRefused && route.method !== 'GET') await audit.recordRefusal(caller, { operation, target: pathOf(request) })
    throw error
  }
}

/** There are many sends, and the history of each starts with its sender. */
function isAudited({ method, scope, audited = scope === 'operate' || scope === 'admin' }: Route): boolean {
  return method !== 'GET' && audited
}
