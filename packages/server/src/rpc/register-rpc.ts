/**
 * `POST /rpc` and `POST /rpc/{chainId}`. Every message that arrives whole is answered with 200 and a JSON-RPC answer,
 * as clients expect it; only requests that the HTTP layer itself rejects (no key, no JSON, too large) get another
 * status.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestIdInput } from '../api/contract/requests/transaction-request.ts'
import type { Caller } from '../core/access/caller.ts'
import { AppError } from '../core/app-error.ts'
import type { JsonRpcServer } from './json-rpc-server.ts'
import { RpcFailure } from './rpc-failure.ts'
import { writeFailure } from './rpc-message.ts'
import type { RpcSockets } from './socket/rpc-sockets.ts'

interface RegisterPorts {
  readonly endpoint: JsonRpcServer
  readonly sockets: RpcSockets
  callerOf(request: FastifyRequest): Caller
}

/** A hundred deployments of the largest size would be more; a client that sends those can send them in turn. */
const MAX_BODY_BYTES = 4 * 1024 * 1024
/** The place in a batch is added to it. */
const MAX_KEY_LENGTH = 190
const JSON_TYPE = 'application/json; charset=utf-8'

export function registerRpc(server: FastifyInstance, { endpoint, sockets, callerOf }: RegisterPorts): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // As text: what is no JSON gets an answer in JSON-RPC's own words.
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error, _request, reply) => {
      if (!isTooLarge(error)) throw error
      const failure = new RpcFailure('invalid_request', `the body is larger than ${MAX_BODY_BYTES} bytes`)
      return reply.code(413).type(JSON_TYPE).send(writeFailure(null, failure))
    })
    for (const url of ['/rpc', '/rpc/:chainId']) {
      scope.route({
        method: 'POST',
        url,
        bodyLimit: MAX_BODY_BYTES,
        handler: async (request, reply) => {
          const answer = await answerRequest(endpoint, request, reply, callerOf(request))
          // Notifications alone get no answer.
          return answer === null ? reply.code(204).send() : reply.code(200).type(JSON_TYPE).send(answer)
        },
      })
      scope.get(url, async (_request, reply) => {
        reply.header('allow', 'POST')
        throw new AppError('method_not_allowed', 'Send JSON-RPC by POST or over a WebSocket.')
      })
    }
  })
  sockets.attach(server.server)
  server.addHook('preClose', async () => {
    endpoint.close()
    sockets.close()
  })
}

async function answerRequest(
  endpoint: JsonRpcServer,
  request: FastifyRequest,
  { raw }: FastifyReply,
  caller: Caller,
): Promise<string | null> {
  const key = request.headers['idempotency-key'] ?? null
  const text = typeof request.body === 'string' ? request.body : ''
  if (key !== null && (!requestIdInput.safeParse(key).success || key.length > MAX_KEY_LENGTH)) {
    const message = `Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters without spaces at either end`
    return endpoint.refuse(text, new RpcFailure('invalid_request', message))
  }
  const { chainId } = request.params as { readonly chainId?: string }
  return endpoint.answer(text, {
    chain: chainId ?? null,
    caller,
    own: new Map(),
    gone: {
      get aborted() {
        return raw.destroyed
      },
    },
    idempotencyKey: typeof key === 'string' ? key : null,
  })
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 413
}
