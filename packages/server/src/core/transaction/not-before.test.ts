import { expect, test } from 'vitest'
import { allocated, attemptOf, queued, T0 } from '../../testing/core/sample-transactions.ts'
import type { NotBefore } from '../chain/chain-time.ts'
import { STABLE } from '../lane/policy.ts'
import { findImpossible } from './not-before.ts'
import { transition } from './transition.ts'

const by = { actor: 'ann', reason: 'drill' }
const { intent } = queued()
const scheduled = (notBefore: NotBefore) => queued({ subState: 'scheduled', intent: { ...intent, notBefore } })
const chain = { height: 50, timeMs: T0 }
const reached = { type: 'schedule.reached', at: T0, chain } as const

test.each([
  [{ height: 50 }, 'accepted'],
  [{ height: 51 }, 'scheduled'],
  [{ timeMs: T0 }, 'accepted'],
  [{ timeMs: T0 + 1 }, 'scheduled'],
])('not before %o: at block 50 it is %s', (notBefore, subState) => {
  const step = transition(scheduled(notBefore), reached, STABLE)
  expect(step.tx).toMatchObject({ state: 'QUEUED', subState })
  expect(step.notes.map(({ type }) => type)).toEqual(subState === 'accepted' ? ['schedule.reached'] : [])
})

test('it takes no nonce before, and can be cancelled', () => {
  const tx = scheduled({ height: 51 })
  const { nonce, fence, nodeId } = allocated()
  const event = { type: 'nonce.allocated', at: T0, nonce, fence, nodeId, attempt: attemptOf(1) } as const
  expect(transition(tx, event, STABLE).tx).toBe(tx)
  expect(transition(tx, { type: 'operator.cancelled', at: T0, by }, STABLE).tx).toMatchObject({ state: 'CANCELLED' })
})

test('suspended and resumed, or approved, it still waits; once it has had a nonce, it does not', () => {
  const tx = scheduled({ height: 51 })
  const held = transition(tx, { type: 'operator.suspended', at: T0, by }, STABLE).tx
  expect(transition(held, reached, STABLE).tx).toBe(held)
  expect(transition(held, { type: 'operator.resumed', at: T0, by }, STABLE).tx).toMatchObject({ subState: 'scheduled' })
  const sent = queued({ suspended: true, subState: 'suspended', intent: tx.intent, attempts: [attemptOf(1)] })
  expect(transition(sent, { type: 'operator.resumed', at: T0, by }, STABLE).tx).toMatchObject({ subState: 'accepted' })
  const approval = { needs: [{ subject: 'key:x', of: 1, keys: ['ann'] }], votes: [], expiresAt: T0 + 9 } as never
  const waiting = queued({ subState: 'awaiting_approval', intent: tx.intent, approval })
  const vote = { keyId: 'k', name: 'ann', at: T0, reason: 'fine' }
  expect(transition(waiting, { type: 'approval.given', at: T0, vote }, STABLE).tx).toMatchObject({
    subState: 'scheduled',
  })
})

test('it may not wait for its own deadline', () => {
  const validUntil = T0
  expect(findImpossible({ validUntil, notBefore: { timeMs: T0 } })).toMatch('before validUntil')
  expect(findImpossible({ validUntil, notBefore: { timeMs: T0 - 1 } })).toBeNull()
  expect(findImpossible({ validUntil, notBefore: { height: 9 } })).toBeNull()
  expect(findImpossible({ validUntil: null, notBefore: { timeMs: T0 } })).toBeNull()
})
