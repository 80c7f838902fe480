/** Signs with keys held in this process. For tests, trials and small set-ups: the keys live as long as the process does. */
import { inspect } from 'node:util'
import { type Address, type Hex, toAddress } from '../core/hex.ts'
import type { Signer } from '../ports/signer.ts'
import { createTransactionEncoder } from './encode-transaction.ts'
import { JAVASCRIPT_KIT, type SigningKit } from './signing-kit.ts'

const KEY = /^0x[0-9a-fA-F]{64}$/

/** Signatures are deterministic (RFC 6979): the same transaction always gives the same bytes and hash. */
export function createLocalSigner(keys: readonly Hex[], kit: SigningKit = JAVASCRIPT_KIT): Signer {
  const { curve, keccak } = kit
  const privateKeys = new Map<Address, Uint8Array>()
  for (const [index, key] of keys.entries()) {
    const address = readAddress(key, kit, { index, count: keys.length })
    privateKeys.set(address, Buffer.from(key.slice(2), 'hex'))
  }
  const addresses: readonly Address[] = [...privateKeys.keys()]
  const shown = { addresses }
  const encoder = createTransactionEncoder()

  return Object.assign<Signer, object>(
    {
      addresses: () => addresses,
      async sign(address, transaction) {
        const privateKey = privateKeys.get(address)
        if (privateKey === undefined) throw new Error(`no key for ${address}`)
        const { bytes, recovery } = curve.sign(keccak.hash(encoder.encodeUnsigned(transaction)), privateKey)
        const signed = encoder.encodeSigned(bytes, recovery)
        const raw = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength).toString('hex')
        return { raw: `0x${raw}`, hash: keccak.hashToHex(signed) }
      },
    },
    { toJSON: () => shown, [inspect.custom]: () => shown },
  )
}

/** Names the position, never the key; the library's own error may quote it and is not passed on. */
function readAddress(
  key: Hex,
  { curve, keccak }: SigningKit,
  { index, count }: { readonly index: number; readonly count: number },
): Address {
  const problem = `signer key ${index + 1} of ${count} is not a private key: expected 0x and 64 hex digits`
  if (!KEY.test(key)) throw new Error(problem)
  try {
    const publicKey = curve.publicKey(Buffer.from(key.slice(2), 'hex'))
    return toAddress(`0x${keccak.hashToHex(publicKey).slice(-40)}`)
  } catch {
    throw new Error(problem)
  }
}
