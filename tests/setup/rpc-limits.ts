/** RPC nodes that limit calls and nodes that stopped syncing, as reactions of the RPC proxy. */
import { keccak256 } from 'viem'
import type { TestChain } from './anvil.ts'
import type { RpcProxy } from './rpc-proxy.ts'
import { answer, change, httpStatus, nullResult, rpcError } from './rpc-reactions.ts'

export interface LimitedNode {
  /** Calls that were let through, and calls that were refused. */
  readonly allowed: number
  readonly refused: number
  /** While suspended everything passes. */
  suspend(isSuspended: boolean): void
}

/**
 * This many calls per second of the clock, as providers count them; an HTTP request that does not fit is refused as a
 * whole.
 */
export function limitCalls(proxy: RpcProxy, perSecond: number): LimitedNode {
  const window = createWindow(perSecond)
  proxy.onRequest((calls) => (window.take(calls.length) ? undefined : httpStatus(429)))
  return window
}

/** The same, but each call of a batch is answered or refused on its own. */
export function limitEachCall(proxy: RpcProxy, perSecond: number): LimitedNode {
  const window = createWindow(perSecond)
  proxy.on('*', () => (window.take(1) ? undefined : rpcError(429, 'Too many requests')))
  return window
}

/** Refuses this share of the HTTP requests, whatever the rate, in an order that looks random and is always the same. */
export function refuseShare(proxy: RpcProxy, share: number): () => void {
  let seed = 1
  return proxy.onRequest(() => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31 < share ? httpStatus(429) : undefined
  })
}

/** Always answers as of this many blocks ago, but forwards transactions. Returns a function that ends it. */
export function delayView(proxy: RpcProxy, chain: TestChain, blocks: number): () => void {
  const seen = async (): Promise<number> => Math.max(0, (await chain.blockNumber()) - blocks)
  const hideLater = change(async (result) => {
    const { blockNumber, number } = (result ?? {}) as { readonly blockNumber?: string; readonly number?: string }
    return Number(blockNumber ?? number ?? 0) > (await seen()) ? null : result
  })
  const removals = [
    proxy.on('eth_blockNumber', async () => answer(toHex(await seen()))),
    proxy.on('eth_getBlockByNumber', async ({ params: [ref] }) => {
      const newest = await seen()
      if (ref === 'latest' || ref === 'pending') {
        return answer(await chain.rpc('eth_getBlockByNumber', [toHex(newest), false]))
      }
      return String(ref).startsWith('0x') && Number(ref) > newest ? nullResult : undefined
    }),
    proxy.on('eth_getBlockByHash', hideLater),
    proxy.on('eth_getTransactionReceipt', hideLater),
    proxy.on('eth_getTransactionByHash', hideLater),
    proxy.on(
      'eth_getBlockReceipts',
      change(async (result) => {
        const [first] = (result ?? []) as readonly { readonly blockNumber: string }[]
        return Number(first?.blockNumber ?? 0) > (await seen()) ? null : result
      }),
    ),
    proxy.on('eth_getTransactionCount', async ({ params: [address, tag] }) =>
      tag === 'latest' ? answer(await chain.rpc('eth_getTransactionCount', [address, toHex(await seen())])) : undefined,
    ),
  ]
  return () => {
    for (const remove of removals) remove()
  }
}

/** Keeps answering as of the current block, and does not forward transactions. Returns a function that ends it. */
export async function freezeView(proxy: RpcProxy, chain: TestChain): Promise<() => void> {
  const height = await chain.blockNumber()
  const at = toHex(height)
  const newest = await chain.rpc('eth_getBlockByNumber', [at, false])
  const hideLater = change((result) => {
    const { blockNumber, number } = (result ?? {}) as { readonly blockNumber?: string; readonly number?: string }
    return Number(blockNumber ?? number ?? 0) > height ? null : result
  })
  const removals = [
    proxy.on('eth_blockNumber', answer(at)),
    proxy.on('eth_getBlockByNumber', ({ params: [ref] }) => {
      if (ref === 'latest' || ref === 'pending') return answer(newest)
      return String(ref).startsWith('0x') && Number(ref) > height ? nullResult : undefined
    }),
    proxy.on('eth_getBlockByHash', hideLater),
    proxy.on('eth_getTransactionReceipt', hideLater),
    proxy.on('eth_getTransactionByHash', hideLater),
    proxy.on(
      'eth_getBlockReceipts',
      change((result) => {
        const [first] = (result ?? []) as readonly { readonly blockNumber: string }[]
        return Number(first?.blockNumber ?? 0) > height ? null : result
      }),
    ),
    proxy.on('eth_getTransactionCount', async ({ params: [address, tag] }) =>
      tag === 'latest' ? answer(await chain.rpc('eth_getTransactionCount', [address, at])) : undefined,
    ),
    proxy.on('eth_sendRawTransaction', ({ params: [raw] }) => answer(keccak256(raw as `0x${string}`))),
  ]
  return () => {
    for (const remove of removals) remove()
  }
}

function createWindow(perSecond: number) {
  let second = 0
  let used = 0
  let suspended = false
  let [allowed, refused] = [0, 0]
  return {
    get allowed() {
      return allowed
    },
    get refused() {
      return refused
    },
    suspend: (isSuspended: boolean) => {
      suspended = isSuspended
    },
    take(count: number): boolean {
      if (suspended) return true
      const now = Math.floor(Date.now() / 1_000)
      if (now !== second) [second, used] = [now, 0]
      if (used + count > perSecond) {
        refused += count
        return false
      }
      used += count
      allowed += count
      return true
    },
  }
}

function toHex(height: number): string {
  return `0x${height.toString(16)}`
}
