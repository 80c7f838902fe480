/** How many small bugs the unit tests notice, and which they do not. */
import type { RunPlace } from '../describe-run.ts'
import { presentPlace, spellCount } from './present-place.ts'

export interface MutationReport extends RunPlace {
  readonly command: string
  readonly tookMs: number
  /** Places where a small bug could be planted. */
  readonly places: number
  readonly tried: number
  readonly killed: number
  readonly score: number
  readonly equivalent: readonly { readonly mutant: string; readonly reason: string }[]
  readonly survivors: readonly { readonly mutant: string; readonly fate: string }[]
}

export function presentMutation(report: MutationReport): string {
  const { places, tried, killed, score, equivalent, survivors } = report
  const spell = (mutant: string): string => `\`${mutant.replaceAll('`', "'").replace('packages/server/src/', '')}\``
  const counted = tried - equivalent.length
  const lines = [
    presentPlace(report),
    `A draw of ${spellCount(tried)} out of ${spellCount(places)} possible changes. The tests noticed **${spellCount(killed)} of ${spellCount(counted)} (${score} %)**; ${spellCount(equivalent.length)} more change nothing that can be seen.`,
  ]
  if (survivors.length > 0)
    lines.push(
      `Not noticed:\n\n${survivors.map(({ mutant, fate }) => `- ${spell(mutant)}${fate === 'not_reached' ? ' (no unit test gets there)' : ''}`).join('\n')}`,
    )
  if (equivalent.length > 0)
    lines.push(
      `Changes that cannot be seen:\n\n${equivalent.map(({ mutant, reason }) => `- ${spell(mutant)}: ${reason}`).join('\n')}`,
    )
  return lines.join('\n\n')
}
