/**
 * A timer as Drover keeps it: what its owner requested, and its state. The kernel of `@drover/timers` decides when it
 * fires.
 */
import type { Address, Hash, Hex } from '../hex.ts'
import type { TxError, TxState } from '../transaction/transaction.ts'

/** A timer's id, which never changes. Each start or resume gives it a new `KernelId` in the kernel. */
export type TimerId = string
export type KernelId = Hash

export type TimerSchedule =
  /** `isCounted`: from the head at that time, so if the chain has reached it meanwhile, the next block is meant. */
  | { readonly type: 'timeout'; readonly dueHeight: number; readonly isCounted?: true }
  | { readonly type: 'interval'; readonly everyBlocks: number }
  /** The time that the line names next, and the height that it was converted to. */
  | {
      readonly type: 'cron'
      readonly line: string
      readonly timeMs: number
      readonly dueHeight: number
      /** What fired for the time before. If a reorg drops that fire, it comes later, beside this one. */
      readonly follows?: KernelId
    }
  /** Prefixes of `address ‖ 0x01 ‖ topics…`. */
  | { readonly type: 'watch'; readonly keys: readonly Hex[] }

/** What happens to a fire while earlier ones of the same timer are not final: `buffer` queues some, `skip` queues none. */
export const OVERLAPS = ['buffer', 'skip'] as const
export type Overlap = (typeof OVERLAPS)[number]

/** What happens to a fire while its signer has too little for the fees: `wait` queues it, `skip` does not. */
export const LOW_FUNDS_RULES = ['wait', 'skip'] as const
export type LowFundsRule = (typeof LOW_FUNDS_RULES)[number]

export const COMPARISONS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** The most gas of a timer, unless a parameter of its chain says otherwise, and of its condition. */
export const MAX_TIMER_GAS = 10_000_000n

/** A view call at the block that fires. The fire is sent only if the result satisfies the comparison. */
export interface Condition {
  readonly to: Address
  readonly data: Hex
  readonly comparison: Comparison
  /** Compared with the first word of the result. */
  readonly value: bigint
  readonly isSigned: boolean
}

/** What a timer does. Part of it is fixed for a kernel id: another schedule is another kernel id. */
export interface TimerSpec {
  readonly chainId: number
  /** The signer that sends and pays. */
  readonly owner: Address
  /** The contract that is called. */
  readonly target: Address
  readonly schedule: TimerSchedule
  readonly data: Hex
  readonly gasLimit: bigint
  readonly bid: bigint
  readonly value: bigint
  readonly when: Condition | null
  readonly overlap: Overlap
  /** The id of the fire is appended to the calldata, for contracts that check it. */
  readonly appendDeliverId: boolean
  readonly onLowFunds: LowFundsRule
  /** It ends after this many transactions in a row that revert; 0: never. */
  readonly maxFailures: number
  /** The most that the API key behind it may spend on the fee of one transaction; null: no limit of its own. */
  readonly maxFeeWei: bigint | null
}

export const TIMER_STATES = ['ACTIVE', 'PAUSED', 'CANCELLED', 'DONE', 'EVICTED', 'RETIRED'] as const
export type TimerState = (typeof TIMER_STATES)[number]

/** What the final transactions of a timer have cost. */
export interface TimerCost {
  /** In a block, also if only to cancel. */
  readonly sent: number
  readonly reverted: number
  /** Of the last ones, how many in a row reverted, on chain or before they were sent. */
  readonly failures: number
  readonly gasUsed: bigint
  readonly feesPaid: bigint
}

/** Why a timer was retired. */
export const TOO_MANY_FAILURES = 'too_many_failures'

export interface ManagedTimer {
  readonly id: TimerId
  readonly kernelId: KernelId
  readonly tenant: string
  readonly name: string | null
  readonly requestId: string | null
  readonly requestDigest: Hash
  readonly spec: TimerSpec
  readonly metadata: Readonly<Record<string, string>>
  readonly state: TimerState
  /** Why it ended by itself. */
  readonly endReason: string | null
  /** When it fires next; null for a watch that has matched nothing, and for a timer that has ended. */
  readonly dueHeight: number | null
  readonly fireCount: number
  readonly cost: TimerCost
  readonly createdHeight: number
  readonly createdAt: number
  readonly createdBy: string
  /** Place in the list. */
  readonly place: number
}

/** It is by cron, has fired, and waits for the command that sets its next time. */
export function isBetweenTimes({
  state,
  spec,
  dueHeight,
}: Pick<ManagedTimer, 'state' | 'spec' | 'dueHeight'>): boolean {
  return state === 'ACTIVE' && dueHeight === null && spec.schedule.type === 'cron'
}

/** What may still fire for the time before this one. */
export function findEarlier({ schedule }: Pick<TimerSpec, 'schedule'>): KernelId | null {
  return schedule.type === 'cron' ? (schedule.follows ?? null) : null
}

/** `OBSERVED`: its block may still be dropped, or its condition is not known yet. `QUEUED`: it became a transaction. `SKIPPED`: it did not. */
export const FIRE_STATES = ['OBSERVED', 'QUEUED', 'SKIPPED'] as const
export type FireState = (typeof FIRE_STATES)[number]

/** `not_accepted`: no transaction could be made from it, for example because its signer is gone. */
export type SkipReason =
  | 'condition_not_met'
  | 'condition_failed'
  | 'overlap'
  | 'low_funds'
  | 'queue_full'
  | 'refused_by_rule'
  | 'not_accepted'

export interface ConditionOutcome {
  readonly outcome: 'met' | 'not_met' | 'failed'
  /** The first word of the result, or why there is none. */
  readonly value: bigint | null
  readonly message: string | null
}

export interface FireTrigger {
  /** By the kernel, where a time of a cron line is a timeout. */
  readonly type: Exclude<TimerSchedule['type'], 'cron'>
  readonly dueHeight: number
  /** Of a watch: the keys that matched. */
  readonly matchedKeys: readonly Hex[]
  readonly isTruncated: boolean
}

/** One fire: a mailbox entry of the kernel, and its outcome. */
export interface Fire {
  readonly deliverId: Hash
  /** The same on every branch of the chain. */
  readonly fireKey: Hash
  readonly timerId: TimerId
  readonly kernelId: KernelId
  readonly fireSeq: number
  readonly height: number
  readonly blockHash: Hash
  /** Place in the mailbox of its block. */
  readonly position: number
  readonly owner: Address
  readonly target: Address
  readonly data: Hex
  readonly gasLimit: bigint
  readonly bid: bigint
  readonly trigger: FireTrigger
  /** Of the kernel's canonical entry. */
  readonly digest: Hash
  readonly state: FireState
  readonly skipReason: SkipReason | null
  readonly condition: ConditionOutcome | null
  /** Its transaction was queued, and then its block was dropped; it has not fired again. */
  readonly isOrphaned: boolean
  /** Names that the same fire had on branches that were dropped. */
  readonly aliases: readonly Hash[]
  readonly txId: string | null
  /** Of that transaction, now. */
  readonly txState: TxState | null
  readonly txError: TxError | null
}
