/** docs/reliability.md: its figures come from the reports in docs/reliability, each written by the command that measures it. */
import { existsSync, readFileSync } from 'node:fs'
import { replaceSection } from '../generated-section.ts'
import { presentFloods } from './floods-section.ts'
import { presentMutation } from './mutation-section.ts'
import { presentPlanted } from './planted-section.ts'
import { presentSimulation } from './simulation-section.ts'
import { presentStorm } from './storm-section.ts'

const DOCUMENT = new URL('../../docs/reliability.md', import.meta.url)

const SECTIONS: readonly (readonly [name: string, present: (report: never) => string])[] = [
  ['simulation', presentSimulation],
  ['planted-bugs', presentPlanted],
  ['mutation', presentMutation],
  ['storm', presentStorm],
  ['floods', presentFloods],
]

export function buildReliability(): string {
  let document = readFileSync(DOCUMENT, 'utf8')
  for (const [name, present] of SECTIONS) document = replaceSection(document, name, presentFile(name, present))
  return replaceSection(document, 'seeds', presentKeptSeeds())
}

function presentFile(name: string, present: (report: never) => string): string {
  const file = new URL(`../../docs/reliability/${name}.json`, import.meta.url)
  if (!existsSync(file)) return 'No report of this run is published yet.'
  return present(JSON.parse(readFileSync(file, 'utf8')) as never)
}

function presentKeptSeeds(): string {
  const file = new URL('../../packages/simulator/seeds.json', import.meta.url)
  const kept = JSON.parse(readFileSync(file, 'utf8')) as readonly { seed: number; steps: number; found: string }[]
  if (kept.length === 0) return 'No seed is kept yet.'
  return kept.map(({ seed, steps, found }) => `- seed ${seed}, ${steps} steps: ${found}`).join('\n')
}
