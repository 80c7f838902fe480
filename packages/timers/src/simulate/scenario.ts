/** What a simulation plays: actors, who sets which timers when, and which actors are called. */
import type { TimerParams } from '../kernel/params/timer-params.ts'

export interface Scenario {
  readonly name: string
  readonly blocks: number
  readonly params: Partial<TimerParams>
  /** Prices per cycle and per cell at the first block. */
  readonly basefees: { readonly cycles: bigint; readonly cells: bigint }
  /** What every account starts with. */
  readonly balance: bigint
  readonly actors: readonly ScenarioActor[]
  readonly timers: readonly TimerPlan[]
  readonly calls: readonly CallPlan[]
}

export interface ScenarioActor {
  readonly name: string
  /** One of the demo handlers. */
  readonly handler: string
}

/** Blocks at which something happens: `from`, then every `every` blocks up to `until`. */
export interface Occasions {
  readonly from: number
  readonly every: number
  readonly until: number
}

export interface TimerPlan {
  readonly name: string
  readonly actor: string
  /** How many at each occasion. */
  readonly count: number
  readonly occasions: Occasions
  readonly trigger: Trigger
  readonly bidFp: bigint
  readonly gasLimit: bigint
  readonly payloadBytes: number
  /** Each timer on its own actor, derived from the name: many small users instead of one large one. */
  readonly freshTargets: boolean
}

export type Trigger =
  | { readonly type: 'due'; readonly inBlocks: number }
  | { readonly type: 'every'; readonly blocks: number }
  | { readonly type: 'watch'; readonly actors: readonly string[] }

export interface CallPlan {
  readonly actor: string
  readonly occasions: Occasions
}

export function isOccasion({ from, every, until }: Occasions, block: number): boolean {
  return block >= from && block <= until && (block - from) % every === 0
}

export function countOccasions({ from, every, until }: Occasions, blocks: number): number {
  const last = Math.min(until, blocks)
  return last < from ? 0 : 1 + Math.floor((last - from) / every)
}
