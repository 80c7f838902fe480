/** What an actor's code sees: a metered view of the chain, and the message that woke it. */

import type { Hex } from '../kernel/bytes/hex.ts'
import type { MailboxEntry } from '../kernel/deliver/mailbox-entry.ts'
import type { Refusal } from '../kernel/params/refusal.ts'
import type { CancelTimerArguments } from '../kernel/set/cancel-timer.ts'
import type { SetIntervalArguments, SetStateWatchArguments, SetTimeoutArguments } from '../kernel/set/set-request.ts'
import type { UpdateTimerArguments } from '../kernel/set/update-timer.ts'

export type WakeUp =
  | { readonly type: 'call'; readonly from: Hex; readonly payload: Hex }
  | { readonly type: 'message'; readonly from: Hex; readonly payload: Hex }
  | { readonly type: 'timer'; readonly entry: MailboxEntry }

/** An actor names itself as target unless it says otherwise. */
type OwnTarget<T> = Omit<T, 'target'> & { readonly target?: string }

export type ActorSetOutcome = { readonly type: 'created' | 'updated' | 'unchanged'; readonly timerId: Hex } | Refusal
export type ActorUpdateOutcome = { readonly type: 'updated' | 'unchanged' } | Refusal
export type ActorCancelOutcome = { readonly type: 'done'; readonly cancelled: boolean } | Refusal

export interface ActorContext {
  readonly self: Hex
  readonly height: bigint
  read(key: Hex): Hex | null
  /** Null deletes. */
  write(key: Hex, value: Hex | null): void
  /** Reaches its actor in the mailbox of this block if sent by a transaction, of the next if sent by the mailbox. */
  send(to: Hex, payload: Hex, gasLimit: bigint): void
  setTimeout(args: OwnTarget<SetTimeoutArguments>): ActorSetOutcome
  setInterval(args: OwnTarget<SetIntervalArguments>): ActorSetOutcome
  setStateWatch(args: OwnTarget<SetStateWatchArguments>): ActorSetOutcome
  updateTimer(args: OwnTarget<UpdateTimerArguments>): ActorUpdateOutcome
  cancelTimer(args: OwnTarget<CancelTimerArguments>): ActorCancelOutcome
}

/** Deterministic and synchronous; throwing undoes all it did, and is still paid for. */
export type ActorHandler = (context: ActorContext, wakeUp: WakeUp) => void

export type Handlers = Readonly<Record<string, ActorHandler>>
