import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makePlan } from './plan/plan.ts'
import { runPlan } from './run/run-plan.ts'

const PROGRAM = `
const { makePlan, runPlan } = await import(process.argv[1])
console.log((await runPlan(makePlan(11, { steps: 150, faults: null }))).hash)
`

test('another process gets the same trace from the same seed', async () => {
  const entry = fileURLToPath(new URL('index.ts', import.meta.url))
  const args = ['--conditions=drover-source', '--import', 'tsx', '--input-type=module', '-e', PROGRAM, entry]
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
  const { hash, violation } = await runPlan(makePlan(11, { steps: 150, faults: null }))
  expect(violation).toBe(null)
  expect(printed).toBe(hash)
})
