import { expect, test } from 'vitest'
import type { Transaction } from '../../core/transaction/transaction.ts'
import {
  allocated,
  cancelledOnChain,
  dropped,
  finished,
  mined,
  queued,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { countTransitions } from './count-transitions.ts'

const CHAIN = { chainId: queued().intent.lane.chainId }

function count(before: Transaction, tx: Transaction, ...types: readonly string[]) {
  const telemetry = createRecordingTelemetry()
  const notes = types.map((type) => ({ type, cause: null, detail: {} }))
  const { version, state, attempts } = before
  countTransitions(telemetry, [{ before: { version, state, attemptCount: attempts.length }, tx, notes }])
  return {
    moved: (from: string, to: string) => telemetry.valueOf('drover_transitions_total', { from, to }),
    result: (result: string) => telemetry.valueOf('drover_finality_total', { result }),
    fees: (result: string) => telemetry.valueOf('drover_fees_wei_total', { ...CHAIN, result }),
    promise: (result: string) => telemetry.valueOf('drover_preconfirmations_total', { result }),
    toInclusion: telemetry.observationsOf('drover_time_to_inclusion_seconds', CHAIN),
    toFinality: telemetry.observationsOf('drover_time_to_finality_seconds', CHAIN),
  }
}

test('a change of state is counted with where it came from, and no change is not', () => {
  expect(count(queued(), allocated(), 'nonce.allocated').moved('QUEUED', 'ALLOCATED')).toBe(1)
  expect(count(tracking('pending'), tracking('stale'), 'resubmit.claimed').moved('TRACKING', 'TRACKING')).toBe(0)
})

test('an inclusion is counted and timed from acceptance', () => {
  const counted = count(tracking('pending'), mined({ minedAt: T0 + 4_000 }), 'inclusion.seen')
  expect(counted.result('included')).toBe(1)
  expect(counted.toInclusion).toEqual([4])
})

test('an inclusion after a reorg is counted, but not timed again', () => {
  const gone = count(mined(), tracking('reorged', { newForks: 1 }), 'inclusion.reorged')
  expect([gone.result('reorged'), gone.result('included'), gone.toInclusion]).toEqual([1, 0, []])
  const back = count(tracking('reorged'), mined({ newForks: 1 }), 'inclusion.seen')
  expect([back.result('included'), back.toInclusion]).toEqual([1, []])
})

test.each([
  ['confirmed', finished('CONFIRMED')],
  ['failed', finished('FAILED_FINAL')],
  ['cancelled', cancelledOnChain()],
] as const)('what is final on the chain is %s, and timed from acceptance', (result, tx) => {
  const counted = count(mined(), tx, 'finality.reached')
  expect([counted.result(result), counted.moved('TRACKING', tx.state)]).toEqual([1, 1])
  expect(counted.toFinality).toEqual([5])
})

test('found and final in one write counts as both', () => {
  const counted = count(stuck('no_inclusion'), finished('CONFIRMED'), 'inclusion.seen', 'finality.reached')
  expect([counted.result('included'), counted.result('confirmed'), counted.moved('STUCK', 'CONFIRMED')]).toEqual([
    1, 1, 1,
  ])
  expect([counted.toInclusion, counted.toFinality]).toEqual([[4], [5]])
})

test('what ends without a nonce never came near the chain', () => {
  const counted = count(queued(), dropped('CANCELLED', 'cancelled'), 'operator.cancelled')
  expect([counted.moved('QUEUED', 'CANCELLED'), counted.result('cancelled'), counted.toFinality]).toEqual([1, 0, []])
})

test('clocks that differ by a little give no time below zero', () => {
  const counted = count(tracking('pending'), mined({ minedAt: T0 - 3 }), 'inclusion.seen')
  expect(counted.toInclusion).toEqual([0])
})

test('a preconfirmation is counted, seen or lost, and is no step towards finality', () => {
  const seen = count(tracking('pending'), tracking('preconfirmed'), 'preconfirmation.seen')
  expect([seen.promise('seen'), seen.promise('lost'), seen.result('included')]).toEqual([1, 0, 0])
  expect(seen.toInclusion).toEqual([])
  expect(count(tracking('preconfirmed'), tracking('stale'), 'preconfirmation.lost').promise('lost')).toBe(1)
})

test.each([
  ['confirmed', finished('CONFIRMED')],
  ['failed', finished('FAILED_FINAL')],
  ['cancelled', cancelledOnChain()],
] as const)('the fee of what is %s is counted once it is final, by what the receipt says', (result, tx) => {
  const { gasUsed, effectiveGasPrice } = tx.inclusion
  const paid = Number(gasUsed * effectiveGasPrice)
  expect(paid).toBeGreaterThan(0)
  expect(count(tracking('pending'), mined(), 'inclusion.seen').fees(result)).toBe(0)
  expect(count(mined(), tx, 'finality.reached').fees(result)).toBe(paid)
})

test('the fee of a transaction that Drover did not sign is not counted', () => {
  const tx = finished('CONFIRMED')
  const settled = { ...tx, inclusion: { ...tx.inclusion, txHash: `0x${'ee'.repeat(32)}` as const } }
  expect(count(mined(), settled, 'finality.reached').fees('confirmed')).toBe(0)
})
