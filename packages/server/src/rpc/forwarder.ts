/**
 * Forwards calls to the chain's nodes, within limits: a maximum number of requests at one time, so a caller's flood
 * does not use up the connections that the engine follows the chain with, and a bounded wait for a turn. Tenants take
 * turns, so heavy calls of one tenant make only that tenant wait. A node's answer is passed on as is; a failure to
 * answer is reported in our own words.
 */
import { AppError } from '../core/app-error.ts'
import { createFairTurns } from '../engine/tenants/fair-turns.ts'
import type { Gone } from '../engine/tenants/gone.ts'
import type { Tenant } from '../engine/tenants/tenant-pool.ts'
import { NO_PACE, type UpstreamPace } from '../engine/tenants/upstream-pace.ts'
import type { Clock } from '../ports/clock.ts'
import type { Upstream, UpstreamReply, UpstreamRequest } from '../ports/upstream.ts'
import { RpcFailure } from './rpc-failure.ts'

/** `aborted` once nobody waits for the answer any more. */
export type CallerGone = Pick<Gone, 'aborted'>

export interface Forwarder {
  /**
   * An answer for each, in order; what a node refused is a rejection. Once the caller has gone, only signed bytes are
   * still passed on: a node has enough to do for those who are there.
   */
  forwardEach(
    requests: readonly UpstreamRequest[],
    gone?: CallerGone,
  ): Promise<readonly PromiseSettledResult<unknown>[]>
  /** Throws RpcFailure. */
  forward(request: UpstreamRequest): Promise<unknown>
}

/** Its own calls are for the service itself, such as its subscriptions; they take turns with those of the tenants. */
export interface SharedForwarder extends Forwarder {
  forTenant(tenant: Tenant): Forwarder
}

/** The pool opens 16 connections to a node. */
const MAX_RUNNING = 8
const MAX_WAITING = 1_000
const MAX_ATTEMPTS = 3
/** Calls in one turn: a longer batch takes several, with others between them. */
const MAX_CALLS = 100

interface ForwarderOptions {
  readonly sharePercent?: number
  /** Left out: whatever fits is passed on. */
  readonly pace?: UpstreamPace
  readonly clock?: Pick<Clock, 'schedule'>
}

const HERE: CallerGone = { aborted: false }
const UNWANTED: UpstreamReply = {
  type: 'error',
  error: { code: null, message: 'the caller has gone', data: undefined },
}
const SEND_RAW = 'eth_sendRawTransaction'

type Requests = readonly UpstreamRequest[]
type Answers = readonly PromiseSettledResult<unknown>[]

export function createForwarder(
  upstream: Pick<Upstream, 'chainId' | 'forward'>,
  { sharePercent, pace = NO_PACE, clock }: ForwarderOptions = {},
): SharedForwarder {
  const turns = createFairTurns({
    what: 'calls to the chain',
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    sharePercent,
    ...(clock !== undefined && { clock }),
    most: pace.requestsOf,
    whenFull: () => new RpcFailure('limit_exceeded', 'too many calls are waiting for an RPC node; try again later'),
  })

  async function forwardTurn(tenant: Tenant, requests: Requests, gone: CallerGone): Promise<Answers> {
    try {
      const replies = await turns.run(tenant, async (rest) => {
        const wanted = gone.aborted ? requests.filter(({ method }) => method === SEND_RAW) : requests
        if (wanted.length === 0) return []
        const { answer, restMs } = await pace.run(tenant, () => askUntilReached(upstream, wanted))
        rest(restMs)
        return answer
      })
      // Nobody reads the answers of those who have gone, so they need no order.
      return requests.map((_, index) => readReply(gone.aborted ? (replies[index] ?? UNWANTED) : replies[index]))
    } catch (error) {
      const reason = error instanceof AppError ? new RpcFailure('limit_exceeded', error.message) : error
      if (!(reason instanceof RpcFailure)) throw reason
      return requests.map(() => ({ status: 'rejected', reason }))
    }
  }

  function forTenant(tenant: Tenant): Forwarder {
    const forwardEach = async (requests: Requests, gone: CallerGone = HERE): Promise<Answers> => {
      const parts: Answers[] = []
      for (let start = 0; start < requests.length; ) {
        const end = start + Math.min(MAX_CALLS, pace.callsOf(tenant))
        parts.push(await forwardTurn(tenant, requests.slice(start, end), gone))
        start = end
      }
      return parts.flat()
    }
    const forward = async (request: UpstreamRequest): Promise<unknown> => {
      const [answer] = await forwardEach([request])
      if (answer?.status === 'fulfilled') return answer.value
      throw answer?.reason
    }
    return { forwardEach, forward }
  }

  return { ...forTenant(null), forTenant }
}

/** An unreachable node is skipped for a while, so the next call goes to another node, if there is one. */
async function askUntilReached(
  upstream: Pick<Upstream, 'forward'>,
  requests: readonly UpstreamRequest[],
): Promise<readonly UpstreamReply[]> {
  let replies = await upstream.forward(requests)
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    const again = requests.flatMap((request, place) =>
      mayAskAgain(request, replies[place]) ? [{ request, place }] : [],
    )
    if (again.length === 0) break
    const second = await upstream.forward(again.map(({ request }) => request))
    const later = new Map(again.map(({ place }, index) => [place, second[index]]))
    replies = replies.map((reply, place) => later.get(place) ?? reply)
  }
  return replies
}

/** Not after a timeout. Signed bytes that may have arrived are never sent twice. */
function mayAskAgain({ method }: UpstreamRequest, reply: UpstreamReply | undefined): boolean {
  if (reply?.type === 'unreached') return true
  return reply?.type === 'lost' && reply.stale === true && method !== SEND_RAW
}

function readReply(reply: UpstreamReply | undefined): PromiseSettledResult<unknown> {
  if (reply?.type === 'result') return { status: 'fulfilled', value: reply.result }
  return { status: 'rejected', reason: toFailure(reply) }
}

function toFailure(reply: Exclude<UpstreamReply, { type: 'result' }> | undefined): RpcFailure {
  switch (reply?.type) {
    case 'error':
      return new RpcFailure(reply.error.code ?? 'refused', reply.error.message, reply.error.data)
    case 'rate_limited':
      return new RpcFailure('limit_exceeded', 'the RPC node limits the request rate; try again later')
    default:
      return new RpcFailure('internal', `no RPC node of the chain responds: ${reply?.message ?? 'no reply'}`)
  }
}
