import { expect, test } from 'vitest'
import { findUpcoming } from './upcoming-fires.ts'

const timer = (name: string | null, dueHeight: number | null, more = {}) => ({
  id: '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1',
  name,
  chainId: 1,
  dueHeight,
  state: 'ACTIVE' as const,
  ...more,
})

test('the nearest block comes first, and timers of one block are together', () => {
  const timers = [timer('far', 300), timer('a', 105), timer(null, 105), timer('late', 98)]
  expect(findUpcoming(timers, new Map([[1, 100]]), 10)).toEqual([
    { chainId: 1, height: 98, inBlocks: -2, names: ['late'] },
    { chainId: 1, height: 105, inBlocks: 5, names: ['a', '0c9a77d1'] },
    { chainId: 1, height: 300, inBlocks: 200, names: ['far'] },
  ])
})

test('what does not fire by height, or not at all, is left out; so is what is too far to show', () => {
  const timers = [
    timer('event', null),
    timer('off', 101, { state: 'PAUSED' }),
    timer('other chain', 101, { chainId: 2 }),
  ]
  expect(findUpcoming(timers, new Map([[1, 100]]), 10)).toEqual([])
  expect(findUpcoming([timer('a', 1), timer('b', 2)], new Map([[1, 0]]), 1)).toHaveLength(1)
})
