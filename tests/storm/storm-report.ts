/** The outcome of a storm as data, and as lines for people. */
import { describeRun } from '../../scripts/describe-run.ts'
import type { Violations } from './check-outcome.ts'
import type { AlarmReport } from './judge-alarms.ts'
import type { StormPlan } from './plan-faults.ts'
import type { Outcome } from './read-outcome.ts'
import type { StormLog } from './storm-log.ts'

export interface Distribution {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly max: number
}

export interface StormReport {
  readonly seed: number
  readonly minutes: number
  readonly seconds: number
  readonly commit: string
  readonly machine: string
  readonly clock: StormPlan['clock']
  readonly faults: Readonly<Record<string, number>>
  readonly weather: Readonly<Record<string, number>>
  /** Of the full disks, those that the database ran into. */
  readonly fullDisksNoticed: number
  readonly skipped: readonly string[]
  readonly intents: Readonly<Record<string, number>>
  readonly states: Readonly<Record<string, number>>
  readonly mined: number
  readonly blocks: number
  readonly events: { readonly stored: number; readonly stream: number; readonly webhook: number; readonly cuts: number }
  readonly violations: Violations
  readonly alarms: AlarmReport
  readonly takeoverMs: Distribution | null
  readonly handoverMs: Distribution | null
  /** From the end of a fault until its probe was mined. */
  readonly recoveryMs: Readonly<Record<string, Distribution>>
  readonly held: boolean
}

export function composeReport(
  plan: StormPlan,
  log: StormLog,
  outcome: Outcome,
  found: { readonly violations: Violations; readonly alarms: AlarmReport; readonly seconds: number },
): StormReport {
  const { violations, alarms, seconds } = found
  const kinds = [...new Set(log.faults.map(({ kind }) => kind))]
  const recovery = kinds.flatMap((kind) => {
    const times = log.faults.flatMap((fault) =>
      fault.kind === kind && fault.probeMinedAt !== null ? [Math.max(0, fault.probeMinedAt - fault.endedAt)] : [],
    )
    const spread = distribute(times)
    return spread === null ? [] : [[kind, spread] as const]
  })
  return {
    seed: plan.seed,
    minutes: plan.durationMs / 60_000,
    seconds,
    clock: plan.clock,
    ...describeRun(),
    faults: countBy(log.faults.map(({ kind }) => kind)),
    weather: countBy(plan.weather.map(({ weather }) => weather)),
    skipped: log.skipped,
    fullDisksNoticed: log.writesWithoutRoom,
    intents: countBy([...[...log.asked.values()].map(({ path }) => path), ...log.own.map(() => 'reservation')]),
    states: countBy(outcome.transactions.map(({ state, isFill }) => (isFill ? `fill ${state}` : state))),
    mined: outcome.mined.length,
    blocks: Math.max(0, ...outcome.mined.map(({ blockNumber }) => blockNumber)),
    events: {
      stored: outcome.events.length,
      stream: log.stream.length,
      webhook: log.webhooks.length,
      cuts: log.cuts.stream,
    },
    violations,
    alarms,
    takeoverMs: distribute(log.takeoverMs),
    handoverMs: distribute(log.handoverMs),
    recoveryMs: Object.fromEntries(recovery),
    held: Object.values(violations).every((list) => list.length === 0) && alarms.false.length === 0,
  }
}

function distribute(times: readonly number[]): Distribution | null {
  if (times.length === 0) return null
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

export function printReport(report: StormReport): string {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  const spread = (one: Distribution | null) =>
    one === null ? 'none' : `${one.count} times, p50 ${one.p50} ms, p95 ${one.p95} ms, max ${one.max} ms`
  const problems: readonly (readonly [string, readonly string[]])[] = [
    ...Object.entries(report.violations),
    ['false alarms', report.alarms.false],
  ]
  return [
    `storm, seed ${report.seed}, ${report.minutes} min: ${report.held ? 'held' : 'FAILED'} (commit ${report.commit}, ${report.machine})`,
    `faults: ${list(report.faults)}; RPC: ${list(report.weather)}; one clock wrong by ${report.clock.shiftMs / 1_000} s`,
    ...report.skipped.map((reason) => `SKIPPED: ${reason}`),
    `intents: ${list(report.intents)}; ended: ${list(report.states)}; ${report.mined} mined in ${report.blocks} blocks`,
    `events: ${report.events.stored} stored, ${report.events.stream} streamed over ${report.events.cuts} connections, ${report.events.webhook} webhook deliveries`,
    `alarms: ${list(report.alarms.byType) || 'none'}`,
    `takeover: ${spread(report.takeoverMs)}; orderly handover: ${spread(report.handoverMs)}`,
    ...Object.entries(report.recoveryMs).map(([kind, one]) => `recovery after ${kind}: ${spread(one)}`),
    ...problems.map(
      ([name, found]) =>
        `${name}: ${found.length}${found
          .slice(0, 5)
          .map((line) => `\n  ${line}`)
          .join('')}`,
    ),
    '',
  ].join('\n')
}
