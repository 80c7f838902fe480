import { expect, test } from 'vitest'
import type { EventResource } from '../api/api-resources.ts'
import { groupActivity, titleOf } from './group-activity.ts'
import { ALLOCATED_EVENT } from './sample-resources.suite.ts'

let id = 1_000
const event = (transactionId: string | null, type: string, more: Partial<EventResource> = {}): EventResource => ({
  ...ALLOCATED_EVENT,
  eventId: id--,
  transactionId,
  type,
  ...more,
})

test('only the newest event of each transaction is shown', () => {
  const entries = groupActivity(
    [event('a', 'stuck.declared'), event('a', 'resubmit.claimed'), event('a', 'accepted')],
    10,
  )
  expect(entries.map(titleOf)).toEqual(['Stuck'])
  expect(entries[0]).toMatchObject({ transactionId: 'a', count: 1 })
})

test('many of the same kind are one line with a count', () => {
  const mined = ['a', 'b', 'c'].map((tx, index) =>
    event(tx, 'inclusion.seen', { detail: { blockNumber: 1_000 + index } }),
  )
  const entries = groupActivity([event('z', 'stuck.declared'), ...mined], 10)
  expect(entries.map(titleOf)).toEqual(['Stuck', 'Mined ×\u00a03'])
  expect(entries[1]?.transactionId).toBeNull()
})

test('events of signers are shown one by one, and signers are not mixed', () => {
  const other = `0x${'1'.repeat(40)}`
  const entries = groupActivity(
    [
      event(null, 'balance.low'),
      event(null, 'balance.low'),
      event('a', 'accepted'),
      event('b', 'accepted', { from: other }),
    ],
    10,
  )
  expect(entries).toHaveLength(4)
})

test('there are never more lines than asked for, but counts go on', () => {
  const events = Array.from({ length: 50 }, (_, index) =>
    event(`tx ${index}`, index % 2 === 0 ? 'accepted' : 'stuck.declared'),
  )
  const entries = groupActivity(events, 1)
  expect(entries.map(titleOf)).toEqual(['Accepted ×\u00a025'])
})
