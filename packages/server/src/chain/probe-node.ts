/** Inspects one node of a chain without changing anything, for `drover doctor`. */
import type { Address } from '../core/hex.ts'
import type { Clock } from '../ports/clock.ts'
import { createJsonRpcClient } from './rpc/json-rpc.ts'
import type { RpcReply, RpcRequest } from './rpc/read-reply.ts'
import { parseRpcUrls } from './rpc/rpc-url.ts'
import { parseCount } from './rpc-values.ts'

export type NodeProbe =
  | { readonly type: 'unreachable'; readonly host: string; readonly message: string }
  /** It only tells of new heads. */
  | { readonly type: 'subscription'; readonly host: string }
  | {
      readonly type: 'answers'
      readonly host: string
      readonly chainId: number
      /** Null: its newest block could not be read. */
      readonly head: { readonly number: number; readonly timestampMs: number } | null
      /** How many blocks it still has to fetch; null if it does not say that it is syncing. */
      readonly missingBlocks: number | null
      /** Block tags that it does not know, or has no block for. */
      readonly lackingTags: readonly ('safe' | 'finalized')[]
      /** Methods that it says it does not have. */
      readonly lacking: readonly string[]
      /** In wei; null if it could not be read. */
      readonly balances: ReadonlyMap<Address, bigint | null>
    }

const METHOD_NOT_FOUND = -32_601
const TAGS = ['safe', 'finalized'] as const
const NOBODY = '0x0000000000000000000000000000000000000000'

/** What the service asks a node for. The bytes that are "sent" are none, and refused by every node that has the method. */
const NEEDED: readonly RpcRequest[] = [
  { method: 'eth_getTransactionCount', params: [NOBODY, 'pending'] },
  { method: 'eth_estimateGas', params: [{ from: NOBODY, to: NOBODY }] },
  { method: 'eth_getTransactionReceipt', params: [`0x${'00'.repeat(32)}`] },
  { method: 'eth_getTransactionByHash', params: [`0x${'00'.repeat(32)}`] },
  { method: 'eth_getCode', params: [NOBODY, 'latest'] },
  { method: 'eth_sendRawTransaction', params: ['0x00'] },
  { method: 'eth_feeHistory', params: ['0x1', 'latest', []] },
  { method: 'eth_getBlockReceipts', params: ['latest'] },
]

export type SenderProbe =
  | { readonly type: 'unreachable'; readonly host: string; readonly message: string }
  /** `chainId`: null if it does not say. */
  | { readonly type: 'answers'; readonly host: string; readonly chainId: number | null; readonly canSend: boolean }

/** An endpoint that is only sent to may have no other method. The bytes that are "sent" are none. */
export async function probeSender(url: string, clock: Clock): Promise<SenderProbe> {
  const { host, client } = openProbe(url, clock)
  try {
    const bytes = { method: 'eth_sendRawTransaction', params: ['0x00'] }
    const [id, sent] = await client.send([{ method: 'eth_chainId', params: [] }, bytes], false, { patient: true })
    if (sent?.type !== 'result' && sent?.type !== 'error') return { type: 'unreachable', host, message: describe(sent) }
    const chainId = id?.type === 'result' ? parseCount(id.result) : null
    return { type: 'answers', host, chainId, canSend: !isLacking(sent) }
  } finally {
    client.close()
  }
}

function openProbe(url: string, clock: Clock) {
  const [target] = parseRpcUrls([url])
  if (target === undefined) throw new Error('one URL is one target')
  const limits = { timeoutMs: 10_000, maxConcurrent: 4, maxBatch: 20, maxResponseBytes: 16 * 1024 * 1024 }
  const isSocket = target.url.protocol.startsWith('ws')
  return { host: target.host, isSocket, client: createJsonRpcClient(target, { ...limits, clock }) }
}

export async function probeNode(url: string, addresses: readonly Address[], clock: Clock): Promise<NodeProbe> {
  const { host, isSocket, client } = openProbe(url, clock)
  try {
    if (isSocket) return { type: 'subscription', host }
    const [id] = await client.send([{ method: 'eth_chainId', params: [] }], false, { patient: true })
    const chainId = id?.type === 'result' ? parseCount(id.result) : null
    if (chainId === null) return { type: 'unreachable', host, message: describe(id) }
    const reads = addresses.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] }))
    const block = (tag: string) => ({ method: 'eth_getBlockByNumber', params: [tag, false] })
    const state = [block('latest'), ...TAGS.map(block), { method: 'eth_syncing', params: [] }]
    const answers = await client.send([...state, ...reads, ...NEEDED], false)
    const [head, ...rest] = answers
    const replies = answers.slice(state.length + reads.length)
    const amounts = answers.slice(state.length)
    return {
      type: 'answers',
      host,
      chainId,
      head: readHead(head),
      missingBlocks: readMissing(rest[TAGS.length]),
      lackingTags: TAGS.filter((_, index) => readHead(rest[index]) === null),
      lacking: NEEDED.filter((_, index) => isLacking(replies[index])).map(({ method }) => method),
      balances: new Map(addresses.map((address, index) => [address, readAmount(amounts[index])])),
    }
  } finally {
    client.close()
  }
}

function isLacking(reply: RpcReply | undefined): boolean {
  if (reply?.type !== 'error') return false
  const { code, message } = reply.error
  return code === METHOD_NOT_FOUND || /method .*(not found|not supported|not available|does not exist)/i.test(message)
}

function readHead(reply: RpcReply | undefined) {
  const block = reply?.type === 'result' && typeof reply.result === 'object' ? { ...reply.result } : {}
  const number = 'number' in block ? parseCount(block.number) : null
  const timestamp = 'timestamp' in block ? parseCount(block.timestamp) : null
  return number === null || timestamp === null ? null : { number, timestampMs: timestamp * 1_000 }
}

function readMissing(reply: RpcReply | undefined): number | null {
  const state = reply?.type === 'result' && typeof reply.result === 'object' ? { ...reply.result } : {}
  const highest = 'highestBlock' in state ? parseCount(state.highestBlock) : null
  const current = 'currentBlock' in state ? parseCount(state.currentBlock) : null
  return highest === null || current === null ? null : highest - current
}

function readAmount(reply: RpcReply | undefined): bigint | null {
  const text = reply?.type === 'result' ? reply.result : null
  return typeof text === 'string' && /^0x[0-9a-f]{1,64}$/i.test(text) ? BigInt(text) : null
}

function describe(reply: RpcReply | undefined): string {
  if (reply?.type === 'result') return 'its response is not a chain id'
  if (reply?.type === 'error') return reply.error.message.slice(0, 300)
  return reply?.message ?? 'no answer'
}
