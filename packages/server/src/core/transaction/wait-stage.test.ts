/** Which stages a transaction has reached, and which it cannot reach any more. */
import { expect, test } from 'vitest'
import {
  allocated,
  cancelledOnChain,
  dropped,
  finished,
  inclusionIn,
  mined,
  queued,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import type { Transaction } from './transaction.ts'
import { assessWait, type WaitStage } from './wait-stage.ts'

const STAGES: readonly WaitStage[] = ['signed', 'submitted', 'mined', 'confirmed']
const REVERTED = inclusionIn(100, { succeeded: false })
const [R, W, E] = ['reached', 'waiting', 'ended']

const CASES: readonly [string, Transaction, readonly (string | undefined)[]][] = [
  ['queued', queued(), [W, W, W, W]],
  ['signed', allocated(), [R, W, W, W]],
  ['sent', tracking('pending', { submittedAt: T0 }), [R, R, W, W]],
  ['mined', mined(), [R, R, R, W]],
  ['mined and reverted: a reorg can still change that', mined({ inclusion: REVERTED }), [R, R, R, W]],
  ['confirmed', finished('CONFIRMED'), [R, R, R, R]],
  ['reverted for good', finished('FAILED_FINAL', { inclusion: REVERTED }), [R, R, R, E]],
  ['stuck', stuck('no_inclusion', { submittedAt: T0 }), [R, R, E, E]],
  ['cancelled before it had a nonce', dropped('CANCELLED', 'cancelled'), [E, E, E, E]],
  ['cancelled by an empty transaction', cancelledOnChain(), [E, E, E, E]],
  ['expired', dropped('EXPIRED', 'expired'), [E, E, E, E]],
]

test.each(CASES)('%s', (_, tx, expected) => {
  expect(STAGES.map((stage) => assessWait(tx, stage))).toEqual(expected)
})
