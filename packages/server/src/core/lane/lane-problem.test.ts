import { expect, test } from 'vitest'
import { toQueued } from '../../store/rules/queued-transaction.ts'
import { anyIntent, anyLane, toAllocated, toTracking } from '../../testing/store/samples.ts'
import { limitOf } from '../fees/fee-limit.ts'
import { findLaneProblems, isSameProblem, type LaneScene } from './lane-problem.ts'

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

test('a cap on the whole transaction is the same problem after another estimate of its gas', () => {
  const find = (feeWei: bigint, gas: bigint) => {
    const limit = limitOf({ perGasWei: feeWei / gas, feeWei, source: 'chain' }, 10n ** 15n, gas)
    const [found] = findLaneProblems({ ...WELL, priced: { txId: 'a', message: `for ${gas} gas`, limit } }, [])
    return found ?? expect.unreachable()
  }
  expect(isSameProblem(find(10n ** 18n, 100_000n), find(10n ** 18n, 100_001n))).toBe(true)
  expect(isSameProblem(find(10n ** 18n, 100_000n), find(2n * 10n ** 18n, 200_000n))).toBe(false)
})

test('a cap stays the problem of a sent transaction while nodes refuse its bytes', () => {
  const sent = toTracking(toAllocated(toQueued({ id: 'c', intent: anyIntent(anyLane()) }, 1), 7, NODE))
  const limit = { source: 'signer_per_gas', perGas: '8', enough: '18' } as const
  const cap = { code: 'fee_above_cap', message: 'at the cap', limit }
  const capped = { ...sent, subState: 'fee_above_cap', error: cap } as const
  const error = { code: 'underpriced', message: 'too low', unraised: cap }
  const refused = { ...sent, subState: 'rejected_by_node', error } as const
  const expected = [{ code: 'fee_above_cap', txId: 'c', nonce: 7, detail: 'at the cap', limit }]
  expect(findLaneProblems({ ...WELL, unmined: [capped] }, [])).toMatchObject(expected)
  expect(findLaneProblems({ ...WELL, unmined: [refused] }, [])).toMatchObject(expected)
  const poor = { ...refused, subState: 'waiting_for_funds', error: { ...error, message: 'poor' } } as const
  expect(findLaneProblems({ ...WELL, unmined: [poor] }, [])).toMatchObject([
    { code: 'out_of_funds', detail: 'poor' },
    ...expected,
  ])
  const held = { ...refused, suspended: true, subState: 'suspended' } as const
  expect(findLaneProblems({ ...WELL, unmined: [held] }, [])).toEqual([])
})
