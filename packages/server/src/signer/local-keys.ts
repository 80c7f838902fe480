/** Private keys in the memory of this process. They can be added and removed, and never be read. */
import { inspect } from 'node:util'
import { type Address, toAddress } from '../core/hex.ts'
import type { SignedTransaction, UnsignedTransaction } from '../ports/signer.ts'
import { createTransactionEncoder } from './encode-transaction.ts'
import type { SigningKit } from './signing-kit.ts'

export interface LocalKeys {
  /** Keeps a copy. Throws if it is not a private key; the error does not quote it. */
  add(privateKey: Uint8Array): Address
  remove(address: Address): void
  addresses(): readonly Address[]
  sign(address: Address, transaction: UnsignedTransaction): SignedTransaction
  /** Forgets all keys. */
  clear(): void
}

/** Signatures are deterministic (RFC 6979): the same transaction always gives the same bytes and hash. */
export function createLocalKeys(kit: SigningKit): LocalKeys {
  const { curve, keccak } = kit
  const privateKeys = new Map<Address, Uint8Array>()
  const encoder = createTransactionEncoder()
  let list: readonly Address[] = []
  const addresses = (): readonly Address[] => list
  const shown = () => ({ addresses: addresses() })

  function remove(address: Address): void {
    privateKeys.get(address)?.fill(0)
    privateKeys.delete(address)
    list = [...privateKeys.keys()]
  }

  return Object.assign<LocalKeys, object>(
    {
      add(privateKey) {
        const address = addressOf(privateKey, kit)
        if (!privateKeys.has(address)) privateKeys.set(address, Uint8Array.from(privateKey))
        list = [...privateKeys.keys()]
        return address
      },
      remove,
      addresses,
      sign(address, transaction) {
        const privateKey = privateKeys.get(address)
        if (privateKey === undefined) throw new Error(`no key for ${address}`)
        const { bytes, recovery } = curve.sign(keccak.hash(encoder.encodeUnsigned(transaction)), privateKey)
        const signed = encoder.encodeSigned(bytes, recovery)
        const raw = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength).toString('hex')
        return { raw: `0x${raw}`, hash: keccak.hashToHex(signed) }
      },
      clear: () => {
        for (const address of list) remove(address)
      },
    },
    { toJSON: shown, [inspect.custom]: shown },
  )
}

/** The library's own error may quote the key and is not passed on. */
export function addressOf(privateKey: Uint8Array, { curve, keccak }: SigningKit): Address {
  try {
    if (privateKey.length !== 32) throw new Error('wrong length')
    return toAddress(`0x${keccak.hashToHex(curve.publicKey(privateKey)).slice(-40)}`)
  } catch {
    throw new Error('not a private key')
  }
}
