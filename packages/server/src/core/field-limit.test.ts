import { expect, test } from 'vitest'
import { hasTooManyFields } from './field-limit.ts'

test('fields count wherever they are, however they are written; list items do not', () => {
  const json = '{"a": [{"b":1}, {"c" : 2}], "d"\n:[1, 2, 3]}'
  expect([hasTooManyFields(json, 4), hasTooManyFields(json, 3)]).toEqual([false, true])
})
