/** Access to keys: the engine passes what to sign, and gets the bytes and their hash. Keys stay on the other side. */
import type { AccessList } from '../core/chain/access-list.ts'
import type { Fees } from '../core/fees/fees.ts'
import type { Address, Hash, Hex } from '../core/hex.ts'

export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  readonly gasLimit: bigint
  readonly fees: Fees
  readonly accessList?: AccessList
}

export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hash
}

export interface Signer {
  /** Accounts whose keys this node can reach now. */
  addresses(): readonly Address[]
  /** Whether the key of an account can sign now, as far as this node knows. Left out: it can. */
  canSign?(address: Address): boolean
  sign(address: Address, transaction: UnsignedTransaction): Promise<SignedTransaction>
}

/** The key store of an account cannot sign now, and may later. The message is for people and contains no secret. */
export class KeyStoreAway extends Error {
  /** The key store responds, but not with a signature of this key. Its other keys may sign. */
  readonly isOneKey: boolean
  constructor(message: string, { isOneKey = false, ...options }: { cause?: unknown; isOneKey?: boolean } = {}) {
    super(message, options)
    this.name = 'KeyStoreAway'
    this.isOneKey = isOneKey
  }
}
