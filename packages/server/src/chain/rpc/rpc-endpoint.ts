/**
 * One node of the pool and what is known about it. A node is used only after it said that it serves our chain, and has
 * to say so again after every failure: behind one URL there may be another machine by then. Failures back off twice as
 * long each time; being told to slow down is not a failure, only a pause.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseCount } from '../rpc-values.ts'
import { createJsonRpcClient, type JsonRpcOptions, type RpcReply, type RpcRequest } from './json-rpc.ts'
import type { RpcUrl } from './rpc-url.ts'

export type EndpointState = 'unverified' | 'healthy' | 'failing' | 'paused' | 'wrong_chain'

export interface Endpoint {
  readonly host: string
  state(): EndpointState
  /** How long until it should be tried again: 0 is now. */
  waitMs(): number
  /** Told to slow down, or of another chain: not to be tried before its time even if nothing else is left. */
  isBarred(): boolean
  lacks(method: string): boolean
  noteLacking(method: string): void
  /** An answer of the right form that makes no sense. */
  noteGarbage(message: string): void
  send(requests: readonly RpcRequest[], purpose: Purpose): Promise<readonly RpcReply[]>
  close(): void
}

/** Reads and signed bytes can be sent again without harm; what is passed on for somebody else cannot. */
export type Purpose = 'read' | 'broadcast' | 'forward'

export interface EndpointOptions extends JsonRpcOptions {
  readonly chainId: number
  readonly clock: Clock
  readonly telemetry: Telemetry
}

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 15_000
const DEFAULT_PAUSE_MS = 1_000
const WRONG_CHAIN_RECHECK_MS = 30_000
const LACKING_RECHECK_MS = 10 * 60_000

const LOG_LEVELS = {
  unverified: 'debug',
  healthy: 'info',
  failing: 'warn',
  paused: 'warn',
  wrong_chain: 'error',
} as const

export function createEndpoint(target: RpcUrl, options: EndpointOptions): Endpoint {
  const { chainId, clock, telemetry } = options
  const client = createJsonRpcClient(target, options)
  /** Methods, and until when they are not asked for. */
  const lacking = new Map<string, number>()
  let state: EndpointState = 'unverified'
  let failures = 0
  let notBefore = clock.monotonic()
  let verification: Promise<RpcReply | null> | null = null

  function enter(next: EndpointState, waitMs: number, reason: string): void {
    notBefore = clock.monotonic() + waitMs
    if (next === state) return
    telemetry.gauge('drover_rpc_endpoint_up', next === 'healthy' ? 1 : 0, { chainId, host: target.host })
    telemetry.log(LOG_LEVELS[next], `RPC endpoint is ${next}`, { host: target.host, reason })
    state = next
  }

  function fail(message: string): void {
    failures++
    enter('failing', Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10)), message)
  }

  function tell(requests: readonly RpcRequest[], replies: readonly RpcReply[], purpose: Purpose): void {
    const { host } = target
    for (const [index, { type: outcome }] of replies.entries()) {
      // What is passed on for others has names that they choose: no label may grow by those.
      const method = purpose === 'forward' ? 'forwarded' : (requests[index]?.method ?? 'unknown')
      telemetry.count('drover_rpc_requests_total', { chainId, host, method, outcome })
    }
  }

  function learn(replies: readonly RpcReply[]): readonly RpcReply[] {
    const limited = replies.find((reply) => reply.type === 'rate_limited')
    const broken = replies.find((reply) => reply.type === 'lost' || reply.type === 'unreached')
    if (limited !== undefined) enter('paused', limited.retryAfterMs ?? DEFAULT_PAUSE_MS, limited.message)
    else if (broken !== undefined) fail(broken.message)
    else if (state === 'healthy' || state === 'paused') {
      // Not from `failing`: an answer that was under way when another request failed does not tell who answers now.
      failures = 0
      enter('healthy', 0, 'answers again')
    }
    return replies
  }

  /**
   * A query that somebody else made too heavy gets no answer in time, or too long a one: that must not take the node away
   * from our own work, which finds out soon enough if it is down.
   */
  function learnFromForeign(replies: readonly RpcReply[]): readonly RpcReply[] {
    learn(replies.filter(({ type }) => type !== 'lost'))
    return replies
  }

  /** Null once it serves our chain; else the reply to whatever was to be asked of it. */
  async function verify(): Promise<RpcReply | null> {
    const requests = [{ method: 'eth_chainId', params: [] }]
    const replies = await client.send(requests, false)
    tell(requests, replies, 'read')
    const [reply] = replies
    const actual = reply?.type === 'result' ? parseCount(reply.result) : null
    if (actual === chainId) {
      lacking.clear()
      failures = 0
      enter('healthy', 0, 'serves the right chain')
      return null
    }
    if (reply?.type === 'rate_limited') {
      learn([reply])
      return reply
    }
    const message =
      actual === null ? 'the node does not tell its chain id' : `the node serves chain ${actual}, not ${chainId}`
    if (actual === null) fail(message)
    else enter('wrong_chain', WRONG_CHAIN_RECHECK_MS, message)
    return { type: 'unreached', message }
  }

  async function ensureVerified(): Promise<RpcReply | null> {
    // A node that was only told to pause is still the same node.
    if (state === 'healthy' || state === 'paused') return null
    verification ??= verify().finally(() => {
      verification = null
    })
    return await verification
  }

  return {
    host: target.host,
    state: () => state,
    waitMs: () => Math.max(0, notBefore - clock.monotonic()),
    isBarred: () => (state === 'paused' || state === 'wrong_chain') && notBefore > clock.monotonic(),
    lacks: (method) => (lacking.get(method) ?? 0) > clock.monotonic(),
    noteLacking: (method) => void lacking.set(method, clock.monotonic() + LACKING_RECHECK_MS),
    noteGarbage: fail,
    async send(requests, purpose) {
      const problem = await ensureVerified()
      if (problem !== null) return requests.map(() => problem)
      const replies = await sendTimed(requests, purpose)
      if (purpose === 'forward') return learnFromForeign(replies)
      if (!replies.every(isStale)) return learn(replies)
      // Once more over a new connection; who is at its other end has to be found out first.
      enter('unverified', 0, 'an idle connection was closed')
      const changed = await ensureVerified()
      return changed !== null ? requests.map(() => changed) : learn(await sendTimed(requests, purpose))
    },
    close: () => client.close(),
  }

  async function sendTimed(requests: readonly RpcRequest[], purpose: Purpose): Promise<readonly RpcReply[]> {
    const startedAt = clock.monotonic()
    const replies = await client.send(requests, purpose === 'broadcast')
    tell(requests, replies, purpose)
    telemetry.observe('drover_rpc_request_seconds', (clock.monotonic() - startedAt) / 1000, { host: target.host })
    return replies
  }
}

function isStale(reply: RpcReply): boolean {
  return reply.type === 'lost' && reply.stale === true
}
