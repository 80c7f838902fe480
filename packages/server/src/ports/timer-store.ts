/**
 * Timers and their fires. Anybody may ask for something; what the kernel decides is written by the one node that holds the
 * lease of the chain's timers, and each of those writes is held to the lease inside its own database transaction.
 */
import type { Reach } from '../core/access/caller.ts'
import type { Address, Hash, Hex } from '../core/hex.ts'
import type {
  ConditionOutcome,
  Fire,
  KernelId,
  ManagedTimer,
  SkipReason,
  TimerId,
  TimerSpec,
  TimerState,
} from '../core/timer/timer.ts'
import type {
  CommandAnswer,
  CommandId,
  LoggedCommand,
  StoredCommand,
  TimerCommand,
} from '../core/timer/timer-command.ts'
import type { TxId } from '../core/transaction/transaction.ts'
import type { NewTransaction } from './store.ts'

export interface TimerLease {
  readonly chainId: number
  readonly nodeId: string
  readonly fence: number
}

/** A block that the kernel has been given, with what it needs to be given it again. */
export interface TimerBlock {
  readonly height: number
  readonly hash: Hash
  readonly stateRoot: Hash
  readonly parentStateRoot: Hash
  /** Changed keys that somebody watched. */
  readonly keys: readonly Hex[]
}

export type TimerTip = Pick<TimerBlock, 'height' | 'hash' | 'stateRoot'>

/** The state of a timer in the kernel after a write. */
export interface TimerChange {
  readonly kernelId: KernelId
  readonly isLive: boolean
  readonly dueHeight: number | null
  readonly fireSeq: number
  readonly ended: { readonly state: TimerState; readonly reason: string | null } | null
  /** Where its terms have changed. */
  readonly spec?: TimerSpec
}

/** What never changes about a timer while the kernel knows it under one id. */
export interface Incarnation {
  readonly kernelId: KernelId
  readonly timerId: TimerId
  readonly tenant: string
  readonly createdBy: string
  readonly metadata: Readonly<Record<string, string>>
  readonly spec: TimerSpec
}

type OfTransaction = 'txId' | 'txState' | 'txError'

export type NewFire = Omit<Fire, 'isOrphaned' | 'aliases' | 'state' | OfTransaction> & {
  readonly state: 'OBSERVED' | 'SKIPPED'
  readonly skipReason: SkipReason | null
  readonly condition: ConditionOutcome | null
}

/** A fire whose block is deep enough, and the transaction that it becomes. */
export interface HandOff {
  readonly deliverId: Hash
  readonly fireKey: Hash
  readonly timerId: TimerId
  readonly transaction: NewTransaction
  /** A spending rule refuses it, so that it is skipped. */
  readonly isRefused?: boolean
  /** How many fires of the timer may be on their way, this one included. */
  readonly maxOpen: number
  /** It is skipped while its signer is out of funds. */
  readonly isSkippedUnfunded: boolean
}

export interface BlocksWrite {
  readonly lease: TimerLease
  /** What the writer believes the last applied block to be; null: there is none. */
  readonly expected: Pick<TimerTip, 'height' | 'hash'> | null
  /** Blocks above this height were dropped: their fires vanish, and those that became transactions are orphans. */
  readonly rewindTo: number | null
  /** In order; the last is the new tip. None: the tip stays, and fires of earlier blocks are handed over. */
  readonly blocks: readonly TimerBlock[]
  readonly fires: readonly NewFire[]
  readonly changes: readonly TimerChange[]
  readonly handOffs: readonly HandOff[]
  /** Signers with this many transactions in line get no more. */
  readonly maxQueued: number
  /** What fires next after these blocks, for `readQueue`. JSON. */
  readonly queue: unknown
}

/** What the chain said about the condition of a fire. */
export interface ConditionResult {
  readonly deliverId: Hash
  /** The same id may come again at another block, where the answer may be another one. */
  readonly blockHash: Hash
  readonly condition: ConditionOutcome
  /** Null: it is sent. */
  readonly skipReason: SkipReason | null
}

export interface CommandResult {
  readonly id: CommandId
  readonly answer: CommandAnswer
  /** Null: not part of the log. */
  readonly logged: LoggedCommand | null
  /** Of an accepted set, or a new schedule. */
  readonly started: { readonly timerId: TimerId; readonly kernelId: KernelId; readonly dueHeight: number | null } | null
}

export interface CommandsWrite {
  readonly lease: TimerLease
  readonly expected: Pick<TimerTip, 'height' | 'hash'>
  /** Of the last command in the log before these. */
  readonly expectedSeq: number
  readonly results: readonly CommandResult[]
  readonly changes: readonly TimerChange[]
  /** What fires next after these commands, for `readQueue`. JSON. */
  readonly queue: unknown
}

/** `fenced`: the lease is gone. `stale`: another node has written; load again. Nothing was written in either case. */
export type TimerWriteResult = { readonly type: 'written' } | { readonly type: 'fenced' | 'stale' }

/** `not_judged`: a fire was not held against rules that bind it. Nothing was written. */
export type BlocksWriteResult = TimerWriteResult | { readonly type: 'not_judged' }

/** The kernel's state after a block and after the commands of the log up to `seq`. */
export interface TimerSnapshot {
  readonly block: TimerBlock
  readonly seq: number
  readonly chunks: readonly Uint8Array[]
  /** JSON. */
  readonly params: unknown
}

export interface LoadedTimers {
  /** Null: nothing was ever applied on this chain. */
  readonly tip: TimerTip | null
  readonly lastSeq: number
  /** Where the snapshot was taken; null: there is none, and the log goes back to the beginning. */
  readonly snapshot: TimerSnapshot | null
  /** Above the snapshot, in order. */
  readonly blocks: readonly TimerBlock[]
  readonly commands: readonly LoggedCommand[]
  /** Fires that have not been handed to a signer. The condition of those is null that have none, or do not know it yet. */
  readonly observed: readonly NewFire[]
}

export type TimerHolder =
  | { readonly tenant: string }
  | { readonly owner: Address }
  /** Of one tenant, at one contract. */
  | { readonly tenant: string; readonly target: Address }

export interface TimerFilter {
  readonly chainId?: number
  readonly owner?: Hex
  readonly target?: Hex
  readonly states?: readonly TimerState[]
  readonly reach?: Reach
}

export interface FirePlace {
  readonly height: number
  readonly position: number
}

/**
 * `next`: where the next call goes on; null: from the start. `open`: of those looked at, how many are not final.
 * `retiring`: how many timers have failed so often that a command to retire them was stored.
 */
export type MeterResult =
  | { readonly type: 'metered'; readonly next: FirePlace | null; readonly open: number; readonly retiring: number }
  | { readonly type: 'fenced' }

export interface FirePage {
  readonly before: FirePlace | null
  readonly limit: number
}

export interface NewCommand {
  readonly id: CommandId
  readonly command: TimerCommand
}

export type CommandInsert =
  | { readonly type: 'inserted' }
  /** A request with this id came before. `timerId`: what it makes, or has made. */
  | {
      readonly type: 'existing'
      readonly commandId: CommandId
      readonly timerId: TimerId
      readonly isSame: boolean
    }
  | { readonly type: 'too_many' }

export interface TimerRequestKey {
  readonly chainId: number
  readonly tenant: string
  readonly requestId: string
}

export interface StoredQueue {
  readonly tip: TimerTip
  readonly queue: unknown
  /** There are fires that have not been handed to a signer. */
  readonly hasObserved: boolean
}

export interface TimerStore {
  /** Renews what this node holds of these chains, and takes what is free. */
  keepTimerLeases(nodeId: string, chainIds: readonly number[], ttlMs: number): Promise<readonly TimerLease[]>
  releaseTimerLeases(leases: readonly TimerLease[]): Promise<void>
  /** Who holds a chain's timers now. */
  findTimerLease(chainId: number): Promise<TimerLease | null>

  /**
   * In their order. Those that would be more than `maxPending` without an answer are not stored. One result for each.
   */
  insertCommands(
    chainId: number,
    commands: readonly NewCommand[],
    maxPending: number,
  ): Promise<readonly CommandInsert[]>
  /** In no order; null where there is none. */
  findCommands(ids: readonly CommandId[]): Promise<readonly (StoredCommand | null)[]>
  /** Those without an answer, in the order in which they came. */
  readPendingCommands(chainId: number, limit: number): Promise<readonly StoredCommand[]>

  loadTimers(chainId: number): Promise<LoadedTimers>
  writeBlocks(write: BlocksWrite): Promise<BlocksWriteResult>
  writeCommands(write: CommandsWrite): Promise<TimerWriteResult>
  /** Of fires that are still OBSERVED at that block; others are left alone. */
  saveConditions(lease: TimerLease, results: readonly ConditionResult[]): Promise<TimerWriteResult>
  /**
   * Adds what final transactions have cost to their timers: of some fires, in order, that were not added yet. Reports
   * timers that began to skip fires because of low funds, as events.
   */
  meterFires(lease: TimerLease, after: FirePlace | null, limit: number): Promise<MeterResult>
  /** Replaces the snapshot of the chain and forgets what it makes needless. */
  saveSnapshot(lease: TimerLease, snapshot: TimerSnapshot): Promise<TimerWriteResult>
  /** Those that are there, in no order. */
  readIncarnations(kernelIds: readonly KernelId[]): Promise<readonly Incarnation[]>
  /** Timers that have not ended; at a contract, only active ones. */
  countTimers(chainId: number, of: TimerHolder, atMost: number): Promise<number>

  findTimer(id: TimerId): Promise<ManagedTimer | null>
  /** Those by cron that have fired, and whose next time is not set yet. In no order. */
  listBetweenTimes(chainId: number, limit: number): Promise<readonly ManagedTimer[]>
  /** Those that are there, in no order. */
  findTimers(ids: readonly TimerId[]): Promise<readonly ManagedTimer[]>
  /** By what the kernel calls them now. */
  findTimersByKernelId(kernelIds: readonly KernelId[]): Promise<readonly ManagedTimer[]>
  /** In the order of the requests; null where there is none. */
  findTimersByRequest(requests: readonly TimerRequestKey[]): Promise<readonly (ManagedTimer | null)[]>
  /** Newest first. */
  listTimers(
    filter: TimerFilter,
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly ManagedTimer[]>
  /** Newest first. */
  listFires(timerId: TimerId, page: FirePage): Promise<readonly Fire[]>
  readTip(chainId: number): Promise<TimerTip | null>
  /** As the last write has it; null if nothing was ever applied on this chain. */
  readQueue(chainId: number): Promise<StoredQueue | null>
  /**
   * Transactions that are still in line although the block of their fire was dropped. Once such a transaction is
   * cancelled, the same fire on another branch is a new fire, with a transaction of its own.
   */
  listWithdrawn(chainId: number, limit: number): Promise<readonly TxId[]>
  close(): Promise<void>
}
