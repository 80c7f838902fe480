/**
 * Requests to the node that runs a chain's timers. Accepted commands form a log: each has a place and the height of the
 * block after which it was applied, so the same blocks and the same log always give the same state.
 */
import type { Hash } from '../hex.ts'
import type { KernelId, TimerId, TimerSpec } from './timer.ts'

export type CommandId = string

/** Kernel parameters as decimal strings, numbers and booleans. */
export type ParamChange = Readonly<Record<string, string | number | boolean | readonly string[]>>

export type TimerCommand =
  | { readonly type: 'set'; readonly timerId: TimerId; readonly spec: TimerSpec; readonly label: TimerLabel | null }
  | {
      readonly type: 'update'
      readonly timerId: TimerId
      readonly kernelId: KernelId
      /** The new spec. Only data, gas limit and bid may differ from before. */
      readonly spec: TimerSpec
    }
  | {
      /** Ends what the kernel knows as `kernelId`, and sets the same timer by the new spec. */
      readonly type: 'reschedule'
      readonly timerId: TimerId
      readonly kernelId: KernelId
      readonly spec: TimerSpec
      /** The next time of a timer by cron, after it has fired. */
      readonly isNext: boolean
      readonly earlier?: KernelId | null
    }
  | {
      readonly type: 'cancel' | 'pause'
      readonly timerId: TimerId
      readonly kernelId: KernelId
      readonly spec: Pick<TimerSpec, 'owner' | 'target'>
      /** By cron: ends with it, if it has not fired. */
      readonly earlier?: KernelId | null
    }
  /** Drover ends it: too many of its transactions in a row have reverted. */
  | {
      readonly type: 'retire'
      readonly timerId: TimerId
      readonly kernelId: KernelId
      readonly spec: Pick<TimerSpec, 'owner' | 'target'>
      readonly earlier?: KernelId | null
      readonly tenant: string
      readonly failures: number
    }
  | { readonly type: 'params'; readonly change: ParamChange }

/** What is stored with a new timer besides its spec. */
export interface TimerLabel {
  readonly tenant: string
  readonly name: string | null
  readonly requestId: string | null
  readonly requestDigest: Hash
  readonly metadata: Readonly<Record<string, string>>
  readonly by: string
}

/** JSON for the caller. */
export type CommandAnswer =
  | { readonly type: 'accepted'; readonly kernelId: KernelId | null; readonly detail?: unknown }
  | {
      readonly type: 'refused'
      readonly code: string
      readonly message: string
      /** Of the request. */
      readonly field?: string
      /** The limit that was reached, and how much it is. */
      readonly bound?: string
      readonly limit?: number
    }

export interface StoredCommand {
  readonly id: CommandId
  readonly chainId: number
  readonly command: TimerCommand
  readonly answer: CommandAnswer | null
}

/** An accepted command with its place in the log. */
export interface LoggedCommand {
  readonly id: CommandId
  readonly seq: number
  readonly height: number
  readonly command: TimerCommand
}
