/**
 * How requests of one process reach one simulated RPC node: at once, late, or not at all, depending on the node's mood.
 */
import type { HttpPost, HttpReply } from '../../../server/src/chain/rpc/http-post.ts'
import type { Hex } from '../../../server/src/core/hex.ts'
import type { Chance } from '../chance.ts'
import type { SimProcess } from '../cluster/process.ts'
import type { Timeline } from '../timeline.ts'
import { type EndpointMood, REFUSALS } from './endpoint-mood.ts'
import type { Network } from './network.ts'
import { answerRpc, type RpcAnswer, type RpcNodeRules } from './rpc-methods.ts'
import type { RpcView } from './rpc-view.ts'

export interface SimEndpoint {
  readonly view: RpcView
  mood: EndpointMood
  /** Random numbers for its mood; replaced with the mood. */
  chance: Chance
}

export interface PostPorts {
  readonly network: Network
  readonly endpoint: SimEndpoint
  readonly process: SimProcess
  readonly timeline: Timeline
  readonly rules: RpcNodeRules
  readonly timeoutMs: number
  /** The process cannot reach this node now. */
  isCut(): boolean
  /** Called when bytes leave the process. */
  onSend(raw: Hex): void
}

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

export function createRpcPost(ports: PostPorts): HttpPost {
  const { network, endpoint, process, timeline, rules } = ports

  async function answer({ id, method, params }: Request): Promise<object> {
    const reply = await answerIn(method, params)
    return { jsonrpc: '2.0', id, ...reply }
  }

  async function answerIn(method: string, params: readonly unknown[]): Promise<RpcAnswer> {
    const { mood, chance } = endpoint
    if (method === 'eth_sendRawTransaction') return await take(params[0] as Hex)
    if (method === 'eth_getTransactionReceipt' && mood.noReceipt > 0 && chance.hits(mood.noReceipt))
      return { result: null }
    const reply = await answerRpc(network, endpoint.view, rules, method, params)
    return mood.priceFactor === 1 ? reply : exaggerate(method, reply, mood.priceFactor)
  }

  async function take(raw: Hex): Promise<RpcAnswer> {
    const { mood, chance } = endpoint
    if (mood.notKept > 0 && chance.hits(mood.notKept)) return { result: (await network.decode(raw)).hash }
    if (mood.lying === 0 || !chance.hits(mood.lying))
      return await answerRpc(network, endpoint.view, rules, 'eth_sendRawTransaction', [raw])
    if (chance.hits(0.5)) await answerRpc(network, endpoint.view, rules, 'eth_sendRawTransaction', [raw])
    return { error: { code: -32_000, message: chance.pick(REFUSALS) } }
  }

  async function arrive(body: string): Promise<HttpReply> {
    const { mood, chance } = endpoint
    const asked = JSON.parse(body) as Request | Request[]
    if (mood.rateLimited > 0 && chance.hits(mood.rateLimited))
      return { type: 'answered', status: 429, body: 'slow down', retryAfterMs: chance.hits(0.3) ? 1_000 : null }
    if (mood.html > 0 && chance.hits(mood.html))
      return { type: 'answered', status: 502, body: '<html>Bad Gateway</html>', retryAfterMs: null }
    const replies = Array.isArray(asked) ? [] : await answer(asked)
    if (Array.isArray(asked)) for (const request of asked) (replies as object[]).push(await answer(request))
    if (mood.lost > 0 && chance.hits(mood.lost)) return { type: 'lost', code: 'ECONNRESET', stale: chance.hits(0.3) }
    return { type: 'answered', status: 200, body: JSON.stringify(replies), retryAfterMs: null }
  }

  function later(ms: number): Promise<void> {
    return new Promise((resolve) => void timeline.at(timeline.now() + ms, () => process.deliver(resolve)))
  }

  return {
    async post(body) {
      if (!process.isAlive()) return await new Promise(() => {})
      if (body.includes('eth_sendRawTransaction')) noteBytes(body, ports.onSend)
      const { mood, chance } = endpoint
      if (ports.isCut() || (mood.unreached > 0 && chance.hits(mood.unreached)))
        return { type: 'unreached', code: 'ECONNREFUSED' }
      if (mood.slowMs === 0) return await arrive(body)
      const [there, back] = [chance.below(mood.slowMs), chance.below(mood.slowMs)]
      const arrived = later(Math.min(there, ports.timeoutMs)).then(() => arrive(body))
      if (there + back >= ports.timeoutMs) {
        await later(ports.timeoutMs)
        return { type: 'lost', code: 'TIMEOUT', stale: false }
      }
      const reply = await arrived
      await later(back)
      return reply
    },
    connections: () => 1,
    close() {},
  }
}

function noteBytes(body: string, onSend: (raw: Hex) => void): void {
  const asked = JSON.parse(body) as Request | Request[]
  for (const { method, params } of Array.isArray(asked) ? asked : [asked])
    if (method === 'eth_sendRawTransaction') onSend(params[0] as Hex)
}

function exaggerate(method: string, reply: RpcAnswer, factor: number): RpcAnswer {
  if (
    !('result' in reply) ||
    (method !== 'eth_gasPrice' && method !== 'eth_maxPriorityFeePerGas' && method !== 'eth_feeHistory')
  )
    return reply
  const scale = (value: unknown): unknown => {
    if (typeof value === 'string' && /^0x[0-9a-f]+$/.test(value))
      return `0x${(BigInt(value) * BigInt(factor)).toString(16)}`
    if (Array.isArray(value)) return value.map(scale)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, key === 'baseFeePerGas' ? each : scale(each)]),
    )
  }
  return { result: scale(reply.result) }
}
