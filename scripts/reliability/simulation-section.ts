/** What the simulated seeds add up to. */
import { FAULT_NAMES, FAULTS } from '../../packages/simulator/src/plan/faults.ts'
import type { Summary } from '../../packages/simulator/src/run/summary.ts'
import type { RunPlace } from '../describe-run.ts'
import { markdownTable } from '../markdown-table.ts'
import { presentPlace, spellCount } from './present-place.ts'

export interface SimulationReport extends RunPlace {
  readonly command: string
  readonly tookMs: number
  readonly summary: Summary
}

/** Which broken guarantee means what to whoever reads it. */
const MEANINGS = [
  ['intents lost, or without an end', ['G7', 'liveness']],
  ['intents executed twice, or after they were cancelled or expired', ['G3']],
  ['nonces used twice, or missing', ['G1', 'G2']],
  ['bytes sent before they were stored, or too often', ['G4', 'claim']],
  ['writes without a lease', ['G5']],
  ['wrong states', ['G6']],
  ['events lost', ['G8']],
  ['fees above a cap', ['G11']],
  ['unexpected errors', ['bug']],
] as const

export function presentSimulation(report: SimulationReport): string {
  const { seeds, steps, totals, kinds, broken } = report.summary
  const figures = [
    ['seeds', spellCount(seeds)],
    ['steps', spellCount(steps)],
    ['simulated hours', (totals.simulatedMs / 3_600_000).toFixed(1)],
    ['intents accepted', spellCount(totals.intents)],
    ['blocks', spellCount(totals.blocks)],
    ['transactions signed', spellCount(totals.signed)],
    ['sends to RPC nodes', spellCount(totals.sends)],
    ['lanes taken by a node', spellCount(totals.takeovers)],
    ['events', spellCount(totals.events)],
    ...MEANINGS.map(([name, guarantees]) => [
      `**${name}**`,
      `**${spellCount(guarantees.reduce((sum, each) => sum + (broken[each] ?? 0), 0))}**`,
    ]),
  ]
  const faults = FAULT_NAMES.flatMap((name) =>
    kinds[name] === undefined ? [] : [[`\`${name}\``, FAULTS[name], spellCount(kinds[name])]],
  )
  return [
    presentPlace(report),
    markdownTable(['', 'count'], figures),
    markdownTable(['fault', 'what happens', 'times'], faults),
  ].join('\n\n')
}
