/** Puts keys into the database, encrypted, and encrypts them again under another master key. */
import { randomBytes } from 'node:crypto'
import type { Address } from '../core/hex.ts'
import type { KeyStore, ResealedKey } from '../ports/key-store.ts'
import { addressOf } from './local-keys.ts'
import type { MasterKeys } from './master-keys.ts'
import type { SigningKit } from './signing-kit.ts'

export interface StoredKeys {
  /** A new random key. */
  create(): Promise<Address>
  /** Throws if it is not a private key; the error does not quote it. */
  import(privateKey: Uint8Array): Promise<{ readonly address: Address; readonly isNew: boolean }>
  /** Encrypts everything again that is not under the first master key. */
  rotate(): Promise<Rotation>
}

export interface Rotation {
  readonly changed: number
  /** Of the master key that all keys are under now. */
  readonly keyId: string
  /** False: old ciphertext may remain in the files of the database. Rotating again removes it. */
  readonly scrubbed: boolean
}

interface StoredKeyPorts {
  readonly store: KeyStore
  /** As they are now: after a rotation they are others. */
  masterKeys(): MasterKeys
  readonly kit: SigningKit
}

/** More rounds are needed only if others add keys under the old master key meanwhile. */
const MAX_ROUNDS = 10

export function createStoredKeys({ store, masterKeys, kit }: StoredKeyPorts): StoredKeys {
  async function put(privateKey: Uint8Array): Promise<{ readonly address: Address; readonly isNew: boolean }> {
    try {
      const address = addressOf(privateKey, kit)
      return { address, isNew: await store.add(masterKeys().seal(privateKey, address)) }
    } finally {
      privateKey.fill(0)
    }
  }

  async function rotate(): Promise<Rotation> {
    const keys = masterKeys()
    const keyId = keys.currentId
    let changed = 0
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const old = (await store.list()).filter((key) => key.keyId !== keyId)
      if (old.length === 0) return { changed, keyId, scrubbed: await store.scrub() }
      const again: readonly ResealedKey[] = old.map((key) => {
        const privateKey = keys.open(key)
        if (privateKey === null)
          throw new Error(`the key of ${key.address} is under master key ${key.keyId}, which was not given`)
        const sealed = keys.seal(privateKey, key.address)
        privateKey.fill(0)
        return { ...sealed, before: key.sealed }
      })
      changed += await store.reseal(again)
    }
    throw new Error('other programs keep adding keys under an old master key: give them the new one first')
  }

  return {
    create: async () => {
      // Almost every 32 bytes are a private key.
      for (;;) {
        const { address, isNew } = await put(randomBytes(32))
        if (isNew) return address
      }
    },
    import: put,
    rotate,
  }
}
