/**
 * Keys in the database, encrypted under a master key that is not in it. They are decrypted once, when they are first
 * seen. Nodes are told when a key is added, removed or encrypted again. After a rotation of the master key, a node that
 * is running reads the setting again, so it needs no restart.
 */
import type { Address } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import type { KeyStore, StoredKey } from '../../ports/key-store.ts'
import type { ReadSecret, SecretRef } from '../../ports/secret-ref.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { createLocalKeys } from '../local-keys.ts'
import { type MasterKeys, readMasterKeys } from '../master-keys.ts'
import type { SigningKit } from '../signing-kit.ts'
import { createLocalSource } from './local-source.ts'

interface DatabaseKeyPorts {
  readonly store: Pick<KeyStore, 'list'>
  readonly kit: SigningKit
  readonly readSecret: ReadSecret
}

export interface DatabaseKeys extends KeySource {
  /** As last read. */
  masterKeys(): MasterKeys
}

export async function openDatabaseKeys(refs: readonly SecretRef[], ports: DatabaseKeyPorts): Promise<DatabaseKeys> {
  const { store, kit, readSecret } = ports
  const keys = createLocalKeys(kit)
  let masterKeys = await readMasterKeys(refs, readSecret)
  let tell = (): void => {}

  async function list(): Promise<readonly StoredKey[]> {
    try {
      return await store.list()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      throw new KeyStoreAway('the database does not respond', { cause: error })
    }
  }

  /** Null: it is open. */
  function openKey(stored: StoredKey, opened: ReadonlySet<Address>): string | null {
    const { address, keyId } = stored
    if (!masterKeys.has(keyId))
      return `the key of ${address} is under master key ${keyId}, which this node does not have`
    if (opened.has(address)) return null
    try {
      const privateKey = masterKeys.open(stored)
      if (privateKey === null) return `the master key ${keyId} is missing`
      const found = keys.add(privateKey)
      privateKey.fill(0)
      if (found === address) return null
      keys.remove(found)
    } catch {
      // Whatever the cipher says, it means this.
    }
    return `the stored key of ${address} is damaged`
  }

  async function look(): Promise<void> {
    const stored = await list()
    if (stored.some(({ keyId }) => !masterKeys.has(keyId))) {
      masterKeys = await readMasterKeys(refs, readSecret).catch((error: unknown) => {
        throw new KeyStoreAway(error instanceof Error ? error.message : 'the master key cannot be read')
      })
    }
    const before = keys.addresses()
    const wanted = new Set<Address>(stored.map(({ address }) => address))
    for (const address of before) if (!wanted.has(address)) keys.remove(address)
    const opened = new Set(before)
    const [problem, ...more] = stored.map((key) => openKey(key, opened)).filter((found) => found !== null)
    if (keys.addresses().join() !== before.join()) tell()
    if (problem !== undefined)
      throw new KeyStoreAway(more.length === 0 ? problem : `${problem} (and ${more.length} more)`)
  }

  const source = createLocalSource('database', 'PostgreSQL, encrypted under a master key', keys, {
    look,
    onChange: (listener) => {
      tell = listener
    },
  })
  return Object.assign(source, { masterKeys: () => masterKeys })
}
