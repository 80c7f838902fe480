/**
 * A key source that signs digests and never shows its keys: a key management service. The service returns r and s; the
 * address is recovered from every signature, which finds the recovery id and proves that the right key signed.
 */
import { inspect } from 'node:util'
import { secp256k1 } from '@noble/curves/secp256k1'
import { type Address, toAddress } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { KeyStoreAway, type UnsignedTransaction } from '../../ports/signer.ts'
import { createTransactionEncoder } from '../encode-transaction.ts'
import type { Keccak } from '../keccak.ts'
import { readPublicKey, readSignature } from './der.ts'

export interface DigestService {
  readonly type: KeySource['type']
  readonly place: string
  /** Names of the keys, as the service knows them. */
  readonly keys: readonly string[]
  /** As DER (SubjectPublicKeyInfo). Throws KeyStoreAway. */
  readPublicKey(key: string): Promise<Buffer>
  /** As DER. Throws KeyStoreAway. */
  sign(key: string, digest: Uint8Array): Promise<Buffer>
  close(): void
}

export function createDigestSource(service: DigestService, keccak: Keccak): KeySource {
  const { type, place } = service
  const names = new Map<Address, string>()
  const encoder = createTransactionEncoder()
  let list: readonly Address[] = []
  let tell = (): void => {}
  let isSilent = false

  async function learn(key: string): Promise<void> {
    const publicKey = readPublicKey(await service.readPublicKey(key))
    if (publicKey === null) throw new KeyStoreAway(`key ${key} is not a secp256k1 key for signing`, { isOneKey: true })
    names.set(toAddress(`0x${keccak.hashToHex(publicKey).slice(-40)}`), key)
    list = [...names.keys()]
    tell()
  }

  /**
   * A public key never changes, so it is read once. While all is well a look costs nothing: services charge per call.
   * A key that cannot be read does not keep the others from being used.
   */
  async function look(): Promise<void> {
    const known = new Set(names.values())
    const problems: KeyStoreAway[] = []
    const take = (error: unknown): void => {
      if (!(error instanceof KeyStoreAway) || !error.isOneKey) throw error
      problems.push(error)
    }
    for (const key of service.keys) if (!known.has(key)) await learn(key).catch(take)
    const [first] = service.keys
    if (isSilent && first !== undefined) await service.readPublicKey(first).catch(take)
    isSilent = false
    if (problems[0] !== undefined) throw problems[0]
  }

  async function sign(address: Address, transaction: UnsignedTransaction) {
    const key = names.get(address)
    if (key === undefined) throw new Error(`no key for ${address}`)
    const digest = keccak.hash(encoder.encodeUnsigned(transaction)).slice()
    const der = await service.sign(key, digest).catch((error: unknown) => {
      if (!(error instanceof KeyStoreAway) || !error.isOneKey) isSilent = true
      throw error
    })
    const signature = readSignature(der)
    const recovery = signature === null ? null : findRecovery(signature, digest, address)
    if (signature === null || recovery === null)
      throw new KeyStoreAway(`${place} returned a signature that is not of ${address}; it was not used`, {
        isOneKey: true,
      })
    // Encoded again: other transactions may have used the encoder meanwhile.
    encoder.encodeUnsigned(transaction)
    const signed = encoder.encodeSigned(signature, recovery)
    return { raw: `0x${Buffer.from(signed).toString('hex')}` as const, hash: keccak.hashToHex(signed) }
  }

  function findRecovery(signature: Uint8Array, digest: Uint8Array, address: Address): number | null {
    const parsed = secp256k1.Signature.fromCompact(signature)
    for (const recovery of [0, 1]) {
      try {
        const point = parsed.addRecoveryBit(recovery).recoverPublicKey(digest).toRawBytes(false)
        if (`0x${keccak.hashToHex(point.subarray(1)).slice(-40)}` === address) return recovery
      } catch {
        // No point has this r and recovery id.
      }
    }
    return null
  }

  const shown = () => ({ type, place, addresses: list })
  return Object.assign<KeySource, object>(
    {
      type,
      place,
      isInMemory: false,
      addresses: () => list,
      sign,
      look,
      onChange: (listener) => {
        tell = listener
      },
      close: async () => service.close(),
    },
    { toJSON: shown, [inspect.custom]: shown },
  )
}
