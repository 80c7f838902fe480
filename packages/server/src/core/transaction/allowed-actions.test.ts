import { describe, expect, test } from 'vitest'
import {
  allocated,
  attemptOf,
  deferred,
  dropped,
  finished,
  mined,
  queued,
  stuck,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import { FAST, type Policy, STABLE } from '../lane/policy.ts'
import { allowedActions, OPERATOR_ACTIONS } from './allowed-actions.ts'
import type { Transaction } from './transaction.ts'

/** What is allowed where nothing may be replaced, and where it may on order, or by itself, if that is more. */
const CASES: readonly [string, Transaction, readonly string[], (readonly string[])?][] = [
  ['queued', queued(), ['suspend', 'cancel']],
  ['deferred', deferred('waiting_for_funds'), ['suspend', 'retry', 'cancel']],
  ['queued and suspended', queued({ suspended: true }), ['resume', 'cancel']],
  ['signed', allocated(), ['suspend', 'retry'], ['suspend', 'retry', 'cancel', 'speed-up']],
  ['sent', tracking('pending'), ['suspend', 'retry'], ['suspend', 'retry', 'cancel', 'speed-up']],
  [
    'sent and to be sped up',
    tracking('pending', { requestedReplacement: 'speed_up' }),
    ['suspend', 'retry'],
    ['suspend', 'retry', 'cancel'],
  ],
  ['sent and to be cancelled', tracking('pending', { requestedReplacement: 'cancel' }), ['suspend', 'retry']],
  [
    'being cancelled',
    tracking('pending', { attempts: [attemptOf(1), attemptOf(2, 'cancel')] }),
    ['suspend', 'retry'],
    ['suspend', 'retry', 'speed-up'],
  ],
  ['sent and suspended', tracking('suspended', { suspended: true }), ['resume'], ['resume', 'cancel']],
  ['mined', mined(), []],
  ['mined and suspended', mined({ suspended: true }), ['resume']],
  [
    'stuck',
    stuck('no_inclusion'),
    ['suspend', 'retry', 'resolve'],
    ['suspend', 'retry', 'cancel', 'resolve', 'speed-up'],
  ],
  ['stuck on a foreign nonce', stuck('foreign_nonce'), ['resolve', 'requeue', 'close']],
  [
    'stuck and suspended',
    stuck('no_inclusion', { suspended: true }),
    ['resume', 'resolve'],
    ['resume', 'cancel', 'resolve'],
  ],
  ['final', finished('CONFIRMED', { suspended: true }), []],
  ['dropped', dropped('EXPIRED', 'expired', { suspended: true }), []],
]

const NEVER: Policy = { ...STABLE, mayReplace: 'never' }

describe.each([NEVER, STABLE, FAST])('where it may replace $mayReplace', (policy) => {
  test.each(CASES)('%s', (_, tx, stable, fast = stable) => {
    const verdicts = allowedActions(tx, policy)
    const expected = policy.mayReplace === 'never' ? stable : fast
    expect(OPERATOR_ACTIONS.filter((action) => verdicts[action].allowed)).toEqual(expected)
    for (const verdict of Object.values(verdicts)) {
      if (!verdict.allowed) expect(verdict.why).toMatch(/^[A-Z].{10,}\.$/)
    }
  })
})

test.each(['cancel', 'speed-up'] as const)('%s of what was sent says truly why not', (action) => {
  expect(allowedActions(tracking('pending'), NEVER)[action]).toMatchObject({ why: expect.stringContaining('policy') })
})
