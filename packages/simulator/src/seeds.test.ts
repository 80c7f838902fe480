/** Seeds from 1 on, every time the tests run. More: `SIM_SEEDS=2000 npx vitest run --project unit packages/simulator`. */
import { expect, test } from 'vitest'
import { readKeptSeeds } from './kept-seeds.ts'
import { makePlan } from './plan/plan.ts'
import { runPlan } from './run/run-plan.ts'

const SEEDS = Number(process.env.SIM_SEEDS ?? 200)
const STEPS = 200
const CHUNK = 5

test.each(readKeptSeeds())('seed $seed, which once found: $found', async ({ seed, steps, faults }) => {
  expect((await runPlan(makePlan(seed, { steps, faults }))).violation).toBe(null)
})

const starts = Array.from({ length: Math.ceil(SEEDS / CHUNK) }, (_, index) => 1 + index * CHUNK)

test.each(starts)(
  'from seed %i on: every guarantee holds after every step [G1] [G2] [G3] [G4] [G5] [G6] [G7] [G8] [G11]',
  async (first) => {
    for (let seed = first; seed < Math.min(first + CHUNK, SEEDS + 1); seed++) {
      const { violation } = await runPlan(makePlan(seed, { steps: STEPS, faults: null }))
      expect(violation, `drover simulate --seed ${seed} --steps ${STEPS}`).toBe(null)
    }
  },
)
