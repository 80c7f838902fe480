/** Seeds that failed once, from `seeds.json`. They run first, and none is ever removed. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Fault, isFault } from './plan/faults.ts'

export interface KeptSeed {
  readonly seed: number
  readonly steps: number
  readonly faults: readonly Fault[] | null
  /** What it found. */
  readonly found: string
}

export function readKeptSeeds(): readonly KeptSeed[] {
  // Next to the sources, and next to the built file.
  const text = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', 'seeds.json'), 'utf8')
  const entries = JSON.parse(text) as readonly { seed: number; steps: number; faults: string[] | null; found: string }[]
  return entries.map((entry) => ({ ...entry, faults: entry.faults?.filter(isFault) ?? null }))
}
