import { describe, expect, test } from 'vitest'
import { allowedActions, OPERATOR_ACTIONS } from './allowed-actions.ts'
import { FAST, STABLE } from './policy.ts'
import { allocated, deferred, dropped, finished, mined, queued, stuck, tracking } from './sample-transactions.suite.ts'
import type { Transaction } from './transaction.ts'

const CASES: readonly [string, Transaction, readonly string[]][] = [
  ['queued', queued(), ['suspend', 'cancel']],
  ['deferred', deferred('waiting_for_funds'), ['suspend', 'retry', 'cancel']],
  ['queued and suspended', queued({ suspended: true }), ['resume', 'cancel']],
  ['signed', allocated(), ['suspend', 'retry']],
  ['sent', tracking('pending'), ['suspend', 'retry']],
  ['sent and suspended', tracking('suspended', { suspended: true }), ['resume']],
  ['mined', mined(), []],
  ['mined and suspended', mined({ suspended: true }), ['resume']],
  ['stuck', stuck('no_inclusion'), ['suspend', 'retry', 'resolve']],
  ['stuck and suspended', stuck('no_inclusion', { suspended: true }), ['resume', 'resolve']],
  ['final', finished('CONFIRMED', { suspended: true }), []],
  ['dropped', dropped('EXPIRED', 'expired', { suspended: true }), []],
]

describe.each([STABLE, FAST])('under $preset', (policy) => {
  test.each(CASES)('%s', (_, tx, expected) => {
    const verdicts = allowedActions(tx, policy)
    expect(OPERATOR_ACTIONS.filter((action) => verdicts[action].allowed)).toEqual(expected)
    for (const verdict of Object.values(verdicts)) {
      if (!verdict.allowed) expect(verdict.why).toMatch(/^[A-Z].{10,}\.$/)
    }
  })
})

test.each(['cancel', 'speed-up'] as const)('%s of what was sent says truly why not', (action) => {
  expect(allowedActions(tracking('pending'), STABLE)[action]).toMatchObject({ why: expect.stringContaining('policy') })
  expect(allowedActions(tracking('pending'), FAST)[action]).toMatchObject({ why: expect.stringContaining('yet') })
})
