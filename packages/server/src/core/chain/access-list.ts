/** Storage that a transaction declares in advance (EIP-2930): touching it then costs less gas. */
import type { Address, Hash } from '../hex.ts'

export type AccessList = readonly {
  readonly address: Address
  readonly storageKeys: readonly Hash[]
}[]
