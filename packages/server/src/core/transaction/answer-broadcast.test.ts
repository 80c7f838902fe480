import { describe, expect, test } from 'vitest'
import {
  allocated,
  attemptOf,
  hashOf,
  mined,
  NONCE,
  refused,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import type { SendOutcome } from '../chain/send-outcome.ts'
import { STABLE } from '../lane/policy.ts'
import { answerBroadcast } from './answer-broadcast.ts'
import type { InFlight, Transaction } from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

const at = T0 + 100_000
const message = 'words of the node'

function answer(outcome: SendOutcome, hash = hashOf(1)): Extract<TxEvent, { type: 'broadcast.answered' }> {
  return { type: 'broadcast.answered', at, hash, outcome }
}

const HELD: readonly SendOutcome[] = [{ type: 'accepted' }, { type: 'already_known' }]
const UNCLEAR: readonly SendOutcome[] = [
  { type: 'ambiguous', message },
  { type: 'rate_limited', message },
]
const REFUSALS = [
  [{ type: 'replacement_underpriced', message }, 'rejected_by_node'],
  [{ type: 'underpriced', message }, 'rejected_by_node'],
  [{ type: 'pool_full', message }, 'rejected_by_node'],
  [{ type: 'insufficient_funds', message }, 'waiting_for_funds'],
] as const satisfies readonly (readonly [SendOutcome, string])[]

describe.each(HELD)('$type', (outcome) => {
  test('means that a node has the bytes', () => {
    const step = answerBroadcast(allocated(), answer(outcome), STABLE)
    expect(step.effects).toEqual([])
    expect(step.tx).toMatchObject({ state: 'TRACKING', subState: 'pending', inclusion: null, error: null })
    expect(step.tx).toMatchObject({ submittedAt: at, lastSubmitAt: at, submitCount: 1, nextResubmitAt: at + 30_000 })
  })

  test('ends a series of refusals, and keeps the time of the first send', () => {
    const tx = refused('underpriced')
    expect(answerBroadcast(tx, answer(outcome), STABLE).tx).toMatchObject({
      subState: 'pending',
      refusals: 0,
      error: null,
      submittedAt: tx.submittedAt,
      waitingSince: tx.waitingSince,
    })
  })

  test('revives what a node had refused for good, and starts a new wait for a block', () => {
    const step = answerBroadcast(stuck('rejected_by_node'), answer(outcome), STABLE)
    expect(step.tx).toMatchObject({ state: 'TRACKING', subState: 'pending', error: null, waitingSince: at })
    expect(step.tx).not.toHaveProperty('stuckAt')
  })

  test.each(['no_inclusion', 'foreign_nonce'] as const)('does not cure STUCK by %s', (subState) => {
    const tx = stuck(subState)
    expect(answerBroadcast(tx, answer(outcome), STABLE).tx).toEqual({
      ...tx,
      lastSubmitAt: at,
      submitCount: tx.submitCount + 1,
      nextResubmitAt: at + 30_000,
    })
  })

  test('of bytes that were refused for a gap shows that the gap is closed: its own wait begins', () => {
    const tx = tracking('blocked_by_predecessor', { error: { code: 'nonce_gap', message }, refusals: 4 })
    expect(answerBroadcast(tx, answer(outcome), STABLE).tx).toMatchObject({ subState: 'pending', waitingSince: at })
  })
})

test('nonce_too_low is looked into: these bytes, or others, are in a block', () => {
  const step = answerBroadcast(allocated(), answer({ type: 'nonce_too_low', message }), STABLE)
  expect(step.tx).toMatchObject({ state: 'TRACKING', subState: 'pending', refusals: 0 })
  expect(step.effects).toEqual([{ type: 'lookup' }])
})

describe.each(UNCLEAR)('$type', (outcome) => {
  test.each([allocated(), tracking('pending'), refused('underpriced'), stuck('no_inclusion')])(
    'leaves $state/$subState where it is',
    (tx) => {
      const step = answerBroadcast(tx, answer(outcome), STABLE)
      const sends = { lastSubmitAt: at, submitCount: tx.submitCount + 1, nextResubmitAt: expect.any(Number) }
      const mayBeHeld = tx.mayBeHeld || outcome.type === 'ambiguous'
      expect(step.tx).toEqual({ ...tx, ...sends, mayBeHeld })
      expect(step.effects).toEqual([])
    },
  )

  test('never gets a transaction stuck, however often', () => {
    let tx: Transaction = allocated()
    for (let times = 0; times < 100; times++) tx = answerBroadcast(tx as InFlight, answer(outcome), STABLE).tx
    expect(tx).toMatchObject({ state: 'ALLOCATED', subState: 'signed', refusals: 0, submitCount: 100 })
  })
})

describe.each(REFUSALS)('%o', (outcome, subState) => {
  test(`is ${subState}, with the node's own words`, () => {
    for (const tx of [allocated(), tracking('pending')]) {
      const step = answerBroadcast(tx, answer(outcome), STABLE)
      expect(step.tx).toMatchObject({ state: tx.state, subState, refusals: 1, submittedAt: tx.submittedAt })
      expect(step.tx.error).toMatchObject({ code: outcome.type, reason: message })
      expect(step.notes).toMatchObject([{ cause: outcome.type, detail: { hash: hashOf(1), nodeSaid: message } }])
    }
  })
})

describe.each(REFUSALS.filter(([{ type }]) => type !== 'pool_full'))('%o, again and again', (outcome) => {
  test('is STUCK with an alarm at the last attempt that the policy allows, not before', () => {
    const almost = tracking('pending', { refusals: STABLE.maxSubmitAttempts - 2 })
    const before = answerBroadcast(almost, answer(outcome), STABLE)
    expect([before.tx.state, before.effects]).toEqual(['TRACKING', []])
    const last = answerBroadcast(before.tx as InFlight, answer(outcome), STABLE)
    expect(last.tx).toMatchObject({ state: 'STUCK', subState: 'rejected_by_node', stuckAt: at, nonce: NONCE })
    expect(last.tx.error?.code).toBe(outcome.type)
    expect(last.effects).toEqual([{ type: 'alarm', cause: outcome.type }])
  })
})

test('a full pool never gets a transaction stuck, however often: only time does', () => {
  let tx: Transaction = allocated()
  for (let times = 0; times < 100; times++) {
    const step = answerBroadcast(tx as InFlight, answer({ type: 'pool_full', message }), STABLE)
    expect(step.effects).toEqual([])
    tx = step.tx
  }
  expect(tx).toMatchObject({ state: 'ALLOCATED', subState: 'rejected_by_node', refusals: 100 })
})

describe('nonce_gap', () => {
  const gap = answer({ type: 'nonce_gap', message })

  test("is blocked_by_predecessor, with the node's own words, and no refusal", () => {
    for (const tx of [allocated(), tracking('pending', { refusals: 3 })]) {
      const step = answerBroadcast(tx, gap, STABLE)
      expect(step.tx).toMatchObject({ state: tx.state, subState: 'blocked_by_predecessor', refusals: tx.refusals })
      expect(step.tx).toMatchObject({ error: { code: 'nonce_gap', reason: message }, submittedAt: tx.submittedAt })
      expect(step.notes).toMatchObject([{ cause: 'nonce_gap', detail: { nodeSaid: message } }])
    }
  })

  test('never makes a transaction stuck, however often, and is retried with growing pauses', () => {
    const pauses: number[] = []
    let tx: Transaction = allocated()
    for (let times = 0; times < 100; times++) {
      const step = answerBroadcast(tx as InFlight, gap, STABLE)
      expect(step.effects).toEqual([])
      tx = step.tx
      if ('nextResubmitAt' in tx) pauses.push(tx.nextResubmitAt - at)
    }
    expect(tx).toMatchObject({ state: 'ALLOCATED', refusals: 0, submitCount: 100 })
    expect(pauses.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  test.each([
    ['is suspended', tracking('suspended', { suspended: true }), 'nonce_gap'],
    ['is stuck', stuck('rejected_by_node', { error: { code: 'pool_full', message } }), 'pool_full'],
    ['is known to wait for one of ours', tracking('blocked_by_predecessor'), undefined],
  ] as const)('leaves what %s where it is', (_, tx, code) => {
    const step = answerBroadcast(tx, gap, STABLE)
    expect([step.tx.state, step.tx.subState, step.tx.error?.code]).toEqual([tx.state, tx.subState, code])
  })
})

test.each([
  { type: 'refused', message, reason: 'gas_limit' },
  { type: 'invalid', message, reason: 'gas_too_low' },
] as const)('where policy never replaces, what is $type is STUCK at once', (outcome) => {
  const step = answerBroadcast(allocated(), answer(outcome), STABLE)
  expect(step.tx).toMatchObject({ state: 'STUCK', subState: 'rejected_by_node', error: { code: 'rejected' } })
  expect(step.effects).toEqual([{ type: 'alarm', cause: 'rejected' }])
  expect(step.notes).toMatchObject([{ type: 'stuck.declared', cause: 'rejected' }])
})

describe('STUCK', () => {
  const refusal = answer({ type: 'underpriced', message })

  test.each(['no_inclusion', 'foreign_nonce'] as const)('by %s keeps its cause when refused again', (subState) => {
    const step = answerBroadcast(stuck(subState), refusal, STABLE)
    expect(step.tx).toMatchObject({ state: 'STUCK', subState, error: { code: subState } })
    expect(step.effects).toEqual([])
  })

  test('by a refusal shows the newest one', () => {
    const tx = stuck('rejected_by_node', { error: { code: 'pool_full', message } })
    expect(answerBroadcast(tx, refusal, STABLE).tx.error?.code).toBe('underpriced')
  })
})

test('pauses grow twofold from one second to the interval', () => {
  const pauses: number[] = []
  let tx: Transaction = allocated()
  for (let times = 0; times < 8; times++) {
    tx = answerBroadcast(tx as InFlight, answer({ type: 'underpriced', message }), STABLE).tx
    if ('nextResubmitAt' in tx) pauses.push(tx.nextResubmitAt - at)
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('an older attempt at the same nonce counts as well: whichever is mined, it is this transaction', () => {
  const tx = tracking('stale', { attempts: [attemptOf(1), attemptOf(2, 'bump')] })
  expect(answerBroadcast(tx, answer({ type: 'accepted' }, hashOf(1)), STABLE).tx.subState).toBe('pending')
})

test.each([
  ['is mined', mined(), hashOf(1)],
  ['never had these bytes', tracking('pending'), hashOf(99)],
] as const)('an answer for one that %s changes nothing', (_, tx, hash) => {
  expect(answerBroadcast(tx, answer({ type: 'accepted' }, hash), STABLE).tx).toBe(tx)
})

describe.each(['underpriced', 'replacement_underpriced'] as const)('%s', (type) => {
  const bumped = tracking('pending', { attempts: [attemptOf(1), attemptOf(2, 'bump')] })

  test('of bytes whose price was raised since is noted, and is no reason to raise it again', () => {
    const step = answerBroadcast(bumped, answer({ type, message }, hashOf(1)), STABLE)
    expect(step.tx).toMatchObject({ state: 'TRACKING', subState: 'pending', error: null, refusals: 0 })
    expect(step.notes).toMatchObject([{ type: 'broadcast.answered', cause: type }])
  })

  test('of the newest bytes counts', () => {
    const step = answerBroadcast(bumped, answer({ type, message }, hashOf(2)), STABLE)
    expect(step.tx).toMatchObject({ error: { code: type }, refusals: 1 })
  })
})
