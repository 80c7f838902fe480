/**
 * The chains of a storm, each behind two RPC endpoints: an anvil, whose blocks can be replaced, and a geth if
 * installed.
 */
import { startTestChain } from '../setup/anvil.ts'
import { GETH_MISSING, startGeth } from '../setup/geth.ts'
import { type RpcEndpoint, startRpcEndpoint } from './rpc-weather.ts'

export type Rpc = <T>(method: string, params?: readonly unknown[]) => Promise<T>

export interface StormChain {
  readonly chainId: number
  readonly endpoints: readonly RpcEndpoint[]
  /** Directly to the chain, without the weather. */
  readonly rpc: Rpc
  /** Replaces the newest blocks; null if this chain cannot. */
  readonly reorg: ((depth: number) => Promise<void>) | null
  /** `kill -9` and a restart; null if this chain cannot. */
  readonly crash: (() => Promise<void>) | null
  stop(): Promise<void>
}

const ENDPOINTS = 2

export async function startAnvilChain(accounts: number, seed: number): Promise<StormChain> {
  const chain = await startTestChain({ accounts, blockTimeSeconds: 1 })
  return {
    chainId: 31_337,
    rpc: chain.rpc,
    reorg: (depth: number) => chain.reorg(depth),
    crash: null,
    ...(await withEndpoints(chain.rpcUrl, seed, () => chain.stop())),
  }
}

/** A string: why there is none. */
export async function startGethChain(addresses: readonly string[], seed: number): Promise<StormChain | string> {
  if (GETH_MISSING !== null) return GETH_MISSING
  const chain = await startGeth()
  await chain.fund(addresses)
  const crash = async () => {
    await chain.kill()
    await chain.restart()
  }
  return {
    chainId: Number(await chain.rpc<string>('eth_chainId')),
    rpc: chain.rpc,
    reorg: null,
    crash,
    ...(await withEndpoints(chain.rpcUrl, seed, () => chain.stop())),
  }
}

async function withEndpoints(rpcUrl: string, seed: number, stop: () => Promise<void>) {
  const endpoints: RpcEndpoint[] = []
  for (let index = 0; index < ENDPOINTS; index++) endpoints.push(await startRpcEndpoint(rpcUrl, seed + index))
  return {
    endpoints,
    stop: async () => {
      await Promise.all(endpoints.map((endpoint) => endpoint.stop()))
      await stop()
    },
  }
}
