/** What an EVM chain can be asked: each request with the one way its answer is read and checked against what was asked. */
import type { Inclusion } from '../core/chain/finality.ts'
import type { Address, Hash, Hex } from '../core/hex.ts'
import type { Block, BlockRef, CountTag, ReceiptLogs, TransactionByHash } from '../ports/chain.ts'
import type { Read } from './rpc/pool-read.ts'
import type { RpcError } from './rpc/rpc-error.ts'
import {
  BadAnswer,
  getCount,
  NotKnown,
  parseBlock,
  parseQuantity,
  parseReceipt,
  parseReceiptLogs,
  parseTransactionByHash,
  toQuantity,
} from './rpc-values.ts'

function request<T>(method: string, params: readonly unknown[], decode: (result: unknown) => T): Read<T> {
  return { method, params, decode }
}

export function blockRead(ref: BlockRef): Read<Block | null> {
  const byHash = typeof ref === 'object'
  const asked = byHash ? ref.hash : typeof ref === 'number' ? toQuantity(ref) : ref
  return {
    method: byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    params: [asked, false],
    decode(result) {
      if (result === null && ref !== 'latest') return null
      const block = parseBlock(result)
      if (byHash && block.hash !== ref.hash) throw new BadAnswer('the RPC node returned a different block')
      if (typeof ref === 'number' && block.number !== ref)
        throw new BadAnswer('the RPC node returned a different block')
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

export function receiptRead(hash: Hash): Read<Inclusion | null> {
  return request('eth_getTransactionReceipt', [hash], (result) => {
    if (result === null) return null
    const receipt = parseReceipt(result)
    if (receipt !== null && receipt.txHash !== hash) throw new BadAnswer('the receipt belongs to another transaction')
    return receipt
  })
}

export function logsRead(hash: Hash): Read<ReceiptLogs | null> {
  return request('eth_getTransactionReceipt', [hash], (result) =>
    result === null ? null : parseReceiptLogs(result, hash),
  )
}

export function blockReceiptsRead(block: Block): Read<readonly Inclusion[]> {
  return {
    method: 'eth_getBlockReceipts',
    params: [block.hash],
    optional: true,
    decode(result) {
      // The node does not have this block, or no longer has it: "no receipts" would be wrong.
      if (result === null) throw new NotKnown('the RPC node does not have this block')
      if (!Array.isArray(result)) throw new BadAnswer('the receipts are not a list')
      return result.map(parseReceipt).filter((receipt) => receipt !== null)
    },
  }
}

export function balanceRead(address: Address, at: unknown = 'latest'): Read<bigint> {
  return request('eth_getBalance', [address, at], (result) => parseQuantity(result, 'balance'))
}

export function codeRead(address: Address): Read<Hex> {
  return request('eth_getCode', [address, 'latest'], (result) => {
    if (typeof result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(result)) throw new BadAnswer('the code is not hex')
    return result as Hex
  })
}

export function transactionRead(hash: Hash): Read<TransactionByHash | null> {
  return request('eth_getTransactionByHash', [hash], (result) =>
    result === null ? null : parseTransactionByHash(result, hash),
  )
}

export function countRead(address: Address, tag: CountTag): Read<number> {
  const at = typeof tag === 'number' ? toQuantity(tag) : tag
  return request('eth_getTransactionCount', [address, at], (result) => getCount(result, 'transaction count'))
}
