/** Whether the unit tests notice a mutant: those that pass by it, the most likely ones first. */
import { relative } from 'node:path'
import type { Mutant } from './find-mutants.ts'
import type { NumberedMutant } from './instrument.ts'
import type { TestServer } from './open-test-servers.ts'

/** A test file, how long it takes, and the mutants that it passes by. */
export interface Passed {
  readonly test: string
  readonly ms: number
  readonly passed: readonly number[]
}

export type Fate = 'killed' | 'survived' | 'timed_out' | 'not_reached'

/** Most mutants are noticed by these; only for the rest more are run, as many as take this long. */
const FIRST_TESTS = 3
const BUDGET_MS = 15_000
const MIN_TIMEOUT_MS = 60_000

export async function judgeMutant(
  mutant: NumberedMutant,
  passed: readonly Passed[],
  { server, root, awake }: { readonly server: TestServer; readonly root: string; readonly awake: number },
): Promise<Fate> {
  const tests = passed
    .filter((each) => each.passed.includes(mutant.id))
    .sort((a, b) => rank(mutant, a, root) - rank(mutant, b, root))
  if (tests.length === 0) return 'not_reached'
  let leftMs = BUDGET_MS
  const more = tests.slice(FIRST_TESTS).filter(({ ms }) => {
    leftMs -= ms
    return leftMs >= 0
  })
  for (const files of [tests.slice(0, FIRST_TESTS), more]) {
    if (files.length === 0) continue
    const usualMs = files.reduce((sum, { ms }) => sum + ms, 0)
    const order = { mutant: awake, files: files.map(({ test }) => test) }
    const verdict = await server.run(order, MIN_TIMEOUT_MS + 5 * usualMs)
    if (verdict !== 'unnoticed') return verdict === 'noticed' ? 'killed' : 'timed_out'
  }
  return 'survived'
}

/** Those of the same name, then of the same folder, then the quick ones. */
function rank({ file }: Mutant, { test, ms }: Passed, root: string): number {
  const place = relative(root, test)
  if (place === file.replace(/\.ts$/, '.test.ts')) return 0
  const isNear = place.slice(0, place.lastIndexOf('/')) === file.slice(0, file.lastIndexOf('/'))
  return ms + (isNear ? 1 : 5_000)
}
