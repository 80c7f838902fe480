import { expect, test } from 'vitest'
import { diffPolicy, formPolicyChange, spellPolicy } from './policy-change.ts'
import { LANE } from './sample-resources.suite.ts'

const policy = { ...LANE.policy, maxFeePerGas: '1500000000', maxTxFee: '50000000000000000' }
const typed = spellPolicy(policy)

test('what is not touched does not change', () => {
  expect(diffPolicy(policy, typed)).toEqual([])
  expect(typed).toMatchObject({ maxFeePerGas: '1.5', maxTxFee: '0.05', stuckAfterMs: '900', lowBalance: 'none' })
})

test('a change is shown as before and after, and sent in the units of the API', () => {
  const changed = {
    ...typed,
    preset: 'fast',
    maxInFlight: 'auto',
    stuckAfterMs: '1.5',
    maxFeePerGas: '20',
    maxTxFee: 'none',
    lowBalance: '0.000000000000000001',
    lowRunway: '7',
  }
  const diff = diffPolicy(policy, changed)
  expect(diff.find(({ key }) => key === 'maxFeePerGas')).toMatchObject({ from: '1.5', to: '20' })
  expect(formPolicyChange(diff)).toEqual({
    preset: 'fast',
    maxInFlight: 'auto',
    stuckAfterMs: 1_500,
    maxFeePerGas: '20000000000',
    maxTxFee: null,
    lowBalance: '1',
    lowRunway: 7,
  })
})

test.each([
  ['maxInFlight', 'many'],
  ['stuckAfterMs', '-1'],
  ['maxFeePerGas', '0.0000000001'],
  ['maxTxFee', '1,5'],
  ['mayReplace', 'sometimes'],
])('what cannot be read is not sent: %s %s', (key, text) => {
  expect(diffPolicy(policy, { ...typed, [key]: text })).toMatchObject([{ key, value: undefined }])
})
