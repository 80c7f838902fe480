/** An external decision on a transaction that cannot advance: the engine asks, a module or a webhook answers. */

import type { Address, Hash } from '../core/hex.ts'
import type { OperatorAction } from '../core/transaction/allowed-actions.ts'
import type { TxId } from '../core/transaction/transaction.ts'

export interface StuckQuestion {
  readonly transactionId: TxId
  readonly chainId: number
  readonly from: Address
  readonly to: Address | null
  readonly nonce: number
  /** Every hash that was ever signed for it, oldest first. */
  readonly hashes: readonly Hash[]
  readonly cause: string
  readonly message: string
  /** ISO 8601. */
  readonly stuckSince: string
  readonly requestId: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** What policy allows here, beside waiting. */
  readonly allowed: readonly OperatorAction[]
}

export type StuckDecision =
  | { readonly action: 'wait' }
  | { readonly action: 'retry' | 'bump' | 'cancel' | 'requeue' | 'close'; readonly reason: string }
  /** `hash`: the transaction that used the nonce; left out, it is looked for. */
  | { readonly action: 'resolve'; readonly reason: string; readonly hash?: Hash }

export interface StuckHook {
  /** Throws if there is no usable answer: the engine then waits and asks again. */
  decide(question: StuckQuestion): Promise<StuckDecision>
}
