/** Compares signed bytes with what was to be signed, field by field, and recovers who signed. Trusts nothing. */
import { type parseTransaction, recoverTransactionAddress, type Hex as ViemHex } from 'viem'
import type { AccessList } from '../core/chain/access-list.ts'
import { type Address, type Hex, toAddress } from '../core/hex.ts'
import type { UnsignedTransaction } from '../ports/signer.ts'

type Parsed = ReturnType<typeof parseTransaction>

/** Half of the order of secp256k1: a higher s is not accepted by any node (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The name of the first field that differs; null if these bytes are exactly what was asked, signed by `from`. */
export async function findDifference(
  raw: Hex,
  parsed: Parsed,
  asked: UnsignedTransaction,
  from: Address,
): Promise<string | null> {
  const { fees, accessList } = asked
  const type = fees.type === 'eip1559' ? 'eip1559' : accessList === undefined ? 'legacy' : 'eip2930'
  const same: Readonly<Record<string, boolean>> = {
    type: parsed.type === type,
    chainId: parsed.chainId === asked.chainId,
    nonce: (parsed.nonce ?? 0) === asked.nonce,
    to: (parsed.to ?? null)?.toLowerCase() === asked.to?.toLowerCase(),
    data: (parsed.data ?? '0x').toLowerCase() === asked.data.toLowerCase(),
    value: (parsed.value ?? 0n) === asked.value,
    gas: (parsed.gas ?? 0n) === asked.gasLimit,
    fees:
      fees.type === 'eip1559'
        ? (parsed.maxFeePerGas ?? 0n) === fees.maxFeePerGas &&
          (parsed.maxPriorityFeePerGas ?? 0n) === fees.maxPriorityFeePerGas
        : (parsed.gasPrice ?? 0n) === fees.gasPrice,
    accessList: spellList(parsed.accessList) === spellList(accessList),
    s: parsed.s !== undefined && BigInt(parsed.s) <= MAX_S,
  }
  const different = Object.keys(same).find((field) => !same[field])
  if (different !== undefined) return different
  const serializedTransaction = raw as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']
  const signedBy = await recoverTransactionAddress({ serializedTransaction }).catch(() => null)
  return signedBy !== null && toAddress(signedBy) === from ? null : 'signer'
}

function spellList(list: AccessList | Parsed['accessList']): string {
  const entries = (list ?? []) as readonly { readonly address: ViemHex; readonly storageKeys: readonly ViemHex[] }[]
  return JSON.stringify(entries.map(({ address, storageKeys }) => [address, storageKeys])).toLowerCase()
}
