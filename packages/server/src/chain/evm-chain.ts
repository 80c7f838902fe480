/**
 * An EVM chain behind its JSON-RPC nodes. Every answer is checked against what was asked before it is believed.
 *
 * Requests per operation (each is one HTTP round trip unless the node cannot take batches): getBlock, findTransaction,
 * getTransactionCount, getBalance 1; getTags 1 batch of 2; findReceipts and estimate 1 batch per 100; getFeeMarket 1
 * batch of 3; getInclusions 1, see `prefersBlockReceipts`; broadcast 1 batch per 100 and node.
 */
import type { Inclusion } from '../core/finality.ts'
import type { Address, Hash } from '../core/hex.ts'
import type { SendOutcome } from '../core/send-outcome.ts'
import type { Block, BlockRef, Call, CallOutcome, Chain, ReceiptLookup } from '../ports/chain.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { classifyCallError } from './call-outcome.ts'
import { readFeeMarket } from './fee-market.ts'
import { createHeadHints } from './head-hints.ts'
import type { RpcError, RpcReply, RpcRequest } from './json-rpc.ts'
import { createEndpoint, type EndpointState } from './rpc-endpoint.ts'
import { createRpcPool, type Read } from './rpc-pool.ts'
import { parseRpcUrls } from './rpc-url.ts'
import {
  BadAnswer,
  getCount,
  parseBlock,
  parseQuantity,
  parseReceipt,
  parseTransactionByHash,
  toQuantity,
} from './rpc-values.ts'

export interface EvmChainOptions {
  readonly chainId: number
  /** http(s) URLs are the pool; ws(s) URLs only tell of new heads. */
  readonly urls: readonly string[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly pollIntervalMs?: number
  readonly timeoutMs?: number
  readonly maxBatch?: number
  readonly maxConcurrent?: number
  readonly maxResponseBytes?: number
  readonly minPriorityFeeWei?: bigint
}

export interface EvmChain extends Chain {
  /** Passes requests through to one node as they are. */
  forward(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]>
  /** Hosts only: URLs may carry credentials. */
  endpoints(): readonly { readonly host: string; readonly state: EndpointState }[]
}

const SHORTEST_POLL_MS = 100

export function createEvmChain(options: EvmChainOptions): EvmChain {
  const { chainId, clock, telemetry } = options
  const limits = {
    timeoutMs: options.timeoutMs ?? 10_000,
    maxBatch: options.maxBatch ?? 100,
    maxConcurrent: options.maxConcurrent ?? 16,
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
  }
  const targets = parseRpcUrls(options.urls)
  const sockets = targets.filter(({ url }) => url.protocol.startsWith('ws'))
  const nodes = targets.filter((target) => !sockets.includes(target))
  if (nodes.length === 0) throw new Error('at least one http(s) RPC URL is needed: ws(s) URLs only tell of new heads')
  const pool = createRpcPool(nodes.map((target) => createEndpoint(target, { ...limits, chainId, clock, telemetry })))
  const hints = createHeadHints({
    chainId,
    clock,
    telemetry,
    sockets,
    pollIntervalMs: Math.max(SHORTEST_POLL_MS, options.pollIntervalMs ?? 2_000),
    readHeight: () => pool.read(request('eth_blockNumber', [], (result) => getCount(result, 'block number'))),
  })

  return {
    chainId,
    getBlock: (ref) => pool.read(blockRead(ref)),
    async getTags() {
      const [safe, finalized] = await pool.readAll([blockRead('safe'), blockRead('finalized')])
      return { safe: safe?.number ?? null, finalized: finalized?.number ?? null }
    },
    async getInclusions(block, hashes) {
      const wanted = new Set(hashes)
      if (wanted.size === 0) return []
      const found = prefersBlockReceipts(block, wanted.size) ? await readBlockReceipts(block) : null
      const receipts = found ?? (await readReceiptsOf(block, [...wanted]))
      const inBlock = receipts.filter(
        (receipt) => receipt.blockHash === block.hash && receipt.blockNumber === block.number,
      )
      return inBlock.filter((receipt) => wanted.delete(receipt.txHash))
    },
    async findReceipts(hashes) {
      const replies = await pool.readEach(hashes.map(receiptRead))
      return replies.map((reply): ReceiptLookup => {
        if (reply.type !== 'value') return { type: 'failed', message: reply.message }
        return reply.value === null ? { type: 'missing' } : { type: 'found', inclusion: reply.value }
      })
    },
    findTransaction: (hash) =>
      pool.read(
        request('eth_getTransactionByHash', [hash], (result) =>
          result === null ? null : parseTransactionByHash(result, hash),
        ),
      ),
    getTransactionCount: (address, tag) =>
      pool.read(request('eth_getTransactionCount', [address, tag], (result) => getCount(result, 'transaction count'))),
    getBalance: (address) => pool.read(balanceRead(address)),
    async estimate(calls) {
      const payers = [...new Set(calls.filter((call) => call.value > 0n).map((call) => call.from))]
      const reads: readonly Read<CallOutcome | bigint>[] = [...calls.map(estimateRead), ...payers.map(balanceRead)]
      const values = await pool.readAll(reads)
      return calls.map((call, index) => {
        const at = payers.indexOf(call.from)
        return checkFunds(call, values[index], at < 0 ? undefined : values[calls.length + at])
      })
    },
    getFeeMarket: () => readFeeMarket(pool, options.minPriorityFeeWei ?? 1n),
    async broadcast(raws) {
      const outcomes = await pool.broadcast(raws)
      countOutcomes(telemetry, chainId, outcomes)
      return outcomes
    },
    onHeadHint: (listener) => hints.listen(listener),
    forward: (requests) => pool.forward(requests),
    endpoints: () => pool.endpoints().map((endpoint) => ({ host: endpoint.host, state: endpoint.state() })),
    async close() {
      hints.close()
      pool.close()
    },
  }

  /** Null where no node has the call: then receipts are asked for one by one. */
  async function readBlockReceipts(block: Block): Promise<readonly Inclusion[] | null> {
    const [reply] = await pool.readEach([blockReceiptsRead(block)])
    if (reply?.type === 'value') return reply.value
    if (reply?.type === 'unsupported') return null
    throw new ChainUnavailable(`eth_getBlockReceipts: ${reply?.message}`, { retryAfterMs: reply?.retryAfterMs ?? null })
  }

  async function readReceiptsOf(block: Block, hashes: readonly Hash[]): Promise<readonly Inclusion[]> {
    const inBlock = new Set(block.txHashes)
    const receipts = await pool.readAll(hashes.filter((hash) => inBlock.has(hash)).map(receiptRead))
    return receipts.filter((receipt) => receipt !== null)
  }
}

/**
 * One block's receipts cost what its transactions cost, to make (a development node does quadratic work for them), to
 * send and to read; single receipts cost by the number we want, each with its own overhead and, at a provider, its own
 * charge. So the block is asked for where at least a quarter of it is ours, and receipts one by one where it is not.
 */
function prefersBlockReceipts(block: Block, wanted: number): boolean {
  return wanted > 1 && wanted * 4 >= block.txHashes.length
}

function request<T>(method: string, params: readonly unknown[], decode: (result: unknown) => T): Read<T> {
  return { method, params, decode }
}

function blockRead(ref: BlockRef): Read<Block | null> {
  const byHash = typeof ref === 'object'
  const asked = byHash ? ref.hash : typeof ref === 'number' ? toQuantity(ref) : ref
  return {
    method: byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    params: [asked, false],
    decode(result) {
      if (result === null && ref !== 'latest') return null
      const block = parseBlock(result)
      if (byHash && block.hash !== ref.hash) throw new BadAnswer('the block is another than asked for')
      if (typeof ref === 'number' && block.number !== ref) throw new BadAnswer('the block is another than asked for')
      return block
    },
    decodeError: (error) => ((ref === 'safe' || ref === 'finalized') && isTagMissing(error) ? { value: null } : null),
  }
}

/** Chains without finality have no such tags; some nodes have none until they are in step. */
function isTagMissing(error: RpcError): boolean {
  return (
    error.code === -32602 ||
    error.code === -39001 ||
    /(safe|finalized) block (is )?not (found|available)|unknown block|invalid (block|argument)/i.test(error.message)
  )
}

function receiptRead(hash: Hash): Read<Inclusion | null> {
  return request('eth_getTransactionReceipt', [hash], (result) => {
    if (result === null) return null
    const receipt = parseReceipt(result)
    if (receipt !== null && receipt.txHash !== hash) throw new BadAnswer('the receipt is of another transaction')
    return receipt
  })
}

function blockReceiptsRead(block: Block): Read<readonly Inclusion[]> {
  return request('eth_getBlockReceipts', [block.hash], (result) => {
    // Null: this node does not know the block (any more). Another may, and "no receipts" would be a lie.
    if (!Array.isArray(result)) throw new BadAnswer('the node has no receipts for this block')
    return result.map(parseReceipt).filter((receipt) => receipt !== null)
  })
}

function balanceRead(address: Address): Read<bigint> {
  return request('eth_getBalance', [address, 'latest'], (result) => parseQuantity(result, 'balance'))
}

/** Some nodes estimate a plain transfer without looking at the balance: more than there is cannot be sent all the same. */
function checkFunds(call: Call, outcome: unknown, balance: unknown): CallOutcome {
  if (typeof balance === 'bigint' && call.value > balance)
    return { type: 'insufficient_funds', message: `the value is ${call.value} wei, the balance ${balance}` }
  return outcome as CallOutcome
}

function estimateRead(call: Call): Read<CallOutcome> {
  const fields = {
    from: call.from,
    ...(call.to === null ? {} : { to: call.to }),
    ...(call.data === '0x' ? {} : { data: call.data }),
    value: toQuantity(call.value),
    ...(call.gasLimit === null ? {} : { gas: toQuantity(call.gasLimit) }),
  }
  return {
    method: 'eth_estimateGas',
    params: [fields, 'latest'],
    decode: (result) => ({ type: 'ok', gas: parseQuantity(result, 'gas') }),
    decodeError(error) {
      const outcome = classifyCallError(error)
      return outcome === null ? null : { value: outcome }
    },
  }
}

function countOutcomes(telemetry: Telemetry, chainId: number, outcomes: readonly SendOutcome[]): void {
  const counts = new Map<string, number>()
  for (const { type } of outcomes) counts.set(type, (counts.get(type) ?? 0) + 1)
  for (const [outcome, count] of counts) telemetry.count('drover_send_outcomes_total', { chainId, outcome }, count)
}
