/**
 * The nodes of one chain as one. What one node cannot answer is asked of the next; what one refuses for its rate goes to
 * another at once, and is waited for only where there is no other. Answers that came are kept: only the rest is asked again.
 */
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import type { EndpointReport } from '../../ports/endpoint-report.ts'
import type { Endpoint, Purpose } from './endpoint.ts'
import { createEndpointChoice, type ReadWeights } from './endpoint-choice.ts'
import { broadcastTo, type RawTransaction } from './pool-broadcast.ts'
import { decodeReply, type Read, type ReadReply } from './pool-read.ts'
import type { RpcReply, RpcRequest } from './read-reply.ts'

export interface NodeReplies<T> {
  readonly host: string
  readonly replies: Promise<readonly ReadReply<T>[]>
}

type ReadPurpose = Extract<Purpose, 'read' | 'view'>

export interface RpcPool {
  readonly endpoints: readonly Endpoint[]
  /** A reply for each, in order. Never throws. */
  readEach<T>(reads: readonly Read<T>[]): Promise<readonly ReadReply<T>[]>
  /** Throws ChainUnavailable unless every one has a value. */
  readAll<T>(reads: readonly Read<T>[]): Promise<readonly T[]>
  read<T>(read: Read<T>): Promise<T>
  /** The same reads of each node that is ready, at most `limit`, side by side: their replies as they come. Never throws. */
  readFromEach<T>(reads: readonly Read<T>[], limit: number, purpose?: ReadPurpose): readonly NodeReplies<T>[]
  broadcast(transactions: readonly RawTransaction[]): Promise<readonly SendOutcome[]>
  /** Passes requests through to one node, once, and hands back what it said. */
  forward(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]>
  /** The node that reads go to now; null if none can be used. */
  inUse(): Endpoint | null
  report(): readonly Omit<EndpointReport, 'roles'>[]
  close(): void
}

/** `shares`: how reads are spread; left out: they go to the first that is healthy. */
export function createRpcPool(endpoints: readonly Endpoint[], shares: ReadWeights | null = null): RpcPool {
  const choice = createEndpointChoice(endpoints, shares)
  let closed = false

  const listReadable = () => (closed ? [] : choice.readable())

  async function readEach<T>(reads: readonly Read<T>[]): Promise<readonly ReadReply<T>[]> {
    const replies: ReadReply<T>[] = reads.map(() => describeNoNode())
    const listOpen = () => reads.flatMap((_, index) => (replies[index]?.type === 'value' ? [] : [index]))
    const asked = new Set<Endpoint>()
    for (const endpoint of listReadable()) {
      if (listOpen().length === 0) break
      if (endpoint.isBusy()) continue
      asked.add(endpoint)
      await ask(endpoint, reads, listOpen(), replies)
    }
    const limited = closed ? null : choice.findLimited()
    if (limited === null) return replies
    // A node would refuse again what it refused for other reasons than its rate limit.
    const open = listOpen().filter((index) => !asked.has(limited) || isLimited(replies[index]))
    if (open.length > 0) await ask(limited, reads, open, replies, { patient: true })
    return replies
  }

  async function ask<T>(
    endpoint: Endpoint,
    reads: readonly Read<T>[],
    open: readonly number[],
    replies: ReadReply<T>[],
    { patient = false, purpose = 'read' }: { readonly patient?: boolean; readonly purpose?: ReadPurpose } = {},
  ): Promise<void> {
    const wanted = open.filter((index) => {
      const read = reads[index]
      if (read === undefined || !endpoint.lacks(read.method)) return true
      replies[index] = { type: 'unsupported', message: `${read.method} is not supported` }
      return false
    })
    if (wanted.length === 0) return
    const requests = wanted.map((index) => pickRequest(reads[index]))
    const answers = await endpoint.send(requests, purpose, patient)
    for (const [at, index] of wanted.entries()) {
      const [read, answer] = [reads[index], answers[at]]
      if (read !== undefined && answer !== undefined) replies[index] = decodeReply(endpoint, read, answer)
    }
    if (wanted.every((index) => replies[index]?.type === 'value')) choice.noteServed(endpoint)
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

  function readFromEach<T>(
    reads: readonly Read<T>[],
    limit: number,
    purpose: ReadPurpose = 'read',
  ): readonly NodeReplies<T>[] {
    const readFrom = async (endpoint: Endpoint): Promise<readonly ReadReply<T>[]> => {
      const replies: ReadReply<T>[] = reads.map(() => describeNoNode())
      await ask(endpoint, reads, [...reads.keys()], replies, { purpose })
      return replies
    }
    return listReadable()
      .slice(0, limit)
      .map((endpoint) => ({ host: endpoint.name, replies: readFrom(endpoint) }))
  }

  async function broadcast(transactions: readonly RawTransaction[]): Promise<readonly SendOutcome[]> {
    if (transactions.length === 0) return []
    const targets = closed ? [] : choice.sendable()
    const away = endpoints.filter((endpoint) => !targets.includes(endpoint) && !endpoint.isBarred())
    if (targets.length > 0) return await broadcastTo(targets, transactions, away)
    return transactions.map(() => ({ type: 'ambiguous', message: describeNoNode().message }))
  }

  async function forward(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]> {
    const targets = listReadable()
    const free = targets.filter((target) => !target.isBusy())
    const replies: RpcReply[] = requests.map(() => ({ type: 'unreached', message: describeNoNode().message }))
    let open = [...requests.keys()]
    async function pass(endpoint: Endpoint, patient: boolean): Promise<void> {
      const answers = await endpoint.send(
        open.map((index) => pickRequest(requests[index])),
        'forward',
        patient,
      )
      for (const [at, index] of open.entries()) replies[index] = answers[at] ?? describeLost()
      // A rate-limited call was not run, so it can safely be sent again.
      open = open.filter((index) => replies[index]?.type === 'rate_limited')
    }
    for (const endpoint of free) {
      await pass(endpoint, false)
      if (open.length === 0 || replies.some(({ type }) => type !== 'rate_limited')) break
    }
    const last = closed ? null : (choice.findLimited() ?? (free.length === 0 ? targets[0] : null))
    if (open.length > 0 && last) await pass(last, true)
    return replies
  }

  function describeNoNode(): ReadReply<never> & { type: 'failed' } {
    if (closed) return { type: 'failed', message: 'closed', retryAfterMs: null }
    const message = endpoints.map((endpoint) => `${endpoint.name} is ${endpoint.state()}`).join(', ')
    return { type: 'failed', message, retryAfterMs: Math.min(...endpoints.map((endpoint) => endpoint.waitMs())) }
  }

  return {
    endpoints,
    readEach,
    readAll,
    read,
    readFromEach,
    broadcast,
    forward,
    inUse: () => listReadable()[0] ?? null,
    report() {
      const [used] = listReadable()
      return endpoints.map((endpoint) => endpoint.report(endpoint === used))
    },
    close() {
      closed = true
      for (const endpoint of endpoints) endpoint.close()
    },
  }
}

function describeLost(): RpcReply {
  return { type: 'lost', message: 'no answer' }
}

function isLimited(reply: ReadReply<unknown> | undefined): boolean {
  return reply?.type === 'failed' && reply.limited === true
}

function pickRequest(read: RpcRequest | undefined): RpcRequest {
  return { method: read?.method ?? '', params: read?.params ?? [] }
}
