import { describe, expect, test } from 'vitest'
import type { Transaction } from '../generated/api-types.ts'
import { confirmed, mined, sent, transaction } from '../testing/stub-service.ts'
import { findFailure, hasReached, type Stage } from './stage.ts'

const CANCELLED_ON_CHAIN = mined('success', { state: 'CANCELLED', subState: 'cancelled' })
const STAGES: readonly Stage[] = ['submitted', 'mined', 'confirmed']

/** For each of submitted, mined and confirmed: reached, still possible, or the code that says why not. */
const CASES: readonly [string, Transaction, readonly string[]][] = [
  ['queued', transaction(), ['waits', 'waits', 'waits']],
  ['signed', { ...sent, state: 'ALLOCATED', submittedAt: null }, ['waits', 'waits', 'waits']],
  ['sent', sent, ['reached', 'waits', 'waits']],
  ['mined before an answer came', mined('success', { submittedAt: null }), ['reached', 'reached', 'waits']],
  ['mined', mined('success'), ['reached', 'reached', 'waits']],
  ['reverted', mined('reverted'), ['reached', 'transaction_reverted', 'waits']],
  ['reorganised away', { ...sent, subState: 'reorged' }, ['reached', 'waits', 'waits']],
  ['confirmed', confirmed, ['reached', 'reached', 'reached']],
  [
    'reverted for good',
    mined('reverted', { state: 'FAILED_FINAL' }),
    ['reached', 'transaction_reverted', 'transaction_reverted'],
  ],
  ['stuck', { ...sent, state: 'STUCK' }, ['reached', 'transaction_stuck', 'transaction_stuck']],
  ['never sent and stuck', { ...sent, state: 'STUCK', submittedAt: null }, Array(3).fill('transaction_stuck')],
  ['cancelled', transaction({ state: 'CANCELLED' }), Array(3).fill('transaction_cancelled')],
  ['cancelled on chain', CANCELLED_ON_CHAIN, Array(3).fill('transaction_cancelled')],
  ['expired', transaction({ state: 'EXPIRED' }), Array(3).fill('transaction_expired')],
]

test.each(CASES)('%s', (_, tx, expected) => {
  const seen = STAGES.map((stage) => (hasReached(tx, stage) ? 'reached' : (findFailure(tx, stage)?.code ?? 'waits')))
  expect(seen).toEqual(expected)
})

describe('a failure', () => {
  test('says what the service says', () => {
    const error = { code: 'reverted', message: 'It ran out of gas.', reason: 'out of gas' }
    const failure = findFailure(mined('reverted', { state: 'FAILED_FINAL', error }), 'confirmed')
    expect(failure).toMatchObject({ reason: 'out of gas', transaction: { state: 'FAILED_FINAL' }, transient: false })
    expect(failure?.detail).toContain('It ran out of gas.')
  })
})
