/**
 * Encrypts private keys for the database: AES-256-GCM under a master key that is not in it, each bound to its address.
 * The first master key encrypts, all of them decrypt. A key id tells them apart and reveals nothing.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import type { Address } from '../core/hex.ts'
import type { StoredKey } from '../ports/key-store.ts'
import type { ReadSecret, SecretRef } from '../ports/secret-ref.ts'
import { describeRef } from './read-secret.ts'

export interface MasterKeys {
  /** Of the key that encrypts. */
  readonly currentId: string
  has(keyId: string): boolean
  seal(privateKey: Uint8Array, address: Address): StoredKey
  /** Null if its master key is not here. Throws if it was changed or belongs to another address. */
  open(stored: StoredKey): Uint8Array | null
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export async function readMasterKeys(refs: readonly SecretRef[], readSecret: ReadSecret): Promise<MasterKeys> {
  const keys: Buffer[] = []
  for (const ref of refs) {
    const key = parseMasterKey(await readSecret(ref))
    if (key === null) throw new Error(`${describeRef(ref)} is not a master key: expected 32 bytes in hex or base64`)
    keys.push(key)
  }
  return createMasterKeys(keys)
}

export function createMasterKeys(keys: readonly Uint8Array[]): MasterKeys {
  const named = new Map(keys.map((key) => [nameOf(key), key]))
  const [first] = named
  if (first === undefined) throw new Error('there is no master key')
  const [currentId, current] = first
  const shown = () => ({ keyIds: [...named.keys()] })
  return Object.assign<MasterKeys, object>(
    {
      currentId,
      has: (keyId) => named.has(keyId),
      seal(privateKey, address) {
        const nonce = randomBytes(NONCE_BYTES)
        const cipher = createCipheriv(CIPHER, current, nonce).setAAD(bind(address, currentId))
        const sealed = Buffer.concat([nonce, cipher.update(privateKey), cipher.final(), cipher.getAuthTag()])
        return { address, keyId: currentId, sealed }
      },
      open({ address, keyId, sealed }) {
        const key = named.get(keyId)
        if (key === undefined) return null
        const end = sealed.length - TAG_BYTES
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
        decipher.setAAD(bind(address, keyId)).setAuthTag(sealed.subarray(end))
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()])
      },
    },
    { toJSON: shown, [inspect.custom]: shown },
  )
}

function bind(address: Address, keyId: string): Buffer {
  return Buffer.from(`drover signer key v1 ${keyId} ${address}`)
}

function nameOf(key: Uint8Array): string {
  return createHash('sha256').update('drover master key').update(key).digest('hex').slice(0, 8)
}

function parseMasterKey(text: string): Buffer | null {
  const given = text.trim()
  const key = /^(?:0x)?[0-9a-fA-F]{64}$/.test(given)
    ? Buffer.from(given.slice(-64), 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(given)
      ? Buffer.from(given, 'base64')
      : null
  return key?.length === 32 ? key : null
}
