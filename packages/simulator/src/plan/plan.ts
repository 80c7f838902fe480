/**
 * What one seed means: a world, and what happens in it step by step. The details of a step depend only on the seed and
 * its number.
 */
import { type Chance, createChance } from '../chance.ts'
import { FAULT_NAMES, type Fault } from './faults.ts'

export const LOAD = [
  'submit',
  'batch',
  'mine',
  'wait',
  'operate',
  'reserve',
  'hold',
  'take-back',
  'pause',
  'policy',
  'reset',
  'fill-gap',
  'start',
  'calm',
] as const
export type Load = (typeof LOAD)[number]

export interface Step {
  readonly index: number
  readonly kind: Load | Exclude<Fault, 'clock-skew' | 'half-blocks'>
  /** How long the world continues after it. */
  readonly waitMs: number
}

export interface Plan {
  readonly seed: number
  readonly faults: ReadonlySet<Fault>
  readonly steps: readonly Step[]
}

/** Relative frequency of each. */
const LOAD_WEIGHTS: Readonly<Record<Load, number>> = {
  submit: 24,
  batch: 3,
  mine: 34,
  wait: 6,
  operate: 7,
  reserve: 2,
  hold: 4,
  'take-back': 1,
  pause: 1,
  policy: 1,
  reset: 0.7,
  'fill-gap': 0.5,
  start: 4,
  calm: 7,
}

const FAULT_WEIGHT = 1
const FAULT_WEIGHTS: Partial<Record<Fault, number>> = {
  reorg: 3,
  'base-fee': 1.5,
  promises: 2,
  kill: 1.2,
  'deep-reorg': 0.2,
}
const WAITS = [0, 0, 2, 5, 20, 60, 150, 400, 900] as const

export interface PlanOptions {
  readonly steps: number
  /** Null: all. */
  readonly faults: readonly Fault[] | null
}

export function makePlan(seed: number, options: PlanOptions): Plan {
  const chance = createChance(`plan ${seed}`)
  const allowed = options.faults ?? FAULT_NAMES
  // Each seed has its own mix: not every fault occurs in each, so that faults also meet in pairs.
  const faults = new Set(options.faults === null ? allowed.filter(() => chance.hits(0.6)) : allowed)
  // Whether one node can move a price is only visible if the others always answer.
  if (options.faults === null && faults.has('rpc-price') && chance.hits(0.5))
    for (const name of [...faults]) if (name.startsWith('rpc-') && name !== 'rpc-price') faults.delete(name)
  const weights = listWeights(faults)
  const steps = Array.from({ length: options.steps }, (_, index): Step => {
    const waitMs = chance.hits(0.01) ? 4_000 + chance.below(14_000) : chance.pick(WAITS)
    return { index, kind: draw(weights, chance), waitMs }
  })
  return { seed, faults, steps }
}

type Weighted = readonly (readonly [Step['kind'], number])[]

function listWeights(faults: ReadonlySet<Fault>): Weighted {
  const load = LOAD.map((kind) => [kind, LOAD_WEIGHTS[kind]] as const)
  const trouble = [...faults].flatMap((kind) =>
    kind === 'clock-skew' || kind === 'half-blocks' ? [] : [[kind, FAULT_WEIGHTS[kind] ?? FAULT_WEIGHT] as const],
  )
  return [...load, ...trouble]
}

function draw(weights: Weighted, chance: Chance): Step['kind'] {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  let left = chance.fraction() * total
  for (const [kind, weight] of weights) {
    left -= weight
    if (left < 0) return kind
  }
  return 'mine'
}
