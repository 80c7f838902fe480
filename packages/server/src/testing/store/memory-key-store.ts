/** Encrypted keys in memory. */
import type { Address } from '../../core/hex.ts'
import type { KeyStore, StoredKey } from '../../ports/key-store.ts'

export function createMemoryKeyStore(): KeyStore {
  const keys = new Map<Address, StoredKey>()
  return {
    list: async () => [...keys.values()].sort((a, b) => (a.address < b.address ? -1 : 1)).map((key) => ({ ...key })),
    add: async (key) => {
      if (keys.has(key.address)) return false
      keys.set(key.address, { ...key, sealed: Buffer.from(key.sealed) })
      return true
    },
    remove: async (address) => keys.delete(address),
    reseal: async (changes) => {
      let changed = 0
      for (const { before, ...next } of changes) {
        const known = keys.get(next.address)
        if (known === undefined || Buffer.compare(known.sealed, before) !== 0) continue
        keys.set(next.address, { ...next, sealed: Buffer.from(next.sealed) })
        changed++
      }
      return changed
    },
    scrub: async () => true,
    close: async () => {},
  }
}
