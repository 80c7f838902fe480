/**
 * The HTTP server: registers the routes, limits what a client can make it do, and turns every error into a problem
 * document.
 */
import { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { CALLER_GONE, type Caller, NO_LONGER_ALLOWED } from '../../core/access/caller.ts'
import { AppError, type AppErrorCode } from '../../core/app-error.ts'
import { hasTooManyFields, MAX_FIELDS } from '../../core/field-limit.ts'
import type { Gone } from '../../engine/tenants/gone.ts'
import { HEALTH_CHECKS, PUBLIC } from '../../engine/tenants/tenant-pool.ts'
import { admit } from '../access/admit.ts'
import { createServiceLimits } from '../access/limit-services.ts'
import { recordCall } from '../access/record-call.ts'
import type { ApiServices } from '../api-services.ts'
import { PROBLEM_TYPE } from '../contract/values/problem.ts'
import { MAX_BODY_BYTES, presentProblem, toAppError } from '../present/present-problem.ts'
import type { Route } from '../route.ts'
import { showHealth } from '../routes/system/show-health.ts'
import { showReadiness } from '../routes/system/show-readiness.ts'
import { ROUTES } from '../routes.ts'
import { createConnectionTurns, type Line } from './connection-turns.ts'
import { leaveUnread } from './leave-unread.ts'
import { limitPipelining } from './limit-pipelining.ts'
import { refuseConnection } from './refuse-connection.ts'
import { registerDashboard } from './serve-dashboard.ts'
import { serveInTurns } from './serve-in-turns.ts'

const LIMITS: ReadonlySet<AppErrorCode> = new Set([
  ...(['tenant_limit', 'too_many_waiting', 'too_many_streams', 'queue_full', 'overloaded'] as const),
])
const HEALTH_PATHS: ReadonlySet<string> = new Set([showHealth.path, showReadiness.path])
const TOO_MANY_FIELDS = `The body has more than ${MAX_FIELDS} fields.`
/** New connections that wait, and what they have sent. */
const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Connections that have ended and wait for what belongs to them to be freed. */
const MAX_ENDING = 5_000
/** Reading and writing this much takes the thread about a millisecond. */
const BYTES_PER_MS = 64 * 1024

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

export function createHttpServer(services: ApiServices): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    // A client that sends slowly, or keeps an idle connection, is disconnected.
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 15_000 },
    routerOptions: { maxParamLength: 100, ignoreTrailingSlash: true },
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toAppError(error)),
    forceCloseConnections: 'idle',
    // Requests on an open connection are still served while the server closes. The connection ends with the response.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
  })
  const { clock, work } = services
  const shareOf = ({ group, name }: Line): number =>
    group === 'health' ? 1 : work.shareOf(group === 'tenant' ? name : PUBLIC)
  const begins = createConnectionTurns({ clock, maxWaiting: MAX_WAITING, maxBytes: MAX_WAITING_BYTES, shareOf })
  const ends = createConnectionTurns({ clock, maxWaiting: MAX_ENDING })
  const { recognize } = services.access
  const onRefused = (): void => services.telemetry.count('drover_connections_refused_total')
  const endSilent = serveInTurns(server.server, { begins, ends, recognize, onRefused })
  limitPipelining(server.server, onRefused)
  // Only JSON: a page of another origin can post plain text without a preflight, and must be refused.
  server.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (hasTooManyFields(String(body))) done(new AppError('payload_too_large', TOO_MANY_FIELDS))
    else parseJson(request, String(body), done)
  })
  server.decorateRequest('caller')
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS)
    request.caller = await admit(request, services)
    // Answered before its body arrives: a caller that nobody knows must not take memory for bodies.
    if (request.is404) throw describeMiss(request, reply.header('connection', 'close'))
    if (await beginWork(request, reply, services)) holdBody(request, reply, services)
    // The client is gone. Work started for it would keep its slot until the service stops.
    else reply.hijack()
  })
  // A body may take half a minute to arrive, and a turn ten seconds: the key may have been revoked since.
  server.addHook('preHandler', (request, _reply, done) => {
    const { scope, duringOutage } = request.routeOptions.config
    if (!mayHaveBody(request) && (scope == null || duringOutage)) return done()
    services.access.isAllowed(request.caller).then(
      (isAllowed) => done(isAllowed ? undefined : new AppError('unauthorized', NO_LONGER_ALLOWED)),
      (error) => done(toAppError(error)),
    )
  })
  // With `done`, because a promise for each hook of each request costs more than these do.
  server.addHook('onSend', (request, reply, payload, done) => {
    leaveUnread(request.raw, reply.raw, services.clock)
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes > 0) {
      if (request.caller !== undefined) services.work.spend(request.caller.tenant, bytes / BYTES_PER_MS)
      watchUnread(request, reply, bytes, services)
    }
    done(null, payload)
  })
  server.addHook('onResponse', (request, reply, done) => {
    measure(services, request, reply)
    done()
  })
  server.setErrorHandler(async (error, request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const appError = toAppError(error, { maxBodyBytes: request.routeOptions.bodyLimit, isRead })
    if (appError.code === 'internal') logBug(services, request, error)
    if (!(await maySend(appError, request, reply, services))) reply.raw.destroy()
    return reply.raw.destroyed ? reply.hijack() : sendProblem(reply, appError)
  })
  server.addHook('onListen', async () => {
    for (const { prepare } of ROUTES) prepare?.()
  })
  // A response that never ends by itself would keep the server from closing.
  server.addHook('preClose', async () => {
    begins.close()
    ends.close()
    endSilent()
    await Promise.all([services.eventStreams.close(), services.waits.close()])
  })
  const limit = createServiceLimits(services)
  for (const route of ROUTES) registerRoute(server, route, services, limit)
  registerDashboard(server, services.dashboardDir)
  server.setNotFoundHandler((request, reply) => sendProblem(reply, describeMiss(request, reply)))
  return server
}

function mayHaveBody({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

/** Whether a refusal may be sent, once its turn has come. What is no refusal may be sent at once. */
async function maySend(
  { code }: AppError,
  { caller, is404 }: FastifyRequest,
  reply: FastifyReply,
  { work }: ApiServices,
): Promise<boolean> {
  const isUnknown = code === 'unauthorized' || is404
  if (!isUnknown && !LIMITS.has(code)) return true
  return await work.untilRefusal(isUnknown ? PUBLIC : (caller?.tenant ?? PUBLIC), watchClose(reply))
}

/** Each request waits its turn before its body is read. */
async function beginWork(request: FastifyRequest, reply: FastifyReply, { work }: ApiServices): Promise<boolean> {
  const { url } = request.routeOptions
  const tenant = url !== undefined && HEALTH_PATHS.has(url) ? HEALTH_CHECKS : request.caller.tenant
  const end = await work.begin(tenant, { gone: watchClose(reply), ms: bodyBytesOf(request) / BYTES_PER_MS })
  if (end !== null && reply.raw.destroyed) end()
  if (end === null || reply.raw.destroyed) return false
  // Once, when the response is sent or can no longer be sent. The connection may live on.
  reply.raw.on('close', end)
  return true
}

/** Held until the response is sent: data read from a body lives that long. */
function holdBody(request: FastifyRequest, reply: FastifyReply, { bodies }: ApiServices): void {
  const bytes = bodyBytesOf(request)
  if (bytes > 0) reply.raw.on('close', bodies.enter(request.caller.tenant, bytes))
}

/** At most, if the client does not say. */
function bodyBytesOf(request: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (!mayHaveBody(request) || (length === undefined && encoding === undefined)) return 0
  const most = request.routeOptions.bodyLimit ?? MAX_BODY_BYTES
  return length === undefined ? most : Math.min(Number(length) || 0, most)
}

/** A client that reads nothing of its answer is disconnected: after a while, or earlier if too many do so. */
function watchUnread(
  { caller, raw: { socket } }: FastifyRequest,
  { raw }: FastifyReply,
  bytes: number,
  { unread, stallMs, telemetry }: ApiServices,
): void {
  // A request made in memory, without a connection; or its client has gone, and nothing will say so again.
  if (!(socket instanceof Socket) || raw.destroyed) return
  // A caller that was not authenticated counts as the tenant of public routes.
  const tenant = caller === undefined ? '' : caller.tenant
  const connection = unread.open(tenant, () => {
    telemetry.count('drover_unread_answers_total', { kind: 'http' })
    socket.destroy()
  })
  connection.add(bytes)
  raw.on('close', connection.close)
  // Starts again with everything that the client reads. After the answer, `keepAliveTimeout` replaces it.
  socket.setTimeout(stallMs)
}

function registerRoute(
  server: FastifyInstance,
  route: Route,
  services: ApiServices,
  limit: (caller: Caller) => ApiServices,
): void {
  const { scope, operationId, duringOutage = false } = route
  server.route({
    method: route.method,
    config: { scope, operationId, duringOutage },
    // A stream has no end, so HEAD cannot be answered for it.
    exposeHeadRoute: !isStream(route),
    ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    handler: async (request, reply) => {
      const { params, query, headers, body, caller } = request
      const raw = { params, query, headers, body, disconnected: () => signalClose(reply) }
      const own = scope === null ? services : limit(caller)
      const answer = await recordCall(services.access, route, request, () => route.answer(raw, own, caller))
      return reply
        .code(answer.status)
        .headers(answer.headers ?? {})
        .send(answer.body)
    },
  })
}

/** The request's own close event says nothing: it fires when the body has been read. */
function signalClose({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort(CALLER_GONE)
  else raw.once('close', () => controller.abort(CALLER_GONE))
  return controller.signal
}

/** The same for those who only have to wait in some cases: nothing is made unless they do. */
function watchClose({ raw }: FastifyReply): Gone {
  return {
    get aborted() {
      return raw.destroyed
    },
    addEventListener: (_type, listener) => void raw.once('close', listener),
    removeEventListener: (_type, listener) => void raw.off('close', listener),
  }
}

function isStream(route: Route): boolean {
  return route.answers.some((answer) => 'contentType' in answer && answer.contentType === 'text/event-stream')
}

function sendProblem(reply: FastifyReply, error: AppError): FastifyReply {
  const problem = presentProblem(error)
  const { retryAfterMs } = error.details
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="drover"')
  if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))))
  // Sent as text, because a serializer that fails on a detail must not hide the error itself behind another one.
  return reply.code(problem.status).headers(SECURITY_HEADERS).type(PROBLEM_TYPE).send(JSON.stringify(problem))
}

/** No route matches: either the path has other methods, or it does not exist. */
function describeMiss(request: FastifyRequest, reply: FastifyReply): AppError {
  const path = request.url.split('?', 1)[0] ?? ''
  const routes = ROUTES.filter((route) => matches(route.path, path))
  const methods = routes.map(({ method }) => method)
  // A path segment that is too long to match counts as not found, whatever the method.
  if (methods.length === 0 || methods.some((method) => method === request.method)) {
    return new AppError(
      'not_found',
      `The path ${JSON.stringify(path.slice(0, 200))} does not exist. See /openapi.json for all paths.`,
    )
  }
  const withHead = (route: Route) => (route.method === 'GET' && !isStream(route) ? ['GET', 'HEAD'] : [route.method])
  const allowed = routes.flatMap(withHead).join(', ')
  reply.header('allow', allowed)
  return new AppError('method_not_allowed', `${request.method} is not allowed here. Use ${allowed}.`)
}

function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.replace(/\/$/, '').split('/')]
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index])
}

function measure({ telemetry }: ApiServices, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? 'none'
  telemetry.count('drover_http_requests_total', { method: request.method, route, status: reply.statusCode })
  telemetry.observe('drover_http_request_seconds', reply.elapsedTime / 1_000, { route })
}

/** The caller sees none of it, so the log must have everything. */
function logBug({ telemetry }: ApiServices, request: FastifyRequest, error: unknown): void {
  const stack = error instanceof Error ? error.stack : String(error)
  telemetry.log('error', 'request failed: bug in Drover', {
    method: request.method,
    route: request.routeOptions.url,
    stack,
  })
}
