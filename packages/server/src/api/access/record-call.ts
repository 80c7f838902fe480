/** Puts into the audit who did what: each call that changes something for good, and each that was refused for who made it. */
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
    // What was made has a path of its own.
    const target = answer.headers?.location ?? pathOf(request)
    if (isAudited(route)) await audit.record(caller, { operation, target, result: 'done' })
    return answer
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'forbidden'
    if (isRefused && route.method !== 'GET') await audit.recordRefusal(caller, { operation, target: pathOf(request) })
    throw error
  }
}

/** Sends are many, and each has its own history that begins with who sent it. */
function isAudited({ method, scope, audited = scope === 'operate' || scope === 'admin' }: Route): boolean {
  return method !== 'GET' && audited
}
