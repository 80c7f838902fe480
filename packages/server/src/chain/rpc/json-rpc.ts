/**
 * JSON-RPC with one node. Every request gets a reply of its own: a result, the node's error, or a statement that there
 * was no usable answer and whether the request can have arrived. Nothing here throws.
 *
 * Requests leave in batches, through a gate that knows how many calls the node takes in one request and in a second. What
 * is refused for its rate can be waited for: only that is asked again, in smaller batches. A `witness` is a call that goes
 * along in every batch; what its answer refutes was not answered by the node that was meant.
 */

import { backOff } from '../../core/back-off.ts'
import type { Clock } from '../../ports/clock.ts'
import { createBatchSize } from './batch-size.ts'
import { createCallGate } from './call-gate.ts'
import { type Priority, priorityOf } from './call-priority.ts'
import { createCallRate } from './call-rate.ts'
import { createHttpPost, type OpenPost } from './http-post.ts'
import { type BatchReply, type RpcReply, type RpcRequest, readReply, redactReply } from './read-reply.ts'
import type { RpcUrl } from './rpc-url.ts'

export interface JsonRpcOptions {
  readonly timeoutMs: number
  readonly maxConcurrent: number
  readonly maxBatch: number
  readonly maxResponseBytes: number
  /** The longest pause that a node can ask for. */
  readonly maxPauseMs?: number
  /** How requests travel; left out: over HTTP. */
  readonly openPost?: OpenPost
}

export interface Witness {
  readonly request: RpcRequest
  /** Why the other answers of the same batch cannot be believed; null if this reply gives no reason for doubt. */
  refute(reply: RpcReply): string | null
}

export interface SendOptions {
  readonly priority?: Priority
  /** Asks again for what was refused for its rate, as long as there is time. */
  readonly patient?: boolean
  readonly witness?: Witness | null
  /** What the calls are counted as, where not by the names of their methods. */
  readonly label?: string
}

/** One HTTP request, as it went. */
export interface Exchange {
  readonly requests: readonly RpcRequest[]
  readonly replies: readonly RpcReply[]
  readonly tookMs: number
  readonly label: string | null
}

export interface JsonRpcClient {
  /** `ordered`: one after the other, and nothing more after an answer was lost. */
  send(requests: readonly RpcRequest[], ordered: boolean, options?: SendOptions): Promise<readonly RpcReply[]>
  /** Calls that one request may hold now. */
  batchSize(): number
  /** How long nothing is sent, because the node said so. */
  pausedMs(): number
  /** The node refused the last request for its rate. */
  isRefused(): boolean
  /** What came now would have to wait. */
  isBusy(): boolean
  /** What the node was found to allow; null if it never refused. */
  callsPerSecond(): number | null
  connections(): number
  close(): void
}

type RepliesOf = readonly RpcReply[]

interface Job extends SendOptions {
  readonly ordered: boolean
  readonly priority: Priority
  readonly deadline: number
}

const MAX_PAUSE_MS = 60_000
const FIRST_PAUSE_MS = 100
const MAX_OWN_PAUSE_MS = 5_000
/** A node that asks for this much time means a quota, not a rate. */
const QUOTA_MS = 5_000

export function createJsonRpcClient(
  target: RpcUrl,
  options: JsonRpcOptions & { readonly clock: Clock; readonly onExchange?: (exchange: Exchange) => void },
): JsonRpcClient {
  const { clock, maxConcurrent, maxPauseMs = MAX_PAUSE_MS, openPost = createHttpPost } = options
  const transport = openPost({ ...options, url: target.url, maxSockets: maxConcurrent })
  const size = createBatchSize(Math.max(1, options.maxBatch), clock)
  const rate = createCallRate(clock)
  const gate = createCallGate({ maxConcurrent, rate, clock, batchSize: size.current })
  let refusals = 0
  let pausedAt = Number.NEGATIVE_INFINITY
  let nextId = 1

  async function exchange(requests: readonly RpcRequest[], label: string | null): Promise<BatchReply> {
    const firstId = nextId
    nextId += requests.length
    const calls = requests.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: firstId + index, method, params }))
    const startedAt = clock.monotonic()
    const isProbe = gate.isProbing()
    const answer = await transport.post(JSON.stringify(calls.length === 1 ? calls[0] : calls))
    const outcome = readReply(answer, firstId, requests.length)
    if (outcome.type !== 'replies') return outcome
    const replies = outcome.replies.map((reply) => redactReply(target, reply))
    learnRate(replies, startedAt, isProbe)
    options.onExchange?.({ requests, replies, tookMs: clock.monotonic() - startedAt, label })
    return { type: 'replies', replies }
  }

  function learnRate(replies: readonly RpcReply[], startedAt: number, isProbe: boolean): void {
    const answered = replies.filter(isAnswer).length
    const refused = replies.filter((reply) => reply.type === 'rate_limited')
    if (answered > 0) {
      rate.noteAnswered(answered)
      if (startedAt >= pausedAt) {
        refusals = 0
        gate.resume()
      }
    }
    if (refused.length === 0) return void size.noteTaken(replies.length)
    const askedForMs = Math.max(0, ...refused.map(({ retryAfterMs }) => retryAfterMs ?? 0))
    // Neither a lone request after a refusal nor a used-up quota shows how fast requests may follow.
    if (!isProbe && askedForMs < QUOTA_MS) rate.noteRefused(replies.length)
    size.noteRateRefused(replies.length)
    // Refusals of requests sent before the pause are no news, unless they name a time.
    if (answered > 0 || (startedAt < pausedAt && askedForMs === 0)) return
    refusals++
    const ownMs = backOff(refusals, { first: FIRST_PAUSE_MS, max: MAX_OWN_PAUSE_MS })
    pausedAt = clock.monotonic()
    gate.pause(Math.max(ownMs, Math.min(askedForMs, maxPauseMs)))
  }

  async function sendSlice(slice: readonly RpcRequest[], job: Job, witness: Witness | null): Promise<RepliesOf> {
    const requests = witness === null ? slice : [...slice, witness.request]
    const outcome = await exchange(requests, job.label ?? null).finally(gate.leave)
    if (outcome.type === 'replies') return believe(outcome.replies, witness)
    if (witness !== null && slice.length === 1) return await sendWithoutWitness(slice, job)
    if (outcome.tooLarge) size.noteSizeRefused(requests.length)
    else size.noteArraysRefused()
    return await sendSlices(slice, job)
  }

  /** A proxy in trouble answers a batch with a lone error too: only one that then answers a lone call takes no batches. */
  async function sendWithoutWitness(slice: readonly RpcRequest[], job: Job): Promise<RepliesOf> {
    const replies = await sendSlices(slice, { ...job, witness: null })
    if (replies.some(({ type }) => type === 'result')) size.noteArraysRefused()
    return replies
  }

  async function sendSlices(requests: readonly RpcRequest[], job: Job): Promise<RepliesOf> {
    const slices: Promise<RepliesOf>[] = []
    const endWith = (count: number, reply: RpcReply) => slices.push(Promise.resolve(repeat(count, reply)))
    for (let at = 0; at < requests.length; ) {
      const { count, witness } = await enter(requests.length - at, job)
      if (count === 0) {
        endWith(requests.length - at, describeWithheld())
        break
      }
      const answers = sendSlice(requests.slice(at, at + count), job, witness)
      slices.push(answers)
      at += count
      if (!job.ordered) continue
      const given = await answers
      if (given.some(isAnswer)) continue
      const limited = given.find(({ type }) => type === 'rate_limited')
      endWith(requests.length - at, limited ?? { type: 'unreached', message: 'not sent after a lost answer' })
      break
    }
    return (await Promise.all(slices)).flat()
  }

  async function enter(wanted: number, { priority, deadline, witness = null }: Job) {
    const extra = witness !== null && size.current() > 1 ? 1 : 0
    const granted = await gate.enter({ wanted: wanted + extra, atLeast: 1 + extra, priority, deadline })
    const isAttended = extra === 1 && granted > 1
    return { count: isAttended ? granted - 1 : Math.min(wanted, granted), witness: isAttended ? witness : null }
  }

  function describeWithheld(): RpcReply {
    const message = gate.isProbing()
      ? 'the RPC node answered 429 and is paused'
      : 'too many calls are waiting for this RPC node'
    return { type: 'rate_limited', message, retryAfterMs: gate.pausedMs(), withheld: true }
  }

  return {
    async send(requests, ordered, given = {}) {
      const { patient = false, priority = priorityOf(requests) } = given
      const deadline = clock.monotonic() + options.timeoutMs
      const job: Job = { ...given, ordered, deadline, priority }
      const replies = [...(await sendSlices(requests, job))]
      for (;;) {
        const again = patient && clock.monotonic() < deadline ? findRefused(replies) : []
        if (again.length === 0) return replies
        const more = await sendSlices(
          again.flatMap((index) => requests[index] ?? []),
          job,
        )
        for (const [at, index] of again.entries()) replies[index] = more[at] ?? describeWithheld()
      }
    },
    batchSize: size.current,
    pausedMs: gate.pausedMs,
    isRefused: gate.isProbing,
    isBusy: gate.isBusy,
    callsPerSecond: rate.perSecond,
    connections: transport.connections,
    close() {
      gate.close()
      transport.close()
    },
  }
}

function believe(replies: RepliesOf, witness: Witness | null): RepliesOf {
  const last = replies.at(-1)
  if (witness === null || last === undefined) return replies
  const own = replies.slice(0, -1)
  const message = witness.refute(last)
  return message === null ? own : repeat(own.length, { type: 'lost', message })
}

/** A withheld call ran out of time, so it is not sent again. */
function findRefused(replies: RepliesOf): readonly number[] {
  return replies.flatMap((reply, index) => (reply.type === 'rate_limited' && !reply.withheld ? [index] : []))
}

function isAnswer({ type }: RpcReply): boolean {
  return type === 'result' || type === 'error'
}

function repeat(count: number, reply: RpcReply): RepliesOf {
  return Array.from({ length: count }, () => reply)
}
