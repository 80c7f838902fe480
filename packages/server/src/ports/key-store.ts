/** Encrypted keys in the database. What is in them only `signer/` can tell. */
import type { Address } from '../core/hex.ts'

export interface StoredKey {
  readonly address: Address
  /** Which master key it is encrypted under. */
  readonly keyId: string
  readonly sealed: Uint8Array
}

/** Encrypted again: replaces what was stored, if that has not changed since. */
export interface ResealedKey extends StoredKey {
  readonly before: Uint8Array
}

export interface KeyStore {
  list(): Promise<readonly StoredKey[]>
  /** False if there is a key of this address. All nodes are told. */
  add(key: StoredKey): Promise<boolean>
  /** False if there is none. All nodes are told. */
  remove(address: Address): Promise<boolean>
  /** All of it or nothing of each; returns how many were replaced. All nodes are told. */
  reseal(keys: readonly ResealedKey[]): Promise<number>
  /**
   * Removes what is left of replaced and removed keys from the files of the database. False: an older transaction is
   * still open that may read them, so some may remain.
   */
  scrub(): Promise<boolean>
  close(): Promise<void>
}
