/** Who signed a transaction. viem has a function for it only in its main entry, which takes a quarter of a second to load. */
import type { TransactionSerializable } from 'viem'
import { keccak256, type parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'
import { type Address, toAddress } from '../core/hex.ts'

/** Throws if the signature is invalid. */
export async function recoverSender(parsed: ReturnType<typeof parseTransaction>): Promise<Address> {
  const { r, s, v, yParity, ...unsigned } = parsed
  if (r === undefined || s === undefined) throw new Error('the transaction is not signed')
  const hash = keccak256(serializeTransaction(unsigned as TransactionSerializable))
  const signature = { r, s, ...(v !== undefined && { v }), ...(yParity !== undefined && { yParity }) }
  return toAddress(
    await recoverAddress({ hash, signature: signature as { r: typeof r; s: typeof s; yParity: number } }),
  )
}
