/** Runs seed after seed, prints the results, and shrinks the first failing one until it is readable. */

import type { KeptSeed } from './kept-seeds.ts'
import { type Fault, isFault } from './plan/faults.ts'
import { makePlan } from './plan/plan.ts'
import { type RunOutcome, runPlan } from './run/run-plan.ts'
import { shrink } from './run/shrink.ts'
import { addOutcome, createSummary, presentSummary, type Summary } from './run/summary.ts'

export interface SimulateOptions {
  readonly seed: number
  readonly seeds: number
  readonly steps: number
  /** Continues with more seeds for this long; null: only the number in `seeds`. */
  readonly minutes: number | null
  /** Null: all. */
  readonly faults: readonly string[] | null
  /** Prints the trace of every run. */
  readonly trace: boolean
  /** Seeds that failed once, to be run first. */
  readonly kept: readonly KeptSeed[]
}

export interface Simulated {
  readonly failed: RunOutcome | null
  readonly summary: Summary
  readonly tookMs: number
}

class UnknownFault extends Error {
  override readonly name = 'UnknownFault'
}

export async function simulate(
  options: SimulateOptions,
  print: (line: string) => void,
  now: () => number = () => performance.now(),
): Promise<Simulated> {
  const faults = options.faults?.map(readFault) ?? null
  const startedAt = now()
  const summary = createSummary()
  const isOver = (count: number): boolean =>
    options.minutes === null ? count >= options.seeds : now() - startedAt >= options.minutes * 60_000

  async function run(seed: number, steps: number, only: readonly Fault[] | null): Promise<RunOutcome> {
    const plan = makePlan(seed, { steps, faults: only })
    const outcome = await runPlan(plan, { keepTrace: options.trace })
    addOutcome(summary, outcome)
    for (const line of outcome.lines) print(line)
    if (options.trace || options.seeds === 1) print(`seed ${seed}: ${steps} steps, trace ${outcome.hash}`)
    if (outcome.violation === null) return outcome
    print(`seed ${seed} broke ${outcome.violation.guarantee}: ${outcome.violation.message}`)
    print('shrinking …')
    const short = await shrink(plan, outcome)
    print(`the same in ${short.plan.steps.length} steps (after ${short.runs} runs):`)
    for (const line of short.outcome.lines) print(`  ${line}`)
    print(
      `repeat with: drover simulate --seed ${seed} --steps ${steps}${only === null ? '' : ` --faults ${only.join()}`}`,
    )
    return outcome
  }

  for (const kept of options.kept) {
    const outcome = await run(kept.seed, kept.steps, kept.faults)
    if (outcome.violation !== null) return { failed: outcome, summary, tookMs: now() - startedAt }
  }
  for (let count = 0; !isOver(count); count++) {
    const outcome = await run(options.seed + count, options.steps, faults)
    if (outcome.violation !== null) return { failed: outcome, summary, tookMs: now() - startedAt }
  }
  for (const line of presentSummary(summary, now() - startedAt)) print(line)
  return { failed: null, summary, tookMs: now() - startedAt }
}

function readFault(name: string): Fault {
  if (isFault(name)) return name
  throw new UnknownFault(`unknown fault: ${name}`)
}
