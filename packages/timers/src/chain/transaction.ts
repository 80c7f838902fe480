/** Transactions of the reference chain. The sender is trusted, because signatures are not what this chain is about. */

import { domainDigits, type Hex, keccakDigits, uintDigits } from '../kernel/bytes/hex.ts'
import type { CancelTimerArguments } from '../kernel/set/cancel-timer.ts'
import type { SetTimerArguments } from '../kernel/set/set-request.ts'
import type { UpdateTimerArguments } from '../kernel/set/update-timer.ts'

export type Action =
  | { readonly type: 'transfer'; readonly to: Hex; readonly amount: bigint }
  | { readonly type: 'deploy'; readonly handler: string }
  | { readonly type: 'destroy'; readonly actor: Hex }
  | { readonly type: 'call'; readonly actor: Hex; readonly payload: Hex }
  | { readonly type: 'set_timer'; readonly args: SetTimerArguments }
  | { readonly type: 'update_timer'; readonly args: UpdateTimerArguments }
  | { readonly type: 'cancel_timer'; readonly args: CancelTimerArguments }
  | { readonly type: 'vote_params'; readonly change: unknown }

export interface Transaction {
  readonly from: Hex
  readonly nonce: bigint
  readonly cyclesLimit: bigint
  readonly cellsLimit: bigint
  /** To the producer, for each cycle used. */
  readonly tipPerCycle?: bigint
  readonly action: Action
}

const DOMAIN = domainDigits('drover/reference/transaction')

export function transactionIdOf({ from, nonce }: Pick<Transaction, 'from' | 'nonce'>): Hex {
  return keccakDigits(`${DOMAIN}${from.slice(2)}${uintDigits(nonce, 8)}`)
}

/** Where a deploy by this sender with this nonce puts its actor. */
export function actorAddressOf(from: Hex, nonce: bigint): Hex {
  return `0x${transactionIdOf({ from, nonce }).slice(26)}`
}
