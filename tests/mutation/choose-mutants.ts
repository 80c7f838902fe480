/** Which small bugs to plant: a draw over all places in the core and the engine. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createChance } from '../fuzz/chance.ts'
import { findMutants, type Mutant } from './find-mutants.ts'
import type { NumberedMutant } from './instrument.ts'

const FOLDERS = ['packages/server/src/core', 'packages/server/src/engine']

export function listMutants(root: string): readonly Mutant[] {
  const sources = FOLDERS.flatMap((from) =>
    readdirSync(join(root, from), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|suite|property\.test)\.ts$/.test(file))
      .map((file) => `${from}/${file}`),
  ).sort()
  return sources.flatMap((file) => findMutants(file, readFileSync(join(root, file), 'utf8')))
}

/** A long file gets its share; none inside another. */
export function chooseMutants(all: readonly Mutant[], count: number, seed: number): readonly NumberedMutant[] {
  const chance = createChance(seed)
  const left = [...all]
  const chosen: NumberedMutant[] = []
  while (chosen.length < count && left.length > 0) {
    const [mutant] = left.splice(chance.below(left.length), 1)
    const overlaps = ({ file, start, end }: Mutant) => file === mutant?.file && start < mutant.end && mutant.start < end
    if (mutant !== undefined && !chosen.some(overlaps)) chosen.push({ ...mutant, id: chosen.length })
  }
  return chosen
}
