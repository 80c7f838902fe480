/**
 * The nodes of one chain as one. Reads go to one node and stay with it while it answers, so that successive answers come
 * from one view of the chain; what it cannot answer is asked of the next. Broadcasts go to every node that can be
 * reached. The last node is never given up: if all are failing, the one that has rested longest is tried.
 */
import type { Hash, Hex } from '../../core/hex.ts'
import type { SendOutcome } from '../../core/send-outcome.ts'
import { isHeld } from '../../core/send-outcome.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import { combineSendOutcomes } from '../combine-send-outcomes.ts'
import { BadAnswer, NotKnown } from '../rpc-values.ts'
import { classifySendError } from '../send-outcome.ts'
import type { RpcReply, RpcRequest } from './json-rpc.ts'
import type { Endpoint } from './rpc-endpoint.ts'
import type { RpcError } from './rpc-error.ts'

export interface Read<T> extends RpcRequest {
  /** There are nodes without this method: one that lacks it is not asked for it again for a while. */
  readonly optional?: true
  /** Throws BadAnswer on what cannot be true, NotKnown on what this node cannot tell. */
  decode(result: unknown): T
  /** The value that a node's error stands for, or null if the error says nothing about the chain. */
  decodeError?(error: RpcError): { readonly value: T } | null
}

export type ReadReply<T> =
  | { readonly type: 'value'; readonly value: T }
  /** No node has this method. */
  | { readonly type: 'unsupported'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly retryAfterMs: number | null }

export interface RawTransaction {
  readonly raw: Hex
  readonly hash: Hash
}

export interface RpcPool {
  /** A reply for each, in order. Never throws. */
  readEach<T>(reads: readonly Read<T>[]): Promise<readonly ReadReply<T>[]>
  /** Throws ChainUnavailable unless every one has a value. */
  readAll<T>(reads: readonly Read<T>[]): Promise<readonly T[]>
  read<T>(read: Read<T>): Promise<T>
  broadcast(transactions: readonly RawTransaction[]): Promise<readonly SendOutcome[]>
  /** Passes requests through to one node, once, and hands back what it said. */
  forward(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]>
  endpoints(): readonly Endpoint[]
  close(): void
}

const METHOD_MISSING =
  /method .*(not found|not supported|not available|does not exist)|unsupported method|method not|unknown method/i

export function createRpcPool(endpoints: readonly Endpoint[]): RpcPool {
  let preferred = endpoints[0]
  let closed = false

  /** Nodes worth a try, best first. */
  function candidates(): readonly Endpoint[] {
    if (closed) return []
    const ready = endpoints.filter((endpoint) => endpoint.waitMs() === 0)
    if (ready.length > 0) return ready.sort((a, b) => Number(b === preferred) - Number(a === preferred))
    const resting = endpoints.filter((endpoint) => !endpoint.isBarred())
    return resting.sort((a, b) => a.waitMs() - b.waitMs()).slice(0, 1)
  }

  async function readEach<T>(reads: readonly Read<T>[]): Promise<readonly ReadReply<T>[]> {
    const replies: ReadReply<T>[] = reads.map(() => describeNoNode(endpoints, closed))
    let open = reads.map((_, index) => index)
    for (const endpoint of candidates()) {
      if (open.length === 0) break
      const asked = open.filter((index) => {
        const read = reads[index]
        if (read === undefined || !endpoint.lacks(read.method)) return true
        replies[index] = { type: 'unsupported', message: `${read.method} is not supported` }
        return false
      })
      const requests = asked.map((index) => pickRequest(reads[index]))
      const answers = requests.length === 0 ? [] : await endpoint.send(requests, 'read')
      for (const [at, index] of asked.entries()) {
        const [read, answer] = [reads[index], answers[at]]
        if (read !== undefined && answer !== undefined) replies[index] = readAnswer(endpoint, read, answer)
      }
      open = open.filter((index) => replies[index]?.type !== 'value')
      if (open.length === 0) preferred = endpoint
    }
    return replies
  }

  async function readAll<T>(reads: readonly Read<T>[]): Promise<readonly T[]> {
    const replies = await readEach(reads)
    return replies.map((reply, index) => {
      if (reply.type === 'value') return reply.value
      const retryAfterMs = reply.type === 'failed' ? reply.retryAfterMs : null
      throw new ChainUnavailable(`${reads[index]?.method}: ${reply.message}`, { retryAfterMs })
    })
  }

  async function read<T>(one: Read<T>): Promise<T> {
    const [value] = await readAll([one])
    // readAll gives as many values as it was asked for; T itself may be null but is never absent.
    return value as T
  }

  async function broadcast(transactions: readonly RawTransaction[]): Promise<readonly SendOutcome[]> {
    if (transactions.length === 0) return []
    const targets = candidates()
    if (targets.length === 0) return transactions.map(() => describeUnsent(endpoints, closed))
    const requests = transactions.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] }))
    const said: (readonly (SendOutcome | null)[])[] = []
    const combine = () => transactions.map((_, index) => combineSendOutcomes(said.map((list) => list[index] ?? null)))
    return await new Promise((resolve, reject) => {
      for (const endpoint of targets) {
        endpoint.send(requests, 'broadcast').then((replies) => {
          const outcomes = transactions.map(({ hash }, index) => readSendReply(replies[index], hash))
          said.push(outcomes)
          // One node that holds everything settles it; the others get the bytes too, but nobody waits for them.
          const settled = outcomes.every((outcome) => outcome !== null && isHeld(outcome))
          if (settled || said.length === targets.length) resolve(combine())
        }, reject)
      }
    })
  }

  async function forward(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]> {
    const [endpoint] = candidates()
    if (endpoint === undefined) {
      const { message } = describeNoNode(endpoints, closed)
      return requests.map(() => ({ type: 'unreached', message }))
    }
    return await endpoint.send(requests, 'forward')
  }

  return {
    readEach,
    readAll,
    read,
    broadcast,
    forward,
    endpoints: () => endpoints,
    close() {
      closed = true
      for (const endpoint of endpoints) endpoint.close()
    },
  }
}

function pickRequest(read: RpcRequest | undefined): RpcRequest {
  return { method: read?.method ?? '', params: read?.params ?? [] }
}

function readAnswer<T>(endpoint: Endpoint, read: Read<T>, answer: RpcReply): ReadReply<T> {
  switch (answer.type) {
    case 'result':
      return decodeResult(endpoint, read, answer.result)
    case 'error': {
      const meant = read.decodeError?.(answer.error) ?? null
      if (meant !== null) return { type: 'value', value: meant.value }
      if (read.optional && (answer.error.code === -32601 || METHOD_MISSING.test(answer.error.message))) {
        endpoint.noteLacking(read.method)
        return { type: 'unsupported', message: `${endpoint.host}: ${read.method} is not supported` }
      }
      return { type: 'failed', message: `${endpoint.host}: ${answer.error.message.slice(0, 300)}`, retryAfterMs: null }
    }
    case 'rate_limited':
      return { type: 'failed', message: `${endpoint.host}: ${answer.message}`, retryAfterMs: endpoint.waitMs() }
    case 'lost':
    case 'unreached':
      return { type: 'failed', message: `${endpoint.host}: ${answer.message}`, retryAfterMs: null }
  }
}

function decodeResult<T>(endpoint: Endpoint, read: Read<T>, result: unknown): ReadReply<T> {
  try {
    return { type: 'value', value: read.decode(result) }
  } catch (error) {
    if (!(error instanceof BadAnswer) && !(error instanceof NotKnown)) throw error
    if (error instanceof BadAnswer) endpoint.noteGarbage(`${read.method}: ${error.message}`)
    return { type: 'failed', message: `${endpoint.host}: ${error.message}`, retryAfterMs: null }
  }
}

/** Null: this node was not reached, so it has no say. */
function readSendReply(reply: RpcReply | undefined, hash: Hash): SendOutcome | null {
  switch (reply?.type) {
    case 'result':
      return typeof reply.result === 'string' && reply.result.toLowerCase() === hash
        ? { type: 'accepted' }
        : { type: 'ambiguous', message: 'the node answered with something other than the hash of these bytes' }
    case 'error':
      return classifySendError(reply.error)
    case 'rate_limited':
      return { type: 'rate_limited', message: reply.message }
    case 'lost':
      return { type: 'ambiguous', message: reply.message }
    default:
      return null
  }
}

function describeNoNode(endpoints: readonly Endpoint[], closed: boolean): ReadReply<never> & { type: 'failed' } {
  if (closed) return { type: 'failed', message: 'closed', retryAfterMs: null }
  const message = endpoints.map((endpoint) => `${endpoint.host} is ${endpoint.state()}`).join(', ')
  return { type: 'failed', message, retryAfterMs: Math.min(...endpoints.map((endpoint) => endpoint.waitMs())) }
}

function describeUnsent(endpoints: readonly Endpoint[], closed: boolean): SendOutcome {
  const { message } = describeNoNode(endpoints, closed)
  const paused = !closed && endpoints.some((endpoint) => endpoint.state() === 'paused')
  return { type: paused ? 'rate_limited' : 'ambiguous', message }
}
