import { expect, test } from 'vitest'
import { ALLOCATED_EVENT } from '../words/sample-resources.suite.ts'
import { joinPages } from './join-pages.ts'

const entry = (eventId: number, count = 1) => ({ ...ALLOCATED_EVENT, eventId, count })

test('earlier pages stay in place, and nothing is shown twice', () => {
  const before = { entries: [entry(1), entry(4), entry(6)], earlier: null }
  const newest = { entries: [entry(4, 9), entry(6, 2), entry(8)], earlier: 4 }
  const joined = joinPages(before, newest)
  expect(joined.entries.map(({ eventId, count }) => [eventId, count])).toEqual([
    [1, 1],
    [4, 9],
    [6, 2],
    [8, 1],
  ])
  expect(joined.earlier).toBeNull()
})

test('the newest page alone is as it is', () => {
  const newest = { entries: [entry(4)], earlier: 4 }
  expect(joinPages(null, newest)).toBe(newest)
})
