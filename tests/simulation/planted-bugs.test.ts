/** A simulator that finds nothing proves nothing: each of these bugs, planted in a build of its own, has to be found. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLANTED_BUGS } from '../../packages/simulator/src/plants/planted-bugs.ts'
import { type FoundBug, findPlantedBug, MAX_SEEDS } from './find-planted-bugs.ts'

/** The seeds of the published run find them soonest. */
const { found: published } = JSON.parse(
  readFileSync(new URL('../../docs/reliability/planted-bugs.json', import.meta.url), 'utf8'),
) as { readonly found: Readonly<Record<string, FoundBug>> }

test.each(PLANTED_BUGS)('$name is found: $meaning', async (bug) => {
  const found = await findPlantedBug(bug, { first: published[bug.name]?.seed })
  expect(found, `${bug.name} was not found in ${MAX_SEEDS} seeds`).toMatchObject({ seed: expect.any(Number) })
})
