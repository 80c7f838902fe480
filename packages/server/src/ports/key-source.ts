/** A place where keys live. Each may be reached by another protocol; what it gives is always a signed transaction. */
import type { Address } from '../core/hex.ts'
import type { SignedTransaction, UnsignedTransaction } from './signer.ts'

export const KEY_SOURCES = [
  'environment',
  'demo',
  'keystore',
  'mnemonic',
  'database',
  'vault',
  'remote',
  'aws_kms',
  'google_kms',
] as const
export type KeySourceType = (typeof KEY_SOURCES)[number]

export interface KeySource {
  readonly type: KeySourceType
  /** Where it is, for people: a folder, a host, a region. Never a secret. */
  readonly place: string
  /** The keys are in this process: they sign even while the place where they came from is away. */
  readonly isInMemory: boolean
  /** Accounts that it signs for, as of the last look; from memory. */
  addresses(): readonly Address[]
  /** Throws KeyStoreAway if it cannot sign now. */
  sign(address: Address, transaction: UnsignedTransaction): Promise<SignedTransaction>
  /** Looks for keys that were added or removed, and whether it responds. Throws KeyStoreAway if it does not. */
  look(): Promise<void>
  /** Calls back when it has other addresses than before. */
  onChange(listener: () => void): void
  close(): Promise<void>
}

/** Where the key of an account lives, and how it stands, as this node sees it. */
export interface KeyState {
  readonly source: KeySourceType
  readonly place: string
  /** Null: it can sign, as far as is known. */
  readonly problem: { readonly message: string; readonly since: number } | null
}

/** How a key source stands, as this node sees it. */
export interface KeySourceState extends KeyState {
  readonly keys: number
}

/** The result of signing a challenge and recovering the address from the signature. */
export type KeyCheck =
  | { readonly type: 'verified'; readonly tookMs: number }
  | { readonly type: 'failed'; readonly message: string }
