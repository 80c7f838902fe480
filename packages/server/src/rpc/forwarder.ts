/**
 * Passes calls on to the chain's nodes, within bounds: so many requests at one time, so that a caller's flood does not
 * take the connections that the engine follows the chain with, and a bounded wait for a turn. What a node says is handed
 * on; what kept it from answering is told in our own words.
 */
import type { Upstream, UpstreamReply, UpstreamRequest } from '../ports/upstream.ts'
import { RpcFailure } from './rpc-failure.ts'

export interface Forwarder {
  /** An answer for each, in order; what a node refused is a rejection. */
  forwardEach(requests: readonly UpstreamRequest[]): Promise<readonly PromiseSettledResult<unknown>[]>
  /** Throws RpcFailure. */
  forward(request: UpstreamRequest): Promise<unknown>
}

/** The pool opens 16 connections to a node. */
const MAX_RUNNING = 8
const MAX_WAITING = 1_000
const MAX_ATTEMPTS = 3

export function createForwarder(upstream: Pick<Upstream, 'chainId' | 'forward'>): Forwarder {
  const waiting: (() => void)[] = []
  let running = 0

  async function takeTurn<T>(run: () => Promise<T>): Promise<T> {
    if (running < MAX_RUNNING) running++
    else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw new RpcFailure('limit_exceeded', 'too many calls are waiting for a node; try again later')
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }

  async function forwardEach(requests: readonly UpstreamRequest[]): Promise<readonly PromiseSettledResult<unknown>[]> {
    if (requests.length === 0) return []
    try {
      const replies = await takeTurn(() => askUntilReached(upstream, requests))
      return requests.map((_, index) => readReply(replies[index]))
    } catch (reason) {
      if (!(reason instanceof RpcFailure)) throw reason
      return requests.map(() => ({ status: 'rejected', reason }))
    }
  }

  async function forward(request: UpstreamRequest): Promise<unknown> {
    const [answer] = await forwardEach([request])
    if (answer?.status === 'fulfilled') return answer.value
    throw answer?.reason
  }

  return { forwardEach, forward }
}

/** A node that cannot be reached is left out for a while, so that the next time another is asked, if there is one. */
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

/** Not where an answer was waited for in vain; and signed bytes that may have arrived are not sent twice at all. */
function mayAskAgain({ method }: UpstreamRequest, reply: UpstreamReply | undefined): boolean {
  if (reply?.type === 'unreached') return true
  return reply?.type === 'lost' && reply.stale === true && method !== 'eth_sendRawTransaction'
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
      return new RpcFailure('limit_exceeded', 'the node asks to be called less often; try again later')
    default:
      return new RpcFailure('internal', `no node of the chain answers: ${reply?.message ?? 'no reply'}`)
  }
}
