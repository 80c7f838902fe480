import { expect, test } from 'vitest'
import type { Problem } from '../../api/api-resources.ts'
import { placeProblem } from './place-problem.ts'

const REFUSED: Problem = {
  type: 't',
  title: 'Malformed.',
  status: 400,
  detail: 'to is wrong.',
  code: 'invalid_request',
}
const FIELDS = ['from', 'to', 'value']

test('problems are shown next to their fields', () => {
  const issues = [
    { field: 'to', message: 'must be an address' },
    { field: 'value', message: 'is too much' },
  ]
  expect(placeProblem({ ...REFUSED, issues }, FIELDS)).toEqual({
    fields: { to: 'must be an address', value: 'is too much' },
    message: null,
  })
  expect(placeProblem({ ...REFUSED, field: 'to' }, FIELDS)).toEqual({ fields: { to: 'to is wrong.' }, message: null })
})

test('problems without a field are shown for the whole form, with the reason', () => {
  expect(placeProblem({ ...REFUSED, field: 'chainId' }, FIELDS)).toEqual({ fields: {}, message: 'to is wrong.' })
  expect(placeProblem({ ...REFUSED, reason: 'Not owner' }, FIELDS).message).toBe('to is wrong. (Not owner)')
  expect(placeProblem({ ...REFUSED, reason: 'is wrong' }, FIELDS).message).toBe('to is wrong.')
})
