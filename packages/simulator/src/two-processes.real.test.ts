import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makePlan } from './plan/plan.ts'
import { runPlan } from './run/run-plan.ts'

const ENTRY = fileURLToPath(new URL('index.ts', import.meta.url))

function runProgram(program: string, ...args: readonly string[]): string {
  const node = ['--conditions=drover-source', '--import', 'tsx', '--input-type=module', '-e', program, ENTRY, ...args]
  return execFileSync(process.execPath, node, { encoding: 'utf8' }).trim()
}

const TRACE = `
const { makePlan, runPlan } = await import(process.argv[1])
console.log((await runPlan(makePlan(11, { steps: 150, faults: null }))).hash)
`

test('another process gets the same trace from the same seed', async () => {
  const { hash, violation } = await runPlan(makePlan(11, { steps: 150, faults: null }))
  expect(violation).toBe(null)
  expect(runProgram(TRACE)).toBe(hash)
})

const SIMULATE = `
const { simulate } = await import(process.argv[1])
const options = { seed: 20, seeds: 6, steps: 60, minutes: null, faults: null, trace: true, kept: [] }
await simulate({ ...options, workers: Number(process.argv[2]) }, (line) => {
  if (line.startsWith('seed ')) console.log(line)
})
`

test('two processes at once give the same traces in the same order as one', () => {
  const [one, two] = [runProgram(SIMULATE, '1'), runProgram(SIMULATE, '2')]
  expect(one.split('\n')).toHaveLength(6)
  expect(two).toBe(one)
})
