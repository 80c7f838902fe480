import { expect, test } from 'vitest'
import { describeConfirmations, shortConfirmations } from './confirmations.ts'

test.each([
  [{ count: 3, required: 12, newForks: 0 }, '3 of 12 confirmations', '3/12'],
  [{ count: 900, required: 12, newForks: 0 }, '12 of 12 confirmations', '12/12'],
  [{ count: 0, required: 1, newForks: 0 }, '0 of 1 confirmation', '0/1'],
  [{ count: 0, required: 0, newForks: 0 }, 'final once mined', null],
  [{ count: 1, required: 'safe' as const, newForks: 0 }, '1 confirmation, final when safe', null],
  [{ count: 5, required: 'finalized' as const, newForks: 0 }, '5 confirmations, final when finalized', null],
])('%j', (confirmations, long, short) => {
  expect(describeConfirmations(confirmations)).toBe(long)
  expect(shortConfirmations(confirmations)).toBe(short)
})
