/** Reads signed bytes back: what they say, and who signed them. */
import { keccak256, parseTransaction } from 'viem/utils'
import type { AccessList } from '../core/chain/access-list.ts'
import type { Fees } from '../core/fees/fees.ts'
import { type Address, type Hex, toAddress } from '../core/hex.ts'
import type { SignedTransaction, UnsignedTransaction } from '../ports/signer.ts'
import { recoverSender } from './recover-sender.ts'

export interface DecodedTransaction extends UnsignedTransaction, SignedTransaction {
  readonly from: Address
}

/** Recovering the sender takes about a millisecond: long simulations bring a decoder of their own. Throws on other bytes. */
export async function decodeTransaction(raw: Hex): Promise<DecodedTransaction> {
  const parsed = parseTransaction(raw)
  return {
    hash: keccak256(raw),
    raw,
    from: await recoverSender(parsed),
    chainId: parsed.chainId ?? 0,
    nonce: parsed.nonce ?? 0,
    to: parsed.to ? toAddress(parsed.to) : null,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
    gasLimit: parsed.gas ?? 0n,
    fees: readFees(parsed),
    ...readAccessList(parsed),
  }
}

function readFees(parsed: ReturnType<typeof parseTransaction>): Fees {
  if (parsed.type === 'legacy' || parsed.type === 'eip2930') return { type: 'legacy', gasPrice: parsed.gasPrice ?? 0n }
  return {
    type: 'eip1559',
    maxFeePerGas: parsed.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
  }
}

function readAccessList({ accessList = [] }: ReturnType<typeof parseTransaction>): { accessList?: AccessList } {
  if (accessList.length === 0) return {}
  return { accessList: accessList.map(({ address, storageKeys }) => ({ address: toAddress(address), storageKeys })) }
}
