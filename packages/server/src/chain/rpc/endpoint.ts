/**
 * One node of the pool and what is known about it. A node is used only after it said that it serves our chain, and has
 * to say so again after every failure, and along with every answer that matters (see chain-witness). Failures back off
 * twice as long each time; being told to slow down is not a failure.
 */

import { backOff } from '../../core/back-off.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EndpointReport, EndpointState } from '../../ports/endpoint-report.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseCount } from '../rpc-values.ts'
import { PRIORITY } from './call-priority.ts'
import { CHAIN_ID_REQUEST, createChainWitness, describeForeign, needsProof } from './chain-witness.ts'
import { countExchange } from './count-exchange.ts'
import { createEndpointFigures } from './endpoint-figures.ts'
import { createEndpointLog } from './endpoint-log.ts'
import { createJsonRpcClient, type Exchange, type JsonRpcOptions } from './json-rpc.ts'
import type { RpcReply, RpcRequest } from './read-reply.ts'
import { createReadTurn } from './read-turn.ts'
import { isMethodMissing } from './rpc-error.ts'
import type { RpcUrl } from './rpc-url.ts'

/**
 * Reads and signed bytes can be sent again without harm; calls forwarded for others cannot. A `view` is a read that others
 * chose: it may be as heavy as they like.
 */
export type Purpose = 'read' | 'view' | 'broadcast' | 'forward'

/** What its height, compared with those of others, says about it. */
export type HeightVerdict = 'in_step' | 'lagging' | 'implausible'

export interface EndpointHead {
  readonly number: number
  readonly seenAt: number
  readonly lagBlocks: number
}

export interface Endpoint {
  /** Host and port; with its position where several URLs share them. */
  readonly name: string
  state(): EndpointState
  /** How long it has been healthy; 0 while it is not. */
  healthyMs(): number
  /** How long until it should be tried again: 0 is now. */
  waitMs(): number
  /** Serves another chain: not tried before its time, even if no other node is left. */
  isBarred(): boolean
  /** It is rate limited, or has as many calls as it takes for now. */
  isBusy(): boolean
  lacks(method: string): boolean
  noteLacking(method: string): void
  /** An answer of the right form that makes no sense. */
  noteGarbage(message: string): void
  /** It refused bytes as those of another chain. */
  noteWrongChain(message: string): void
  noteHead(head: EndpointHead, verdict: HeightVerdict): void
  /** The newest block that it reported; 0 until it reports one. */
  height(): number
  callsPerSecond(): number | null
  /** The quickest answer of the last hour; null if there was none. */
  fastestMs(): number | null
  /** `patient`: waits for what is refused for its rate, as long as a request may take. */
  send(requests: readonly RpcRequest[], purpose: Purpose, patient?: boolean): Promise<readonly RpcReply[]>
  report(inUse: boolean): Omit<EndpointReport, 'roles'>
  close(): void
}

export interface EndpointOptions extends JsonRpcOptions {
  readonly name: string
  readonly chainId: number
  /** Nothing is read from it, and it need not have any method but the one to send. */
  readonly isSendOnly?: boolean
  readonly clock: Clock
  readonly telemetry: Telemetry
}

const FAILURE_PAUSES = { first: 250, max: 15_000 }
const BAR_PAUSES = { first: 1_000, max: 30_000 }
const BARS_FORGOTTEN_MS = 60_000
const LACKING_RECHECK_MS = 10 * 60_000
const PROOF_LASTS_MS = 30_000

export function createEndpoint(target: RpcUrl, options: EndpointOptions): Endpoint {
  const { chainId, clock, name, telemetry } = options
  const figures = createEndpointFigures(clock)
  const log = createEndpointLog(options)
  const client = createJsonRpcClient(target, { ...options, onExchange: noteExchange })
  const witness = createChainWitness({ chainId, onProof: noteProof, onForeign: bar })
  /** Methods, and until when they are not asked for. */
  const lacking = new Map<string, number>()
  let standing: 'unverified' | 'healthy' | 'failing' | 'wrong_chain' = 'unverified'
  let height: HeightVerdict = 'in_step'
  let head: EndpointHead | null = null
  let shown: EndpointState = 'unverified'
  let since = { at: clock.now(), monotonic: clock.monotonic() }
  let lastError: EndpointReport['lastError'] = null
  let failures = 0
  let bars = 0
  let barredAt = Number.NEGATIVE_INFINITY
  let notBefore = clock.monotonic()
  let proof = { at: Number.NEGATIVE_INFINITY, connections: 0 }
  let verification: Promise<RpcReply | null> | null = null

  function state(): EndpointState {
    if (standing !== 'healthy') return standing
    if (client.isRefused()) return 'rate_limited'
    return height === 'in_step' ? 'healthy' : height
  }

  const waitMs = () => Math.max(0, notBefore - clock.monotonic(), client.pausedMs())

  /** Called after anything that may have changed the state. */
  function show(reason: string): void {
    const next = state()
    if (next === shown) return
    shown = next
    since = { at: clock.now(), monotonic: clock.monotonic() }
    log.entered(next, reason)
  }

  function stand(next: typeof standing, waitMs: number, reason: string): void {
    standing = next
    notBefore = clock.monotonic() + waitMs
    show(reason)
  }

  function fail(message: string): void {
    // A failed answer from a node of another chain does not change what we know about it.
    if (standing === 'wrong_chain') return
    noteError(message)
    // Requests that were under way together are one piece of news.
    if (standing === 'failing' && notBefore > clock.monotonic()) return
    failures++
    stand('failing', backOff(failures, FAILURE_PAUSES), message)
  }

  function bar(message: string): void {
    // Answers to requests that were under way together are one piece of news.
    if (standing === 'wrong_chain' && notBefore > clock.monotonic()) return
    bars = clock.monotonic() - barredAt > BARS_FORGOTTEN_MS ? 1 : bars + 1
    barredAt = clock.monotonic()
    noteError(message)
    stand('wrong_chain', backOff(bars, BAR_PAUSES), message)
  }

  function noteError(message: string): void {
    lastError = { message: message.slice(0, 300), at: clock.now() }
  }

  function noteProof(): void {
    proof = { at: clock.monotonic(), connections: client.connections() }
  }

  function noteExchange(exchange: Exchange): void {
    figures.note(exchange)
    countExchange(exchange, options)
    telemetry.observe('drover_rpc_request_seconds', exchange.tookMs / 1000, { host: name })
    const refused = exchange.replies.find(({ type }) => type === 'rate_limited')
    if (refused?.type === 'rate_limited') noteError(refused.message)
    telemetry.gauge('drover_rpc_endpoint_calls_per_second', client.callsPerSecond() ?? 0, { chainId, host: name })
    show(refused?.type === 'rate_limited' ? refused.message : 'responds again')
  }

  function learn(replies: readonly RpcReply[]): readonly RpcReply[] {
    const broken = replies.find((reply) => reply.type === 'lost' || reply.type === 'unreached')
    if (broken !== undefined) fail(broken.message)
    // Not from `failing`: an answer that was under way when another request failed does not tell who answers now.
    else if (standing === 'healthy') failures = 0
    return replies
  }

  /** Null once it serves our chain; otherwise the reply to the calls that were to be sent. */
  async function verify(patient: boolean): Promise<RpcReply | null> {
    const [reply] = await client.send([CHAIN_ID_REQUEST], false, { patient, priority: PRIORITY.heads })
    const actual = reply?.type === 'result' ? parseCount(reply.result) : null
    if (actual === chainId) {
      if (standing !== 'healthy') lacking.clear()
      // Failures count on until it answers more than this: one that knows only its chain is of no use.
      noteProof()
      stand('healthy', 0, 'serves the right chain')
      return null
    }
    if (reply?.type === 'rate_limited') return reply
    if (options.isSendOnly === true && reply?.type === 'error' && isMethodMissing(reply.error)) {
      // It takes only transactions, which name their chain themselves.
      noteProof()
      stand('healthy', 0, 'responds')
      return null
    }
    if (actual !== null) {
      bar(describeForeign(actual, chainId))
      return { type: 'unreached', message: describeForeign(actual, chainId) }
    }
    const message = describeSilence(reply)
    if (standing === 'wrong_chain') stand('unverified', 0, message)
    fail(message)
    return { type: 'unreached', message }
  }

  async function verifyOnce(patient: boolean): Promise<RpcReply | null> {
    verification ??= verify(patient).finally(() => {
      verification = null
    })
    return await verification
  }

  const ensureVerified = async (patient: boolean) => (standing === 'healthy' ? null : await verifyOnce(patient))

  /** Whatever is asked: the proof is renewed now and then, and after every new connection. */
  const isProofDue = () => clock.monotonic() - proof.at > PROOF_LASTS_MS || proof.connections !== client.connections()

  async function sendOnce(requests: readonly RpcRequest[], purpose: Purpose, patient: boolean) {
    const wanted = isProofDue() || (purpose !== 'forward' && needsProof(requests))
    if (wanted && client.batchSize() === 1) {
      // This node takes no batches: the question has to go alone, and not with every request.
      const problem = isProofDue() ? await verifyOnce(patient) : null
      if (problem !== null) return requests.map(() => problem)
    }
    return await client.send(requests, purpose === 'broadcast', {
      patient,
      witness: wanted ? witness : null,
      // What is passed on for others has names that they choose: no label may grow by those.
      ...(purpose === 'forward' && { priority: PRIORITY.forwarded, label: 'forwarded' }),
      ...(purpose === 'view' && { priority: PRIORITY.forwarded }),
    })
  }

  /**
   * A query that somebody else made too heavy gets no answer in time, or too long a one: that must not take the node away
   * from our own work, which finds out soon enough if it is down.
   */
  function learnFrom(replies: readonly RpcReply[], purpose: Purpose): readonly RpcReply[] {
    const isForeign = purpose === 'forward' || purpose === 'view'
    learn(isForeign ? replies.filter(({ type }) => type !== 'lost') : replies)
    return replies
  }

  async function sendNow(requests: readonly RpcRequest[], purpose: Purpose, patient: boolean) {
    const problem = await ensureVerified(patient)
    if (problem !== null) return requests.map(() => problem)
    const replies = await sendOnce(requests, purpose, patient)
    if (purpose === 'forward' || !replies.every(isStale)) return learnFrom(replies, purpose)
    // What is asked for by the hash of a block proves its chain, and a call that ends connections is no news of the node.
    if (purpose === 'view') return learnFrom(await sendOnce(requests, purpose, patient), purpose)
    // Try again over a new connection, after checking which chain is at its other end.
    stand('unverified', 0, 'an idle connection was closed')
    const changed = await ensureVerified(patient)
    const again = changed !== null ? requests.map(() => changed) : learn(await sendOnce(requests, purpose, patient))
    // The first time they may have arrived: bytes that did not leave the second time are lost, not unsent.
    return purpose === 'broadcast'
      ? again.map((reply, at) => (isUnsent(reply) ? (replies[at] ?? reply) : reply))
      : again
  }

  const readInTurn = createReadTurn({
    batchSize: client.batchSize,
    isRefused: client.isRefused,
    send: (requests, patient) => sendNow(requests, 'read', patient),
  })

  return {
    name,
    state,
    healthyMs: () => (state() === 'healthy' ? clock.monotonic() - since.monotonic : 0),
    waitMs,
    isBarred: () => standing === 'wrong_chain' && notBefore > clock.monotonic(),
    isBusy: client.isBusy,
    lacks: (method) => (lacking.get(method) ?? 0) > clock.monotonic(),
    noteLacking: (method) => void lacking.set(method, clock.monotonic() + LACKING_RECHECK_MS),
    noteGarbage: fail,
    noteWrongChain: bar,
    noteHead(seen, verdict) {
      head = seen
      height = verdict
      telemetry.gauge('drover_rpc_endpoint_head', seen.number, { chainId, host: name })
      telemetry.gauge('drover_rpc_endpoint_lag_blocks', seen.lagBlocks, { chainId, host: name })
      show(describeHeight(seen, verdict))
    },
    height: () => head?.number ?? 0,
    callsPerSecond: client.callsPerSecond,
    fastestMs: figures.fastestMs,
    send: (requests, purpose, patient = false) =>
      purpose === 'read' ? readInTurn(requests, patient) : sendNow(requests, purpose, patient),
    report: (inUse) => ({
      name,
      inUse,
      lastError,
      state: state(),
      since: since.at,
      retryAt: waitMs() === 0 ? null : clock.now() + waitMs(),
      head: head && { number: head.number, seenAt: head.seenAt },
      lagBlocks: head?.lagBlocks ?? null,
      errorRate: figures.errorRate(),
      latencyMs: figures.latencyMs(),
      callsPerSecond: client.callsPerSecond(),
    }),
    close: () => client.close(),
  }
}

function describeSilence(reply: RpcReply | undefined): string {
  if (reply?.type === 'result') return 'it answers eth_chainId with an invalid chain id'
  if (reply?.type === 'error') return `eth_chainId fails: ${reply.error.message.slice(0, 200)}`
  return reply?.message ?? 'no answer'
}

function describeHeight({ number, lagBlocks }: EndpointHead, verdict: HeightVerdict): string {
  if (verdict === 'implausible') return `it reports block ${number}, but cannot return it`
  return verdict === 'lagging' ? `it is ${lagBlocks} blocks behind the others` : 'it has caught up'
}

function isUnsent({ type }: RpcReply): boolean {
  return type === 'unreached' || type === 'rate_limited'
}

function isStale(reply: RpcReply): boolean {
  return reply.type === 'lost' && reply.stale === true
}
