/** The RPC endpoints of the storm: proxies in front of one chain, each with its own weather. */
import { setTimeout as delay } from 'node:timers/promises'
import { callAnvil } from '../../packages/dev/src/chain/call-anvil.ts'
import { type Chance, createChance } from '../fuzz/chance.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { answer, drop, garbage, httpStatus, omit, type Reaction, type RpcCall } from '../setup/rpc-reactions.ts'
import type { Weather } from './plan-faults.ts'

export interface RpcEndpoint {
  readonly url: string
  /** JSON-RPC calls so far. */
  calls(): number
  setWeather(weather: Weather): void
  setDown(isDown: boolean): void
  stop(): Promise<void>
}

const STALE_BLOCKS = 3
const FORGET_EVERY_MS = 2_000

export async function startRpcEndpoint(upstream: string, seed: number): Promise<RpcEndpoint> {
  const proxy = await startRpcProxy(upstream)
  const chance = createChance(seed)
  let weather: Weather = 'calm'
  let calls = 0
  proxy.onRequest((received) => {
    calls += received.length
    return weather === 'rate_limit' && chance.percent(60) ? httpStatus(429) : undefined
  })
  const rpc = (method: string, params: readonly unknown[]) => callAnvil(upstream, method, params)
  proxy.on('*', (call) => (weather === 'stale' ? answerFromThePast(call, rpc) : react(weather, chance)))
  // The proxy records every call, which is not needed here and would grow.
  const forgetting = setInterval(() => forget(proxy), FORGET_EVERY_MS)
  return {
    url: proxy.url,
    calls: () => calls,
    setWeather: (next) => {
      weather = next
    },
    setDown: proxy.setDown,
    stop: async () => {
      clearInterval(forgetting)
      await proxy.stop()
    },
  }
}

async function react(weather: Weather, { percent }: Chance): Promise<Reaction | undefined> {
  switch (weather) {
    case 'slow':
      await delay(percent(10) ? 2_000 : 150)
      return undefined
    case 'reset':
      return percent(25) ? drop({ forward: false }) : undefined
    case 'lost_answer':
      return percent(25) ? drop({ forward: true }) : undefined
    case 'html':
      return percent(30) ? garbage({ forward: percent(50) }) : undefined
    case 'split':
      return percent(30) ? omit({ forward: true }) : undefined
    default:
      return undefined
  }
}

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Like a node that is some blocks behind: it knows nothing newer, and says so. */
async function answerFromThePast({ method, params }: RpcCall, rpc: Ask): Promise<Reaction | undefined> {
  const head = Math.max(0, Number(await rpc('eth_blockNumber', [])) - STALE_BLOCKS)
  const [which, ...rest] = params
  switch (method) {
    case 'eth_blockNumber':
      return answer(toHex(head))
    case 'eth_getBlockByNumber':
      if (which === 'latest') return answer(await rpc(method, [toHex(head), ...rest]))
      return Number(which) > head ? answer(null) : undefined
    case 'eth_getBlockReceipts':
      return Number(which) > head ? answer(null) : undefined
    case 'eth_getTransactionReceipt':
    case 'eth_getTransactionByHash': {
      const found = (await rpc(method, params)) as { readonly blockNumber: string | null } | null
      return answer(found?.blockNumber != null && Number(found.blockNumber) <= head ? found : null)
    }
    default:
      return undefined
  }
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`
}

function forget(proxy: RpcProxy): void {
  for (const list of [proxy.calls, proxy.requests] as unknown[][]) list.length = 0
}
