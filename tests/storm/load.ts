/**
 * The load: intents over HTTP, in batches and over JSON-RPC, with cancels and speed-ups, sent to any node that answers.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isPassing } from '../../packages/client/src/transport/retry.ts'
import type { Chance } from '../fuzz/chance.ts'
import type { Asked, Lane, Path, StormLog } from './storm-log.ts'

export interface Api {
  /** The answer of the first node that gives one; silent nodes are skipped. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  get(path: string): Promise<Answer>
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON comes back
  readonly body: any
}

export interface LoadPorts {
  readonly api: Api
  readonly chance: Chance
  readonly log: StormLog
  readonly fast: readonly Lane[]
  readonly stable: readonly Lane[]
  isOver(): boolean
}

/** No node answered. */
export const NO_ANSWER = 599
const BATCH = 10
const RETRY_MS = 200
const REASON = { reason: 'storm' }
/** Accepted, and not signed within the time that a JSON-RPC call may take. */
const STILL_WAITING = -32002

export interface Load {
  /** Sends until it is accepted; returns the transaction id, or null if the path does not return it. */
  send(path: Path, lane?: Lane): Promise<string | null>
  /** This many intents a second, until the storm is over and all are accepted. */
  run(perSecond: number): Promise<void>
}

export function createLoad({ api, chance, log, fast, stable, isOver }: LoadPorts): Load {
  let count = 0

  function ask(path: Path, lane: Lane): Asked {
    const marker = `0xd0${(++count).toString(16).padStart(16, '0')}`
    const asked = { marker, path, lane, accepted: false, cancelled: false }
    log.asked.set(marker, asked)
    return asked
  }

  const intentOf = ({ marker, lane: { chainId, signer } }: Asked) => ({
    chainId,
    from: signer,
    to: signer,
    value: '1',
    data: marker,
  })

  /** Sends until a node accepts it. A repeat has the same key, so it is the same request. */
  async function insist(attempt: () => Promise<boolean>): Promise<void> {
    while (!(await attempt())) await delay(RETRY_MS)
  }

  async function sendOne(asked: Asked): Promise<string | null> {
    let id: string | null = null
    await insist(async () => {
      const { status, body } = await api.post('/v1/transactions', { ...intentOf(asked), requestId: asked.marker })
      if (status === 202 || status === 200) id = body.id
      return judge(asked, status, body)
    })
    return id
  }

  /** True: no need to ask again. */
  function judge(asked: Asked, status: number, body: unknown): boolean {
    asked.accepted ||= status === 202 || status === 200
    if (asked.accepted) return true
    // Whatever else fails, the client does not retry.
    if (isPassing(status) || status === NO_ANSWER) return false
    log.refused.push(`${asked.path} ${status} ${JSON.stringify(body)?.slice(0, 300)}`)
    return true
  }

  async function sendBatch(lane: Lane): Promise<void> {
    const items = Array.from({ length: BATCH }, () => ask('batch', lane))
    await insist(async () => {
      const transactions = items.map((asked) => ({ ...intentOf(asked), requestId: asked.marker }))
      const { status, body } = await api.post('/v1/transactions/batch', { transactions })
      if (status !== 200) return status < 500 && status !== 429 ? judge(items[0] as Asked, status, body) : false
      const { results } = body
      return items.every((asked, index) => judge(asked, results[index].status, results[index]))
    })
  }

  async function sendOverRpc(asked: Asked): Promise<void> {
    const { from, to, data } = intentOf(asked)
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [{ from, to, value: '0x1', data }] }
    await insist(async () => {
      const { status, body } = await api.post(`/rpc/${asked.lane.chainId}`, call, { 'idempotency-key': asked.marker })
      asked.accepted = body?.result !== undefined || body?.error?.code === STILL_WAITING
      if (asked.accepted) return true
      // The node says why it cannot now, so send the same key again.
      return status < 500 && body?.error?.code === -32602 ? judge(asked, 400, body) : false
    })
  }

  async function operate(asked: Asked, id: string, action: 'cancel' | 'speed-up'): Promise<void> {
    if (action === 'cancel') asked.cancelled = true
    // Too late, or not now: both are answers.
    await api.post(`/v1/transactions/${id}/${action}`, REASON)
  }

  async function sendHttp(lane: Lane): Promise<void> {
    const asked = ask('http', lane)
    const id = await sendOne(asked)
    const luck = chance.below(100)
    if (id !== null && luck < 8) await operate(asked, id, luck < 4 ? 'cancel' : 'speed-up')
  }

  /** How many were requested. */
  function next(): { readonly items: number; readonly done: Promise<unknown> } {
    const lane = chance.pick(fast)
    if (chance.percent(10)) return { items: BATCH, done: sendBatch(lane) }
    if (chance.percent(25)) return { items: 1, done: sendOverRpc(ask('json_rpc', lane)) }
    // A stable lane has one transaction in flight until it is final.
    const isStable = stable.length > 0 && chance.percent(1)
    return { items: 1, done: sendHttp(isStable ? chance.pick(stable) : lane) }
  }

  return {
    send: (path, lane = chance.pick(fast)) => sendOne(ask(path, lane)),
    run: async (perSecond) => {
      const running = new Set<Promise<unknown>>()
      const startedAt = Date.now()
      for (let items = 0; !isOver(); ) {
        const behind = ((Date.now() - startedAt) / 1_000) * perSecond - items
        if (behind < 1 || running.size >= 100) {
          await delay(20)
          continue
        }
        const one = next()
        items += one.items
        const done: Promise<unknown> = one.done.finally(() => running.delete(done))
        running.add(done)
      }
      await Promise.all(running)
    },
  }
}
