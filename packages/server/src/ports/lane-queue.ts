/** What is read of the queues of lanes. */

import type { ChainTime } from '../core/chain/chain-time.ts'
import type { Lane } from '../core/lane/lane.ts'

/** Transactions that wait in line for a nonce, by who sent them. */
export interface QueueDepth {
  readonly lane: Lane
  readonly tenant: string
  readonly queued: number
  /** When the oldest of them was accepted, of those that do not wait for a height or a time. */
  readonly oldestAt: number
}

export interface QueueOptions {
  /** Leaves out those that wait for funds and are not due again by the database's clock. */
  readonly passOverUnfunded?: boolean
  /** Leaves out those that wait for a reason of their own. */
  readonly passOverPaused?: boolean
}

/** The newest block of each chain. */
export type ChainTimes = ReadonlyMap<number, ChainTime>

/** What the next nonces of a lane depend on, as of one moment. */
export interface NonceLine {
  readonly cursor: number | null
  /** Lowest first. */
  readonly recyclable: readonly number[]
  /** Transactions that would get a nonce before a new one of normal priority. */
  readonly queued: number
}
