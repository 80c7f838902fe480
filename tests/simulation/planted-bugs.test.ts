/** A simulator that finds nothing proves nothing: each of these bugs, planted in a build of its own, has to be found. */
import { expect, test } from 'vitest'
import { PLANTED_BUGS } from '../../packages/simulator/src/plants/planted-bugs.ts'
import { findPlantedBug } from './find-planted-bugs.ts'

test.each(PLANTED_BUGS)('$name is found: $meaning', async (bug) => {
  const found = await findPlantedBug(bug, 1_000)
  expect(found, `${bug.name} was not found in 1,000 seeds`).toMatchObject({ seed: expect.any(Number) })
})
