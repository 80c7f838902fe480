/** Runs seed after seed, prints the results, and shrinks the first failing one until it is readable. */

import type { KeptSeed } from './kept-seeds.ts'
import { type Fault, isFault } from './plan/faults.ts'
import { makePlan } from './plan/plan.ts'
import type { RunOutcome } from './run/run-plan.ts'
import { openSeedRunners, type SeedJob } from './run/seed-runners.ts'
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
  /** How many processes run seeds at once; what each seed gives does not depend on it. */
  readonly workers: number
}

export interface Simulated {
  readonly failed: RunOutcome | null
  readonly summary: Summary
  readonly tookMs: number
}

/** Seeds under way per process: some take five times as long as others, and they are told in order. */
const AHEAD = 8

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
  const runners = openSeedRunners(options.workers)
  // Two runs in one process would be in each other's way.
  const atOnce = options.workers === 1 ? 1 : AHEAD * options.workers

  function* listJobs(): Generator<SeedJob> {
    for (const kept of options.kept) yield { ...kept, keepTrace: options.trace }
    for (let count = 0; !isOver(count); count++)
      yield { seed: options.seed + count, steps: options.steps, faults, keepTrace: options.trace }
  }

  function tell({ seed, steps }: SeedJob, outcome: RunOutcome): void {
    addOutcome(summary, outcome)
    for (const line of outcome.lines) print(line)
    if (options.trace || options.seeds === 1) print(`seed ${seed}: ${steps} steps, trace ${outcome.hash}`)
  }

  let failed: RunOutcome | null = null
  try {
    for await (const [job, outcome] of runInOrder(listJobs(), runners.run, atOnce)) {
      tell(job, outcome)
      if (outcome.violation === null) continue
      failed = outcome
      await presentFailure(job, outcome, print)
      break
    }
  } finally {
    runners.close()
  }
  const tookMs = now() - startedAt
  if (failed === null) for (const line of presentSummary(summary, tookMs)) print(line)
  return { failed, summary, tookMs }
}

/** Several at once, and their outcomes in the order of the jobs. */
async function* runInOrder(
  jobs: Generator<SeedJob>,
  run: (job: SeedJob) => Promise<RunOutcome>,
  atOnce: number,
): AsyncGenerator<readonly [SeedJob, RunOutcome]> {
  const underWay: (readonly [SeedJob, Promise<RunOutcome>])[] = []
  for (;;) {
    while (underWay.length < atOnce) {
      const next = jobs.next()
      if (next.done === true) break
      const outcome = run(next.value)
      // Its turn comes later; until then a failure must not count as one that nobody waits for.
      outcome.catch(() => {})
      underWay.push([next.value, outcome])
    }
    const first = underWay.shift()
    if (first === undefined) return
    yield [first[0], await first[1]]
  }
}

async function presentFailure(job: SeedJob, outcome: RunOutcome, print: (line: string) => void): Promise<void> {
  const { seed, steps, faults } = job
  const { violation } = outcome
  print(`seed ${seed} broke ${violation?.guarantee}: ${violation?.message}`)
  print('shrinking …')
  const short = await shrink(makePlan(seed, { steps, faults }), outcome)
  print(`the same in ${short.plan.steps.length} steps (after ${short.runs} runs):`)
  for (const line of short.outcome.lines) print(`  ${line}`)
  print(
    `repeat with: drover simulate --seed ${seed} --steps ${steps}${faults === null ? '' : ` --faults ${faults.join()}`}`,
  )
}

function readFault(name: string): Fault {
  if (isFault(name)) return name
  throw new UnknownFault(`unknown fault: ${name}`)
}
