/** What each flood cost, and what another tenant noticed of it. */
import type { Compared, FloodResult } from '../../bench/floods/run-flood.ts'
import type { RunPlace } from '../describe-run.ts'
import { markdownTable } from '../markdown-table.ts'
import { presentPlace, spellCount } from './present-place.ts'

export interface FloodsReport extends RunPlace {
  readonly command: string
  readonly tookMs: number
  readonly floods: readonly FloodResult[]
}

const HEADS = [
  'flood',
  'memory MB: before / peak / after',
  'accepted/s',
  'refused/s',
  'other tenant: accept p50 / p99 ms (× calm)',
  'read p50 / p99 ms (× calm)',
  'longest queue',
  'accepted / lost / doubled',
]

export function presentFloods(report: FloodsReport): string {
  const rows = report.floods.map(presentFlood)
  const notes = report.floods.flatMap(({ name, notes }) => notes.map((note) => `- ${name}: ${note}`))
  return [presentPlace(report), markdownTable(HEADS, rows), notes.join('\n')].join('\n\n')
}

export function presentFlood({ memoryMb: { before, peak, after }, outcome, ...flood }: FloodResult): readonly string[] {
  const { longestQueue, longestWebhookQueue } = flood
  const queue = spellCount(longestQueue)
  return [
    flood.name,
    [before, peak, after].map((mb) => mb.toFixed(0)).join(' / '),
    flood.acceptedPerSecond.toFixed(0),
    flood.refusedPerSecond.toFixed(0),
    compare(flood.accept),
    compare(flood.read),
    longestWebhookQueue > 0 ? `${queue}; of a webhook ${spellCount(longestWebhookQueue)}` : queue,
    [outcome.accepted, outcome.lost, outcome.doubled].map(spellCount).join(' / '),
  ]
}

function compare({ calm, flooded }: Compared): string {
  const ratio = (share: 'p50' | 'p99') => (flooded[share] / Math.max(1, calm[share])).toFixed(1)
  return `${flooded.p50.toFixed(0)} / ${flooded.p99.toFixed(0)} (${ratio('p50')} / ${ratio('p99')})`
}
