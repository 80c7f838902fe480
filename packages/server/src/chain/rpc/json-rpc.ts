/**
 * JSON-RPC with one node. Every request gets a reply of its own: a result, the node's error, or a statement that there
 * was no usable answer and whether the request can have arrived. Nothing here throws.
 *
 * Batches are bounded. A node that refuses one is asked again with half of it, down to single requests, and what it can
 * take is remembered for a while; a plain refusal of arrays goes to single requests at once. Only for a while, since a
 * node or proxy in trouble may refuse once what it takes at other times.
 */
import type { Clock } from '../../ports/clock.ts'
import { createHttpPost, type HttpReply } from './http-post.ts'
import { createLimiter } from './limiter.ts'
import { isRateLimit } from './rate-limit.ts'
import type { RpcError } from './rpc-error.ts'
import type { RpcUrl } from './rpc-url.ts'

export interface RpcRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcReply =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly error: RpcError }
  | { readonly type: 'rate_limited'; readonly message: string; readonly retryAfterMs: number | null }
  /** The request never left. */
  | { readonly type: 'unreached'; readonly message: string }
  /** The request may have arrived; the answer is missing or makes no sense. */
  | { readonly type: 'lost'; readonly message: string; readonly stale?: boolean }

export interface JsonRpcOptions {
  readonly timeoutMs: number
  readonly maxConcurrent: number
  readonly maxBatch: number
  readonly maxResponseBytes: number
}

export interface JsonRpcClient {
  /** `ordered`: one after the other, and nothing more after an answer was lost. */
  send(requests: readonly RpcRequest[], ordered: boolean): Promise<readonly RpcReply[]>
  close(): void
}

type BatchReply =
  | { readonly type: 'replies'; readonly replies: readonly RpcReply[] }
  | { readonly type: 'batch_refused'; readonly tooLarge: boolean }

const LIMIT_RECHECK_MS = 60_000
const BATCH_REFUSED_STATUS = new Set([400, 404, 405, 406, 413, 415, 422, 501])

export function createJsonRpcClient(
  target: RpcUrl,
  options: JsonRpcOptions & { readonly clock: Clock },
): JsonRpcClient {
  const transport = createHttpPost({ ...options, url: target.url, maxSockets: options.maxConcurrent })
  const limiter = createLimiter(options.maxConcurrent)
  const largestBatch = Math.max(1, options.maxBatch)
  let batchLimit = largestBatch
  let limitedUntil = 0
  let nextId = 1

  async function exchange(requests: readonly RpcRequest[]): Promise<BatchReply> {
    const firstId = nextId
    nextId += requests.length
    const calls = requests.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: firstId + index, method, params }))
    const body = JSON.stringify(calls.length === 1 ? calls[0] : calls)
    const outcome = readReply(await limiter.run(() => transport.post(body)), firstId, requests.length)
    if (outcome.type !== 'replies') return outcome
    return { type: 'replies', replies: outcome.replies.map((reply) => redactReply(target, reply)) }
  }

  async function sendChunk(requests: readonly RpcRequest[], ordered: boolean): Promise<readonly RpcReply[]> {
    const outcome = await exchange(requests)
    if (outcome.type === 'replies') return outcome.replies
    batchLimit = outcome.tooLarge ? Math.min(batchLimit, Math.max(1, requests.length >> 1)) : 1
    limitedUntil = options.clock.monotonic() + LIMIT_RECHECK_MS
    return await send(requests, ordered)
  }

  async function sendInOrder(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]> {
    const replies: RpcReply[] = []
    while (replies.length < requests.length) {
      const answers = await sendChunk(requests.slice(replies.length, replies.length + batchLimit), true)
      replies.push(...answers)
      if (answers.every((answer) => answer.type !== 'result' && answer.type !== 'error')) break
    }
    while (replies.length < requests.length)
      replies.push({ type: 'unreached', message: 'not sent after a lost answer' })
    return replies
  }

  async function send(requests: readonly RpcRequest[], ordered: boolean): Promise<readonly RpcReply[]> {
    if (ordered) return await sendInOrder(requests)
    const chunks: (readonly RpcRequest[])[] = []
    for (let at = 0; at < requests.length; at += batchLimit) chunks.push(requests.slice(at, at + batchLimit))
    return (await Promise.all(chunks.map((chunk) => sendChunk(chunk, false)))).flat()
  }

  return {
    async send(requests, ordered) {
      if (options.clock.monotonic() >= limitedUntil) batchLimit = largestBatch
      return await send(requests, ordered)
    },
    close: () => transport.close(),
  }
}

/** Words only: what a short password strikes out of a hash would be missing there. */
function redactReply(target: RpcUrl, reply: RpcReply): RpcReply {
  if (reply.type === 'result') return reply
  if (reply.type !== 'error') return { ...reply, message: target.redact(reply.message) }
  const { message, data } = reply.error
  return { ...reply, error: { ...reply.error, message: target.redact(message), data: redactData(target, data) } }
}

function redactData(target: RpcUrl, data: unknown): unknown {
  if (typeof data === 'string') return /^0x[0-9a-f]*$/i.test(data) ? data : target.redact(data)
  if (Array.isArray(data)) return data.map((item) => redactData(target, item))
  if (!isRecord(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, redactData(target, value)]))
}

function readReply(reply: HttpReply, firstId: number, count: number): BatchReply {
  if (reply.type === 'unreached') return all(count, { type: 'unreached', message: `no connection (${reply.code})` })
  if (reply.type === 'lost')
    return all(count, { type: 'lost', message: `no answer (${reply.code})`, stale: reply.stale })
  if (reply.status === 429)
    return all(count, { type: 'rate_limited', message: 'HTTP 429', retryAfterMs: reply.retryAfterMs })
  const answer = parseJson(reply.body)
  if (count > 1 && !Array.isArray(answer)) return readBatchRefusal(reply, answer, count)
  if (answer === undefined) return all(count, { type: 'lost', message: describeGarbage(reply) })
  const answers = new Map<number, unknown>()
  for (const item of Array.isArray(answer) ? answer : [answer]) {
    const id = readId(item)
    // A lone error may come without id: the node (or a proxy before it) did not read as far as that.
    answers.set(id === null && count === 1 && isErrorAnswer(item) ? firstId : (id ?? -1), item)
  }
  if (count > 1 && answers.size < count && [...answers.values()].every(isBatchComplaint))
    return { type: 'batch_refused', tooLarge: true }
  const replies = Array.from({ length: count }, (_, index) => readAnswer(answers.get(firstId + index), reply.status))
  return { type: 'replies', replies }
}

function readBatchRefusal(reply: HttpReply & { type: 'answered' }, answer: unknown, count: number): BatchReply {
  if (isErrorAnswer(answer)) {
    const single = readAnswer(answer, reply.status)
    if (single.type === 'rate_limited') return all(count, single)
    return { type: 'batch_refused', tooLarge: /limit|large|exceed|max|many/i.test(describe(single)) }
  }
  if (BATCH_REFUSED_STATUS.has(reply.status)) return { type: 'batch_refused', tooLarge: reply.status === 413 }
  return all(count, { type: 'lost', message: describeGarbage(reply) })
}

function readAnswer(item: unknown, httpStatus: number): RpcReply {
  if (!isRecord(item)) return { type: 'lost', message: 'the answer holds no reply to this request' }
  if (isRecord(item.error) || typeof item.error === 'string') return readError(item.error, httpStatus)
  if (!('result' in item)) return { type: 'lost', message: 'the reply has neither result nor error' }
  return { type: 'result', result: item.result }
}

function readError(raw: Record<string, unknown> | string, httpStatus: number): RpcReply {
  const fields: Record<string, unknown> = typeof raw === 'string' ? { message: raw } : raw
  const error: RpcError = {
    code: typeof fields.code === 'number' ? fields.code : null,
    message: typeof fields.message === 'string' ? fields.message : '',
    data: fields.data ?? fields.error ?? null,
    httpStatus,
  }
  if (isRateLimit(error)) return { type: 'rate_limited', message: error.message.slice(0, 200), retryAfterMs: null }
  return { type: 'error', error }
}

function all(count: number, reply: RpcReply): BatchReply {
  return { type: 'replies', replies: Array.from({ length: count }, () => reply) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readId(item: unknown): number | null {
  const id = isRecord(item) ? item.id : null
  if (typeof id === 'number') return id
  return typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : null
}

function isErrorAnswer(item: unknown): boolean {
  return isRecord(item) && (isRecord(item.error) || typeof item.error === 'string')
}

function isBatchComplaint(item: unknown): boolean {
  return isRecord(item) && isRecord(item.error) && /batch/i.test(String(item.error.message))
}

function describe(reply: RpcReply): string {
  return reply.type === 'error' ? reply.error.message : ''
}

function describeGarbage(reply: HttpReply & { type: 'answered' }): string {
  return reply.status === 200 ? 'the answer is not JSON-RPC' : `HTTP ${reply.status}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
