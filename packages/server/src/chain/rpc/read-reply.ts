/** Reads what a node answered to one HTTP request: a reply for each call of it, or that it takes no such batch. */
import type { HttpReply } from './http-post.ts'
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
  /** Not taken, for its rate. `withheld`: it never left, since our own queue for this node is full or too slow. */
  | {
      readonly type: 'rate_limited'
      readonly message: string
      readonly retryAfterMs: number | null
      readonly withheld?: true
    }
  /** The request never left. */
  | { readonly type: 'unreached'; readonly message: string }
  /** The request may have arrived; the answer is missing or makes no sense. */
  | { readonly type: 'lost'; readonly message: string; readonly stale?: boolean }

export type BatchReply =
  | { readonly type: 'replies'; readonly replies: readonly RpcReply[] }
  | { readonly type: 'batch_refused'; readonly tooLarge: boolean }

const BATCH_REFUSED_STATUS = new Set([400, 404, 405, 406, 413, 415, 422, 501])

/** Words only: what a short password strikes out of a hash would be missing there. */
export function redactReply(target: RpcUrl, reply: RpcReply): RpcReply {
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

export function readReply(reply: HttpReply, firstId: number, count: number): BatchReply {
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
  if (!isRecord(item)) return { type: 'lost', message: 'the response does not answer this request' }
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
  return reply.status === 200 ? 'the response is not JSON-RPC' : `HTTP ${reply.status}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
