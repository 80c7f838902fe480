/** The summary of many runs. */
import { FAULT_NAMES } from '../plan/faults.ts'
import type { RunOutcome, RunStats } from './run-plan.ts'

export interface Summary {
  seeds: number
  steps: number
  violations: number
  /** By guarantee. */
  readonly broken: Record<string, number>
  readonly totals: Record<keyof Omit<RunStats, 'kinds'>, number>
  readonly kinds: Record<string, number>
}

export function createSummary(): Summary {
  const totals = {
    intents: 0,
    final: 0,
    stuck: 0,
    blocks: 0,
    sends: 0,
    signed: 0,
    takeovers: 0,
    events: 0,
    simulatedMs: 0,
  }
  return { seeds: 0, steps: 0, violations: 0, broken: {}, totals, kinds: {} }
}

export function addOutcome(summary: Summary, { steps, violation, stats }: RunOutcome): void {
  summary.seeds++
  summary.steps += steps
  if (violation !== null) {
    summary.violations++
    summary.broken[violation.guarantee] = (summary.broken[violation.guarantee] ?? 0) + 1
  }
  const { kinds, ...counts } = stats
  for (const [name, count] of Object.entries(counts)) summary.totals[name as keyof typeof counts] += count
  for (const [name, count] of Object.entries(kinds)) summary.kinds[name] = (summary.kinds[name] ?? 0) + count
}

export function presentSummary(
  { seeds, steps, violations, totals, kinds }: Summary,
  tookMs: number,
): readonly string[] {
  const faults = FAULT_NAMES.flatMap((name) => (kinds[name] === undefined ? [] : [`${name} ${kinds[name]}`]))
  const hours = (totals.simulatedMs / 3_600_000).toFixed(1)
  return [
    `${seeds} seeds, ${steps} steps, ${hours} simulated hours in ${(tookMs / 1_000).toFixed(1)} s: ${violations} violations`,
    `${totals.intents} intents accepted, ${totals.blocks} blocks, ${totals.signed} signed, ${totals.sends} sends, ${totals.takeovers} lanes taken, ${totals.events} events`,
    `faults: ${faults.join(', ')}`,
  ]
}
