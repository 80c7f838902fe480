/**
 * An EVM chain behind its JSON-RPC nodes. Every answer is checked against what was asked before it is believed.
 *
 * Requests per operation (each is one HTTP round trip unless the node cannot take batches): getBlock, findTransaction,
 * findLogs, getTransactionCount, getBalance, getCode 1; getBlocks, getBalances 1 batch; getTags, getCounts 1 batch of 2; lookAtPool 1 batch of 2 and one
 * per hash; findNonceUser 2 per node, at most 3 nodes; findReceipts 1 batch per 100; estimate 1 batch per 100 different calls, and for what fails 1 or 2 more;
 * getFeeMarket 1 batch of 4 per node, at most 5 nodes; findTransactionsAnywhere 1 batch per 100 and node; getInclusions 1, see
 * `prefersBlockReceipts`; broadcast 1 batch per 100 and node; the agreed reads 1 batch per 100 and node, at most 2 nodes unless they
 * differ.
 */

import type { Inclusion } from '../core/chain/finality.ts'
import type { FeeModel } from '../core/fees/fees.ts'
import type { PriceFloor } from '../core/fees/price-floor.ts'
import type { Address, Hash } from '../core/hex.ts'
import { type Block, type Call, type Chain, ChainUnavailable, type ReceiptLookup } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { EndpointReport, SendEndpoint } from '../ports/endpoint-report.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Upstream } from '../ports/upstream.ts'
import { createAgreedReads } from './agreed-reads.ts'
import {
  balanceRead,
  blockRead,
  blockReceiptsRead,
  codeRead,
  countRead,
  logsRead,
  receiptRead,
  transactionRead,
} from './chain-reads.ts'
import { readEstimates } from './estimates.ts'
import { createFeeMarketReader } from './fee-market.ts'
import { createHeadHints } from './heads/head-hints.ts'
import { createFixedPace, createPollPace } from './heads/poll-pace.ts'
import { lookAtPool } from './look-at-pool.ts'
import { readNonceUser } from './nonce-user-read.ts'
import { createGasOracle, type OracleSettings } from './oracle/gas-oracle.ts'
import { readPending } from './read-pending.ts'
import { revertRead } from './revert-read.ts'
import { createEndpoint } from './rpc/endpoint.ts'
import { createHeadWatch } from './rpc/head-watch.ts'
import type { OpenPost } from './rpc/http-post.ts'
import { openEndpoints } from './rpc/open-endpoints.ts'
import { createRpcPool } from './rpc/pool.ts'
import { parseRpcUrls } from './rpc/rpc-url.ts'
import { toQuantity } from './rpc-values.ts'
import { createSendRoutes, NO_SEND_URLS, type SendUrls } from './send/send-routes.ts'
import { createSendWatch } from './send/send-watch.ts'
import { createSharedEstimates } from './shared-estimates.ts'

export interface EvmChainOptions {
  readonly chainId: number
  /** http(s) URLs are the pool; ws(s) URLs only tell of new heads. */
  readonly urls: readonly string[]
  /** How reads are spread over the http(s) URLs, in order; left out or empty: to the first that is healthy. */
  readonly weights?: readonly number[]
  /** http(s) URLs that signed bytes go to; left out: to the pool. */
  readonly sendUrls?: SendUrls
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** How often heads are read; without it, the pace follows the chain's blocks. */
  readonly pollIntervalMs?: number | null
  /** How often the chain makes a block, roughly: by how many blocks a node may be behind depends on it. */
  readonly blockTimeMs?: number
  /** How long at most a node that answers 429 with `Retry-After` is left alone. */
  readonly maxPauseMs?: number
  readonly timeoutMs?: number
  readonly maxBatch?: number
  readonly maxConcurrent?: number
  readonly maxResponseBytes?: number
  readonly minPriorityFeeWei?: bigint
  readonly feeModel?: FeeModel
  /** Per gas, in wei, zero included; null: what the market asks. */
  readonly fixedPriceWei?: bigint | null
  /** The lowest price to offer where it is not fixed. */
  readonly priceFloor?: PriceFloor
  /** Left out: only the nodes say what gas costs. */
  readonly oracle?: OracleSettings | null
  /** How requests travel to the nodes; left out: over HTTP. */
  readonly openPost?: OpenPost
}

export interface EvmChain extends Chain, Upstream {
  /** What is known about each node, in the order of the URLs: first those that are read. */
  endpoints(): readonly EndpointReport[]
  /** The only endpoints that bytes of this signer may go to; null: all that are read. */
  findSendEndpoints(signer: Address): readonly SendEndpoint[] | null
  /** Why a call reverts on the state after the block of this height; null if it does not, or if that state is gone. */
  readRevert(call: Call, height: number): Promise<string | null>
}

const MIN_POLL_MS = 100
const MAX_POLL_MS = 3_000

export function createEvmChain(options: EvmChainOptions): EvmChain {
  const { chainId, clock, telemetry } = options
  const limits = {
    timeoutMs: options.timeoutMs ?? 10_000,
    maxBatch: options.maxBatch ?? 100,
    maxConcurrent: options.maxConcurrent ?? 16,
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    maxPauseMs: options.maxPauseMs ?? 60_000,
    ...(options.openPost !== undefined && { openPost: options.openPost }),
  }
  const targets = parseRpcUrls(options.urls)
  const sockets = targets.filter(({ url }) => url.protocol.startsWith('ws'))
  const nodes = targets.filter((target) => !sockets.includes(target))
  if (nodes.length === 0)
    throw new Error('at least one http(s) RPC URL is required: ws(s) URLs only announce new blocks')
  const sendUrls = options.sendUrls ?? NO_SEND_URLS
  const opened = openEndpoints(nodes, [...sendUrls.all, ...[...sendUrls.bySigner.values()].flat()], (target, own) =>
    createEndpoint(target, { ...limits, chainId, clock, telemetry, ...own }),
  )
  const endpoints = opened.readers
  const { weights = [] } = options
  const pool = createRpcPool(endpoints, weights.length === 0 ? null : { weights, clock })
  const routes = createSendRoutes(sendUrls, opened, pool)
  const watchSenders = createSendWatch(opened.sendOnly, clock)
  const isPaceSet = options.pollIntervalMs !== undefined && options.pollIntervalMs !== null
  const pollIntervalMs = Math.max(MIN_POLL_MS, options.pollIntervalMs ?? MAX_POLL_MS)
  const blockTimeMs = options.blockTimeMs ?? 2 * pollIntervalMs
  const heads = createHeadWatch({ endpoints, inUse: pool.inUse, pollIntervalMs, blockTimeMs, clock })
  const getFeeMarket = createFeeMarketReader({
    chainId,
    pool,
    clock,
    telemetry,
    settings: {
      minPriorityFeeWei: options.minPriorityFeeWei ?? 1n,
      feeModel: options.feeModel ?? 'auto',
      fixedPriceWei: options.fixedPriceWei ?? null,
      ...(options.priceFloor !== undefined && { floor: options.priceFloor }),
    },
    ...(options.oracle != null && {
      oracle: createGasOracle({ chainId, clock, telemetry, settings: options.oracle }),
    }),
  })
  const estimate = createSharedEstimates((calls, head) => readEstimates(pool, calls, head), clock)
  const hints = createHeadHints({
    chainId,
    clock,
    telemetry,
    sockets,
    pace: isPaceSet ? createFixedPace(pollIntervalMs) : createPollPace(pollIntervalMs, clock),
    readHeight: () => {
      watchSenders()
      return heads.poll()
    },
  })

  return {
    chainId,
    getHeight: heads.ask,
    getBlock: (ref) => pool.read(blockRead(ref)),
    async getBlocks(heights) {
      const replies = await pool.readEach(heights.map(blockRead))
      return replies.flatMap((reply) => (reply.type === 'value' && reply.value !== null ? [reply.value] : []))
    },
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
    findTransaction: (hash) => pool.read(transactionRead(hash)),
    async findTransactionsAnywhere(hashes) {
      const nodes = pool.readFromEach(hashes.map(transactionRead), endpoints.length)
      const replies = await Promise.all(nodes.map((node) => node.replies))
      return hashes.map((hash, index) => {
        const answers = replies.flatMap((reply) => (reply[index]?.type === 'value' ? [reply[index].value] : []))
        if (answers.length === 0)
          throw new ChainUnavailable(`eth_getTransactionByHash: no RPC node responds for ${hash}`)
        return answers.find((answer) => answer !== null) ?? null
      })
    },
    getTransactionCount: (address, tag) => pool.read(countRead(address, tag)),
    findNonceUser: (height, address, nonce) => readNonceUser(pool, { chainId, height, address, nonce }),
    findLogs: (hash) => pool.read(logsRead(hash)),
    readRevert: (call, height) => pool.read(revertRead(call, height)),
    async getCounts(address) {
      const [latest, pending] = await pool.readAll([countRead(address, 'latest'), countRead(address, 'pending')])
      if (latest === undefined || pending === undefined) throw new Error('the pool answered less than it was asked')
      return { latest, pending }
    },
    lookAtPool: (address, hashes) => lookAtPool(pool, routes.find(address), address, hashes),
    getBalance: (address) => pool.read(balanceRead(address)),
    async getBalances(addresses, height) {
      const replies = await pool.readEach(addresses.map((address) => balanceRead(address, toQuantity(height))))
      return replies.map((reply) => (reply.type === 'value' ? reply.value : null))
    },
    getCode: (address) => pool.read(codeRead(address)),
    ...createAgreedReads(pool),
    estimate,
    getFeeMarket,
    broadcast: routes.broadcast,
    onHeadHint: (listener) => hints.listen(listener),
    forward: routes.forward,
    distanceMs: () => pool.inUse()?.fastestMs() ?? 0,
    readPending,
    endpoints() {
      const used = pool.inUse()
      return [...endpoints, ...opened.sendOnly].map((endpoint) => ({
        ...endpoint.report(endpoint === used),
        roles: routes.rolesOf(endpoint),
      }))
    },
    findSendEndpoints: (signer) =>
      routes.find(signer)?.endpoints.map((endpoint) => ({ name: endpoint.name, state: endpoint.state() })) ?? null,
    async close() {
      hints.close()
      pool.close()
      routes.close()
    },
  }

  /** Null if no node has the method: then receipts are read one by one. */
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
