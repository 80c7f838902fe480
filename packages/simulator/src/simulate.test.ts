import { expect, test } from 'vitest'
import { makePlan } from './plan/plan.ts'
import { runPlan } from './run/run-plan.ts'
import { simulate } from './simulate.ts'

const ALL = { steps: 120, faults: null }

test('the same seed gives the same trace, another seed another', async () => {
  const first = await runPlan(makePlan(5, ALL))
  const again = await runPlan(makePlan(5, ALL), { keepTrace: true })
  const other = await runPlan(makePlan(6, ALL))
  expect(first.violation).toBe(null)
  expect(again.hash).toBe(first.hash)
  expect(other.hash).not.toBe(first.hash)
})

test('without faults every intent that can succeed does', async () => {
  const { violation, stats } = await runPlan(makePlan(3, { steps: 150, faults: [] }))
  expect(violation).toBe(null)
  expect(stats.intents).toBeGreaterThan(10)
  expect(stats.stuck).toBe(0)
})

test('only the faults that are named happen', async () => {
  const { stats } = await runPlan(makePlan(4, { steps: 200, faults: ['reorg', 'kill'] }))
  expect(stats.kinds.reorg).toBeGreaterThan(0)
  expect(Object.keys(stats.kinds).filter((kind) => kind.startsWith('rpc-') || kind.startsWith('db-'))).toEqual([])
})

test('a fault that does not exist is named', async () => {
  const options = { seed: 1, seeds: 1, steps: 1, minutes: null, trace: false, kept: [], workers: 1 }
  await expect(simulate({ ...options, faults: ['gremlins'] }, () => {})).rejects.toThrow('unknown fault: gremlins')
})
