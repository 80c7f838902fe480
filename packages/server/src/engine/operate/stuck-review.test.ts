import { expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { type MayReplace, STABLE } from '../../core/lane/policy.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import type { StuckDecision, StuckQuestion } from '../../ports/stuck-hook.ts'
import { mined, stuck } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { OperatorRequest } from './operate.ts'
import { createStuckReview } from './stuck-review.ts'

function setUp(
  decide: (question: StuckQuestion) => Promise<StuckDecision>,
  options: { readonly forbids?: boolean; readonly mayReplace?: MayReplace } = {},
) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const done: OperatorRequest[] = []
  const state: { tx: Transaction } = { tx: stuck('no_inclusion') }
  const review = createStuckReview({
    clock,
    telemetry,
    store: { findTransaction: async () => state.tx },
    operate: async (_id, request) => {
      if (options.forbids === true) throw new AppError('action_forbidden', 'not now')
      done.push(request)
      return state.tx
    },
    hook: { decide },
    intervalMs: 60_000,
    policyOf: () => ({ ...STABLE, mayReplace: options.mayReplace ?? 'never' }),
  })
  return { clock, telemetry, done, state, review }
}

test('the hook is asked at once and again after the interval, until it is no longer stuck', async () => {
  const questions: StuckQuestion[] = []
  const { clock, state, review, done } = setUp(async (question) => {
    questions.push(question)
    return { action: 'wait' }
  })
  review.notice(state.tx.id, () => true)
  review.notice(state.tx.id, () => true)
  await clock.advance(1)
  expect(questions).toHaveLength(1)
  expect(questions[0]).toMatchObject({
    transactionId: state.tx.id,
    cause: 'no_inclusion',
    allowed: expect.arrayContaining(['retry']),
  })
  expect(questions[0]?.allowed).not.toContain('cancel')
  await clock.advance(60_000)
  expect(questions).toHaveLength(2)
  state.tx = mined()
  await clock.advance(600_000)
  expect(questions).toHaveLength(2)
  expect(done).toEqual([])
})

test('what it decides is done as an operator would, with its reason', async () => {
  const { clock, telemetry, state, review, done } = setUp(async () => ({ action: 'retry', reason: 'node upgraded' }))
  review.notice(state.tx.id, () => true)
  await clock.advance(1)
  expect(done).toEqual([{ action: 'retry', actor: 'stuck-hook', reason: 'node upgraded' }])
  expect(telemetry.valueOf('drover_stuck_decisions_total', { action: 'retry', cause: 'no_inclusion' })).toBe(1)
})

test('a hook that fails, or decides what is forbidden, is asked again later; nothing breaks', async () => {
  let asked = 0
  const failing = setUp(async () => {
    asked++
    throw new Error('no answer')
  })
  failing.review.notice(failing.state.tx.id, () => true)
  await failing.clock.advance(1)
  await failing.clock.advance(60_000)
  expect(asked).toBe(2)
  const forbidding = setUp(async () => ({ action: 'cancel', reason: 'give up' }), { forbids: true })
  forbidding.review.notice(forbidding.state.tx.id, () => true)
  await forbidding.clock.advance(1)
  expect(forbidding.telemetry.logs.map(({ message }) => message)).toContain(
    'the decision of the stuck hook cannot be carried out',
  )
})

test('a lane that moved away, and a stopped review, ask nobody', async () => {
  let asked = 0
  const { clock, state, review } = setUp(async () => {
    asked++
    return { action: 'wait' }
  })
  review.notice(state.tx.id, () => false)
  await clock.advance(1)
  review.notice(state.tx.id, () => true)
  review.stop()
  await clock.advance(600_000)
  expect(asked).toBe(0)
})

test('if replacements need an order, the hook may give it', async () => {
  const questions: StuckQuestion[] = []
  const { clock, state, review, done } = setUp(
    async (question) => {
      questions.push(question)
      return { action: 'bump', reason: 'price is why' }
    },
    { mayReplace: 'on_order' },
  )
  review.notice(state.tx.id, () => true)
  await clock.advance(1)
  expect(questions[0]?.allowed).toEqual(expect.arrayContaining(['cancel', 'speed-up']))
  expect(done).toEqual([{ action: 'speed-up', actor: 'stuck-hook', reason: 'price is why' }])
})
