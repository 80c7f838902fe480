/** Shortens a failing run: leaves out steps, as many at a time as possible, while the same guarantee still breaks. */
import type { Plan, Step } from '../plan/plan.ts'
import { type RunOutcome, runPlan } from './run-plan.ts'

export interface Shrunk {
  readonly plan: Plan
  readonly outcome: RunOutcome
  readonly runs: number
}

const MAX_RUNS = 400

export async function shrink(plan: Plan, failed: RunOutcome, maxRuns = MAX_RUNS): Promise<Shrunk> {
  const guarantee = failed.violation?.guarantee
  let best = plan
  let runs = 0

  async function stillFails(steps: readonly Step[]): Promise<boolean> {
    if (runs >= maxRuns) return false
    runs++
    const outcome = await runPlan({ ...plan, steps })
    if (outcome.violation?.guarantee !== guarantee) return false
    best = { ...plan, steps }
    return true
  }

  const atStep = failed.violation?.atStep ?? null
  if (atStep !== null) await stillFails(plan.steps.filter(({ index }) => index <= atStep))
  for (let size = Math.ceil(best.steps.length / 2); size >= 1 && runs < maxRuns; size = Math.floor(size / 2)) {
    for (let from = best.steps.length - size; from > -size && runs < maxRuns; from -= size) {
      const start = Math.max(0, from)
      await stillFails([...best.steps.slice(0, start), ...best.steps.slice(start + size)])
    }
  }
  return { plan: best, outcome: await runPlan(best, { keepTrace: true }), runs }
}
