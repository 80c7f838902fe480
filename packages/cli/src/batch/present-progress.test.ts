import { expect, test } from 'vitest'
import { PLAIN } from '../output/style.ts'
import { paceOf, presentProgress } from './present-progress.ts'

const counts = { total: 5_000, accepted: 5_000, mined: 3_120, confirmed: 2_990, failed: 10, stuck: 1 }

test('a log line has all numbers except unknown ones', () => {
  const pace = paceOf(3_000, 0, 5_000, 60_000)
  expect(presentProgress(counts, 'confirmed', pace, PLAIN)).toBe(
    '60%  accepted 5,000/5,000  mined 3,120  confirmed 2,990  failed 10  stuck 1  50/s  ETA 0:40',
  )
  expect(presentProgress(counts, 'confirmed', paceOf(0, 0, 5_000, 0), PLAIN)).not.toContain('ETA')
})

test('earlier runs do not count toward the speed of this one', () => {
  expect(paceOf(3_000, 2_900, 5_000, 10_000)).toEqual({ perSecond: 10, secondsLeft: 200 })
})

test('a bar is as full as the batch', () => {
  const style = { width: 120, paint: (_: unknown, text: string) => text }
  expect(presentProgress(counts, 'confirmed', paceOf(0, 0, 1, 0), style)).toMatch(/^█{14}░{10} 60%/)
})
