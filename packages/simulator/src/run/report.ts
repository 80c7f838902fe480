/** The summary of many runs, as a section of docs/reliability.md. */
import { FAULT_NAMES, FAULTS } from '../plan/faults.ts'
import type { Summary } from './summary.ts'

export interface ReportContext {
  readonly tookMs: number
  /** The command that reproduces the figures. */
  readonly command: string
  readonly machine: string
  readonly commit: string
}

/** What each broken guarantee means for the reader. */
const MEANINGS = [
  ['lost intents, or such that come to no end', ['G7', 'liveness']],
  ['executed twice, or executed after they were given up', ['G3']],
  ['nonces allocated twice, or missing', ['G1', 'G2']],
  ['bytes sent before they were stored, or too often', ['G4', 'claim']],
  ['writes without a lease', ['G5']],
  ['wrong states', ['G6']],
  ['events lost', ['G8']],
  ['fees above a cap', ['G11']],
  ['unexpected errors', ['bug']],
] as const

export function presentReport(summary: Summary, { tookMs, command, machine, commit }: ReportContext): string {
  const { seeds, steps, totals, kinds, broken } = summary
  const count = (value: number): string => value.toLocaleString('en-US')
  const minutes = (tookMs / 60_000).toFixed(1)
  const figures = [
    ['seeds', count(seeds)],
    ['steps', count(steps)],
    ['simulated hours', (totals.simulatedMs / 3_600_000).toFixed(1)],
    ['intents accepted', count(totals.intents)],
    ['blocks', count(totals.blocks)],
    ['transactions signed', count(totals.signed)],
    ['sends to RPC nodes', count(totals.sends)],
    ['lanes taken by a node', count(totals.takeovers)],
    ['events', count(totals.events)],
    ...MEANINGS.map(([name, guarantees]) => [
      `**${name}**`,
      `**${count(guarantees.reduce((sum, each) => sum + (broken[each] ?? 0), 0))}**`,
    ]),
  ]
  const faults = FAULT_NAMES.flatMap((name) =>
    kinds[name] === undefined ? [] : [[`\`${name}\``, FAULTS[name], count(kinds[name])]],
  )
  return [
    `\`${command}\` at commit \`${commit}\`, on ${machine}, took ${minutes} minutes.`,
    table(['', 'count'], figures),
    table(['fault', 'what happens', 'times'], faults),
  ].join('\n\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
