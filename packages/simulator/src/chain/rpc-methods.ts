/** What a simulated RPC node answers to each JSON-RPC method, with geth's error texts. */
import type { DecodedTransaction } from '../../../server/src/chain/decode-transaction.ts'
import { toQuantity } from '../../../server/src/chain/rpc-values.ts'
import type { Inclusion } from '../../../server/src/core/chain/finality.ts'
import type { SendOutcome } from '../../../server/src/core/chain/send-outcome.ts'
import type { Address, Hash, Hex } from '../../../server/src/core/hex.ts'
import { accountAt, BLOCK_GAS_LIMIT, type SimBlock } from './block.ts'
import type { Network } from './network.ts'
import type { RpcView } from './rpc-view.ts'

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: string
}

export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcFailure }

/** The result of a call; null if it would succeed. */
export type CallRefusal = RpcFailure | null

export interface RpcNodeRules {
  /** Why this call fails, or the gas it needs. */
  tryCall(call: { readonly from: Address; readonly data: Hex; readonly to: Address | null }): CallRefusal
  readonly gas: bigint
}

const GWEI = 1_000_000_000n
const NO_BLOCK: RpcAnswer = { error: { code: -32_000, message: 'header not found' } }

type Params = readonly unknown[]

export async function answerRpc(
  network: Network,
  view: RpcView,
  rules: RpcNodeRules,
  method: string,
  params: Params,
): Promise<RpcAnswer> {
  if (method === 'eth_sendRawTransaction') return await send(network, view, params[0] as Hex)
  return answerRead(network, view, rules, method, params)
}

function answerRead(network: Network, view: RpcView, rules: RpcNodeRules, method: string, params: Params): RpcAnswer {
  switch (method) {
    case 'eth_chainId':
      return { result: toQuantity(network.chainId) }
    case 'eth_blockNumber':
      return { result: toQuantity(view.head().number) }
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash': {
      const block = findBlock(network, view, params[0])
      return { result: block && presentBlock(block, params[1] === true) }
    }
    case 'eth_getBlockReceipts': {
      const block = findBlock(network, view, params[0])
      return { result: block && [...block.inclusions.values()].map(presentReceipt) }
    }
    case 'eth_getTransactionReceipt': {
      const hash = params[0] as Hash
      const inclusion = view.blockOf(hash)?.inclusions.get(hash) ?? network.promised(hash)
      return { result: inclusion === null || inclusion === undefined ? null : presentReceipt(inclusion) }
    }
    case 'eth_getTransactionByHash': {
      const tx = view.find(params[0] as Hash)
      return { result: tx && presentTransaction(tx) }
    }
    case 'eth_getTransactionCount': {
      const address = params[0] as Address
      if (params[1] === 'pending') return { result: toQuantity(view.pendingCount(address)) }
      return atBlock(network, view, params[1], (block) => toQuantity(accountAt(block, address).nonce))
    }
    case 'eth_getBalance':
      return atBlock(network, view, params[1], (block) => toQuantity(accountAt(block, params[0] as Address).balance))
    case 'eth_getCode':
      return { result: '0x' }
    // No account has code: a call returns nothing, and there is no event.
    case 'eth_call':
      return atBlock(network, view, params[1], () => '0x')
    case 'eth_getLogs': {
      const { blockHash } = params[0] as { readonly blockHash?: Hash }
      return atBlock(network, view, blockHash, () => [])
    }
    case 'eth_estimateGas':
      return estimate(network, view, rules, params)
    case 'eth_gasPrice':
      return { result: toQuantity(view.head().baseFee + GWEI) }
    case 'eth_maxPriorityFeePerGas':
      return { result: toQuantity(GWEI) }
    case 'eth_feeHistory':
      return { result: presentFees(view) }
    default:
      return { error: { code: -32_601, message: `the method ${method} does not exist/is not available` } }
  }
}

function findBlock(network: Network, view: RpcView, ref: unknown): SimBlock | null {
  if (typeof ref === 'object' && ref !== null && 'blockHash' in ref) return view.byHash(ref.blockHash as Hash)
  if (typeof ref !== 'string') return null
  const head = view.head()
  switch (ref) {
    case 'latest':
      return head
    case 'safe':
      return view.at(Math.max(0, head.number - network.safeDepth))
    case 'finalized':
      return view.at(Math.max(0, head.number - network.finalizedDepth))
    default:
      return ref.length === 66 ? view.byHash(ref as Hash) : view.at(Number(ref))
  }
}

function atBlock(network: Network, view: RpcView, ref: unknown, read: (block: SimBlock) => unknown): RpcAnswer {
  const block = findBlock(network, view, ref)
  return block === null ? NO_BLOCK : { result: read(block) }
}

function estimate(network: Network, view: RpcView, rules: RpcNodeRules, params: Params): RpcAnswer {
  const call = params[0] as { from: Address; to?: Address; data?: Hex; value?: Hex; gas?: Hex }
  const block = findBlock(network, view, params[1])
  if (block === null) return NO_BLOCK
  const refusal = rules.tryCall({ from: call.from, data: call.data ?? '0x', to: call.to ?? null })
  if (refusal !== null) return { error: refusal }
  if (BigInt(call.value ?? '0x0') > accountAt(block, call.from).balance)
    return { error: { code: -32_000, message: 'insufficient funds for transfer' } }
  if (call.gas !== undefined && BigInt(call.gas) < rules.gas)
    return { error: { code: -32_000, message: `gas required exceeds allowance (${BigInt(call.gas)})` } }
  return { result: toQuantity(rules.gas) }
}

async function send(network: Network, view: RpcView, raw: Hex): Promise<RpcAnswer> {
  const tx = await decodeOrNull(network, raw)
  if (tx === null) return { error: { code: -32_602, message: 'failed to decode transaction: rlp: value size exceeds' } }
  if (tx.chainId !== network.chainId) return { error: { code: -32_000, message: 'invalid chain id for signer' } }
  const outcome = view.add(tx)
  if (outcome.type !== 'accepted') return { error: { code: -32_000, message: wordsOf(outcome) } }
  network.gossip(tx)
  return { result: tx.hash }
}

async function decodeOrNull(network: Network, raw: Hex): Promise<DecodedTransaction | null> {
  try {
    return await network.decode(raw)
  } catch {
    // Whatever the decoder's error, the node answers the same: this is not a transaction.
    return null
  }
}

function wordsOf(outcome: SendOutcome): string {
  return 'message' in outcome ? outcome.message : 'already known'
}

function presentBlock(block: SimBlock, isWhole: boolean) {
  return {
    number: toQuantity(block.number),
    hash: block.hash,
    stateRoot: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    timestamp: toQuantity(block.timestamp),
    gasUsed: toQuantity(block.gasUsed),
    gasLimit: toQuantity(BLOCK_GAS_LIMIT),
    baseFeePerGas: toQuantity(block.baseFee),
    transactions: block.transactions.map((tx) => (isWhole ? presentTransaction(tx) : tx.hash)),
  }
}

function presentTransaction(tx: DecodedTransaction) {
  return {
    hash: tx.hash,
    from: tx.from,
    to: tx.to,
    input: tx.data,
    type: '0x2',
    nonce: toQuantity(tx.nonce),
    value: toQuantity(tx.value),
  }
}

function presentReceipt(inclusion: Inclusion) {
  return {
    transactionHash: inclusion.txHash,
    blockHash: inclusion.blockHash,
    logs: [],
    blockNumber: toQuantity(inclusion.blockNumber),
    transactionIndex: toQuantity(inclusion.txIndex),
    status: inclusion.succeeded ? '0x1' : '0x0',
    gasUsed: toQuantity(inclusion.gasUsed),
    effectiveGasPrice: toQuantity(inclusion.effectiveGasPrice),
    contractAddress: inclusion.contractAddress,
  }
}

const FEE_BLOCKS = 10

function presentFees(view: RpcView) {
  const { number } = view.head()
  const blocks = Array.from({ length: Math.min(FEE_BLOCKS, number) }, (_, index) => view.at(number - index)).reverse()
  const known = blocks.filter((block) => block !== null)
  return {
    baseFeePerGas: [...known.map(({ baseFee }) => toQuantity(baseFee)), toQuantity(view.head().baseFee)],
    gasUsedRatio: known.map(({ gasUsed }) => Number(gasUsed) / Number(BLOCK_GAS_LIMIT)),
    reward: known.map(() => [GWEI / 2n, GWEI, 2n * GWEI].map(toQuantity)),
  }
}
