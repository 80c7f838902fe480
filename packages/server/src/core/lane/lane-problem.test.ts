import { expect, test } from 'vitest'
import { toQueued } from '../../store/rules/queued-transaction.ts'
import { anyIntent, anyLane, toAllocated, toTracking } from '../../testing/store/samples.ts'
import { findLaneProblems, type LaneScene } from './lane-problem.ts'

const NOW = 1_000_000
const NODE = { nodeId: 'node-a', fence: 1 }
const WELL: LaneScene = {
  usedElsewhere: null,
  now: NOW,
  unmined: [],
  unfunded: null,
  priced: null,
  unsigned: null,
  isBalanceLow: false,
  overdueReservation: null,
}

test('a lane that is well has none', () => {
  expect(findLaneProblems(WELL, [])).toEqual([])
})

test('what waits in the queue is named with its reason', () => {
  const scene = { ...WELL, unfunded: { txId: 'a', message: 'too poor' }, priced: { txId: 'b', message: 'too dear' } }
  expect(findLaneProblems(scene, [])).toMatchObject([
    { code: 'out_of_funds', txId: 'a', nonce: null, detail: 'too poor', since: NOW },
    { code: 'fee_above_cap', txId: 'b', nonce: null, detail: 'too dear', since: NOW },
  ])
})

test('what was sent and waits for money is named before what is queued; what is stuck or mined is not', () => {
  const sent = toTracking(toAllocated(toQueued({ id: 'c', intent: anyIntent(anyLane()) }, 1), 7, NODE))
  const waiting = {
    ...sent,
    subState: 'waiting_for_funds',
    error: { code: 'insufficient_funds', message: 'poor' },
  } as const
  const scene = { ...WELL, unfunded: { txId: 'a', message: 'too poor' } }
  expect(findLaneProblems({ ...scene, unmined: [sent, waiting] }, [])).toMatchObject([
    { code: 'out_of_funds', txId: 'c', nonce: 7, detail: 'poor' },
  ])
  expect(findLaneProblems({ ...scene, unmined: [sent] }, [])).toMatchObject([{ code: 'out_of_funds', txId: 'a' }])
})

test('an ongoing problem keeps its start time; a solved one is gone', () => {
  const low = { ...WELL, isBalanceLow: true }
  const first = findLaneProblems(low, [])
  const later = findLaneProblems({ ...low, now: NOW + 60_000, unfunded: { txId: 'a', message: 'x' } }, first)
  expect(later).toMatchObject([
    { code: 'out_of_funds', since: NOW + 60_000 },
    { code: 'balance_low', since: NOW },
  ])
  expect(findLaneProblems(WELL, later)).toEqual([])
})

test('a nonce that another transaction used is named before it is final, and then with what is known', () => {
  const used = { txId: 'a', nonce: 4, since: 5 }
  const seen = findLaneProblems({ ...WELL, usedElsewhere: used }, [])
  expect(seen).toMatchObject([{ code: 'foreign_nonce', txId: 'a', nonce: 4, since: 5, count: null }])
  const sent = toTracking(toAllocated(toQueued({ id: 'a', intent: anyIntent(anyLane()) }, 1), 4, NODE))
  const { inclusion: _, minedAt: __, ...rest } = sent
  const lost = { ...rest, state: 'STUCK', subState: 'foreign_nonce', stuckAt: 9 } as const
  const final = findLaneProblems({ ...WELL, unmined: [lost] }, seen)
  expect(final).toMatchObject([{ code: 'foreign_nonce', nonce: 4, since: 5, count: 1 }])
})

test('reservations that keep others waiting are a problem since the wait began', () => {
  const scene = { ...WELL, overdueReservation: { nonce: 4, since: 5 } }
  expect(findLaneProblems(scene, [])).toMatchObject([{ code: 'blocked_by_reservation', nonce: 4, since: 5 }])
})
