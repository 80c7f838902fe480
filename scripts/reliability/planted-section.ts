/** Which planted bugs the simulator found, and by which seed. */
import { PLANTED_BUGS } from '../../packages/simulator/src/plants/planted-bugs.ts'
import type { RunPlace } from '../describe-run.ts'
import { markdownTable } from '../markdown-table.ts'
import { presentPlace } from './present-place.ts'

export interface PlantedReport extends RunPlace {
  readonly command: string
  readonly tookMs: number
  readonly maxSeeds: number
  readonly steps: number
  /** By the name of the bug; null: not found. */
  readonly found: Readonly<Record<string, { readonly seed: number; readonly guarantee: string } | null>>
}

export function presentPlanted(report: PlantedReport): string {
  const rows = PLANTED_BUGS.map(({ name, meaning }) => {
    const found = report.found[name]
    if (found === undefined) return [`\`${name}\``, meaning, 'not tried', '']
    if (found === null) return [`\`${name}\``, meaning, `not within ${report.maxSeeds}`, '']
    return [`\`${name}\``, meaning, String(found.seed), found.guarantee]
  })
  return [presentPlace(report), markdownTable(['bug', 'what it does', 'found by seed', 'broke'], rows)].join('\n\n')
}
