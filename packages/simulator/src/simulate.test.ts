import { expect, test } from 'vitest'
import { readKeptSeeds } from './kept-seeds.ts'
import { makePlan } from './plan/plan.ts'
import { runPlan } from './run/run-plan.ts'

const ALL = { steps: 120, faults: null }

test('the same seed gives the same trace, another seed another', async () => {
  const [first, again, other] = [
    await runPlan(makePlan(5, ALL)),
    await runPlan(makePlan(5, ALL)),
    await runPlan(makePlan(6, ALL)),
  ]
  expect(first.violation).toBe(null)
  expect(again.hash).toBe(first.hash)
  expect(other.hash).not.toBe(first.hash)
})

test.each(readKeptSeeds())('seed $seed, which once found: $found', async ({ seed, steps, faults }) => {
  expect((await runPlan(makePlan(seed, { steps, faults }))).violation).toBe(null)
})
