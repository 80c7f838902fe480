import { expect, test } from 'vitest'
import { makePlan, type Step } from '../plan/plan.ts'
import { runPlan } from './run-plan.ts'

test('a queue that is accepted only after the last step, and then shrinks slowly, is not stuck', async () => {
  const plan = makePlan(4275, { steps: 500, faults: null })
  const slow: Step = { index: 349, kind: 'policy', waitMs: 0 }
  const away: Step = { index: 128, kind: 'db-failover', waitMs: 0 }
  const asked = Array.from({ length: 40 }, (_, index): Step => ({ index: 200 + index, kind: 'batch', waitMs: 0 }))
  const { violation, stats } = await runPlan({ ...plan, steps: [slow, away, ...asked] })
  expect(violation).toBe(null)
  expect(stats.intents).toBeGreaterThan(100)
  expect(stats.blocks).toBeGreaterThan(220)
})
