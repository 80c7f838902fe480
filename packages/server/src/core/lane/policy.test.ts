import { expect, test } from 'vitest'
import { FAST, readMayReplace, replacesByItself, STABLE } from './policy.ts'

test('stable replaces on order only, fast by itself', () => {
  expect([STABLE.mayReplace, replacesByItself(STABLE)]).toEqual(['on_order', false])
  expect([FAST.mayReplace, replacesByItself(FAST)]).toEqual(['automatic', true])
})

test('what was stored as yes or no keeps its meaning', () => {
  expect([true, false, 'on_order' as const].map(readMayReplace)).toEqual(['automatic', 'never', 'on_order'])
})
