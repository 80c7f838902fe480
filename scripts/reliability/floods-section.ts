/** What each flood cost, and what another tenant noticed of it. */
import type { Compared, FloodResult } from '../../bench/floods/run-flood.ts'
import type { RunPlace } from '../describe-run.ts'
import { markdownTable } from '../markdown-table.ts'
import { presentPlace, spellCount } from './present-place.ts'

export interface FloodsRun extends RunPlace {
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

export function presentFloods(runs: readonly FloodsRun[]): string {
  return runs.map(presentRun).join('\n\n')
}

function presentRun(run: FloodsRun): string {
  const notes = run.floods.flatMap((flood) => listNotes(flood).map((note) => `- ${flood.name}: ${note}`))
  return [presentPlace(run), markdownTable(HEADS, run.floods.map(presentFlood)), notes.join('\n')].join('\n\n')
}

function listNotes({ refused, failures, notes }: FloodResult): readonly string[] {
  const spell = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([what, count]) => `${what} (${spellCount(count)})`)
      .join(', ')
  return [
    ...notes,
    ...(Object.keys(refused).length > 0 ? [`refused: ${spell(refused)}`] : []),
    ...(Object.keys(failures).length > 0 ? [`**failed for the other tenant: ${spell(failures)}**`] : []),
  ]
}

function presentFlood({ memoryMb: { before, peak, after }, outcome, ...flood }: FloodResult): readonly string[] {
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
