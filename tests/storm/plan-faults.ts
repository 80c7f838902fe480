/** What goes wrong in a storm, and when; the seed alone decides. */
import { type Chance, createChance } from '../fuzz/chance.ts'

export const FAULTS = [
  'kill',
  'freeze',
  'cut_database',
  'promote',
  'disk_full',
  'rolling_restart',
  'reorg',
  'chain_crash',
  'rpc_down',
  'receiver_down',
] as const
export type FaultKind = (typeof FAULTS)[number]

export const WEATHERS = ['calm', 'slow', 'reset', 'lost_answer', 'rate_limit', 'html', 'stale', 'split'] as const
export type Weather = (typeof WEATHERS)[number]

export interface PlannedFault {
  readonly kind: FaultKind
  readonly atMs: number
  readonly forMs: number
  /** The node that is hit, if it is a single one. */
  readonly node: number
  readonly depth: number
}

export interface PlannedWeather {
  readonly endpoint: number
  readonly weather: Weather
  readonly atMs: number
  readonly untilMs: number
}

export interface StormPlan {
  readonly seed: number
  readonly durationMs: number
  readonly faults: readonly PlannedFault[]
  readonly weather: readonly PlannedWeather[]
  readonly clock: { readonly node: number; readonly shiftMs: number }
}

interface PlanOptions {
  readonly seed: number
  readonly minutes: number
  readonly nodes: number
  readonly endpoints: number
  /** Blocks that a reorg may replace: fewer than make a transaction final. */
  readonly maxDepth: number
  /** Faults that cannot be made on this machine. */
  readonly without: readonly FaultKind[]
}

const FIRST_MS = 6_000
/** Time between the starts of two faults: longer than most last, so that some overlap and most are over. */
const EVERY_MS = 9_000

export function planStorm(options: PlanOptions): StormPlan {
  const { seed, nodes } = options
  const chance = createChance(seed)
  const durationMs = options.minutes * 60_000
  const kinds = FAULTS.filter((kind) => !options.without.includes(kind))
  const faults: PlannedFault[] = []
  // Each kind once in random order, then again.
  for (let atMs = FIRST_MS, round: FaultKind[] = []; atMs < durationMs - EVERY_MS; atMs += EVERY_MS) {
    if (round.length === 0) round = shuffle(chance, kinds)
    const kind = round.pop() ?? 'kill'
    faults.push(planFault(chance, kind, atMs, options))
    // Two at once, which nobody tries by hand.
    if (chance.percent(35)) faults.push(planFault(chance, chance.pick(GENTLE), atMs + chance.below(3_000), options))
  }
  const shiftMs = chance.pick([-3_600_000, -90_000, 90_000, 3_600_000])
  return {
    seed,
    durationMs,
    faults,
    clock: { node: chance.below(nodes), shiftMs },
    weather: planWeather(chance, durationMs, options.endpoints),
  }
}

/** Faults that may overlap with any other. */
const GENTLE = ['kill', 'freeze', 'reorg', 'cut_database'] as const satisfies readonly FaultKind[]

function planFault(chance: Chance, kind: FaultKind, atMs: number, { nodes, maxDepth }: PlanOptions): PlannedFault {
  const forMs = 1_000 + chance.below(6_000)
  return { kind, atMs, forMs, node: chance.below(nodes), depth: 1 + chance.below(maxDepth) }
}

/** Each endpoint has its own weather, and is calm about half of the time. */
function planWeather(chance: Chance, durationMs: number, endpoints: number): readonly PlannedWeather[] {
  const planned: PlannedWeather[] = []
  for (let endpoint = 0; endpoint < endpoints; endpoint++) {
    for (let atMs = 3_000; atMs < durationMs; ) {
      const untilMs = Math.min(durationMs, atMs + 2_000 + chance.below(6_000))
      const weather = chance.percent(45) ? 'calm' : chance.pick(WEATHERS)
      if (weather !== 'calm') planned.push({ endpoint, weather, atMs, untilMs })
      atMs = untilMs
    }
  }
  return planned
}

function shuffle<T>(chance: Chance, items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(chance.below(left.length), 1)[0] as T)
}
