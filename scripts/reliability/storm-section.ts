/** What came of a storm on real processes. */
import type { Distribution, StormReport } from '../../tests/storm/storm-report.ts'
import { markdownTable } from '../markdown-table.ts'
import { presentPlace, spellCount } from './present-place.ts'

/** In the words of whoever reads it; the storm's own names stay in its report. */
export function presentStorm(report: StormReport): string {
  const { violations, alarms, events, intents, states } = report
  const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0)
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${spellCount(count)}`)
      .join(', ')
  const figures = [
    ['result', report.held ? 'everything held' : '**failed**'],
    ['intents', `${spellCount(sum(intents))} (${list(intents)})`],
    ['how they ended', list(states)],
    ['mined transactions', spellCount(report.mined)],
    ['events', `${spellCount(events.stored)}, over ${spellCount(events.cuts)} stream connections`],
    ['webhook deliveries', spellCount(events.webhook)],
    ['alarms', list(alarms.byType) || 'none'],
    ...Object.entries(violations).map(([name, found]) => [`**${name}**`, `**${found.length}**`]),
    ['**false alarms**', `**${alarms.false.length}**`],
  ]
  const spread = (name: string, one: Distribution | null): readonly string[] =>
    one === null
      ? [name, '0', '', '', '']
      : [name, spellCount(one.count), ...[one.p50, one.p95, one.max].map((ms) => (ms / 1_000).toFixed(1))]
  const times = [
    spread('a peer takes over a lane', report.takeoverMs),
    spread('an orderly handover', report.handoverMs),
    ...Object.entries(report.recoveryMs).map(([kind, one]) =>
      spread(`the next transaction is mined after ${kind}`, one),
    ),
  ]
  const { seed, minutes, commit, machine, seconds } = report
  const place = {
    commit,
    machine,
    tookMs: seconds * 1_000,
    command: `npm run storm -- --minutes ${minutes} --seed ${seed}`,
  }
  return [
    presentPlace(place),
    markdownTable(['', ''], figures),
    `Faults: ${list(report.faults)}. RPC trouble: ${list(report.weather)}. One node's clock was wrong by ${report.clock.shiftMs / 1_000} s.`,
    ...report.skipped.map((reason) => `Skipped: ${reason}`),
    markdownTable(['seconds until', 'times', 'median', 'p95', 'longest'], times),
  ].join('\n\n')
}
