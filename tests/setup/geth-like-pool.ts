/**
 * Makes a proxied anvil behave like a geth with limited pools and its local tracker: what the pool has no place for is
 * answered with its hash all the same; the pending count covers the executable ones alone; what is dropped is not mined.
 *
 * The pool is a model of its own, in front of anvil: only what is executable there reaches anvil, and what the model drops
 * is dropped from anvil too. For everything else the proxy stays what it is.
 */
import { keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import type { TestChain } from './anvil.ts'
import { createGethPool, type GethPool, type PoolLimits } from './geth-pool-model.ts'
import type { RpcProxy } from './rpc-proxy.ts'
import { answer, pass, type Reaction, rpcError } from './rpc-reactions.ts'

export interface GethLikePool {
  readonly pool: GethPool
  /** How often the node claimed to accept a transaction that it did not keep. */
  hidden(): number
}

type Raw = Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']

export function installGethLikePool(proxy: RpcProxy, chain: TestChain, limits: PoolLimits): GethLikePool {
  const pool = createGethPool(limits)
  const raws = new Map<string, string>()
  const inAnvil = new Set<string>()
  let hidden = 0
  let working: Promise<unknown> = Promise.resolve()
  /** One call at a time: each sees the pool as the previous one left it. */
  const inTurn = (work: () => Promise<Reaction>): Promise<Reaction> => {
    const done = working.then(work)
    working = done.catch(() => {})
    return done
  }

  async function learn(address: string): Promise<void> {
    pool.setCount(address, Number(await chain.rpc<string>('eth_getTransactionCount', [address, 'latest'])))
    pool.setDelegated(address, (await chain.rpc<string>('eth_getCode', [address, 'latest'])).startsWith('0xef0100'))
  }

  /** Brings anvil's pool in line with the model. */
  async function settle(): Promise<void> {
    const wanted = new Map(pool.pending().map((tx) => [tx.hash, tx]))
    for (const hash of [...inAnvil]) {
      if (wanted.has(hash)) continue
      inAnvil.delete(hash)
      await chain.dropTransaction(hash).catch(() => {})
    }
    for (const { hash } of [...wanted.values()].sort((a, b) => a.nonce - b.nonce)) {
      if (inAnvil.has(hash)) continue
      inAnvil.add(hash)
      await chain.rpc('eth_sendRawTransaction', [raws.get(hash)])
    }
  }

  async function send(raw: Raw): Promise<Reaction> {
    const { nonce = 0, maxPriorityFeePerGas, gasPrice } = parseTransaction(raw)
    const hash = keccak256(raw)
    const from = (await recoverTransactionAddress({ serializedTransaction: raw })).toLowerCase()
    await learn(from)
    const refusal = pool.add({ hash, from, nonce, tip: maxPriorityFeePerGas ?? gasPrice ?? 0n })
    if (refusal !== null && !refusal.isTemporary) return rpcError(-32000, refusal.message)
    raws.set(hash, raw)
    await settle()
    if (!pool.has(hash)) hidden++
    return answer(hash)
  }

  async function count(address: string): Promise<Reaction> {
    await learn(address)
    await settle()
    return answer(`0x${pool.pendingCount(address).toString(16)}`)
  }

  proxy.on('eth_sendRawTransaction', ({ params: [raw] }) => inTurn(() => send(raw as Raw)))
  proxy.on('eth_getTransactionCount', ({ params: [address, tag] }) =>
    tag === 'pending' ? inTurn(() => count(String(address).toLowerCase())) : pass,
  )
  return { pool, hidden: () => hidden }
}
