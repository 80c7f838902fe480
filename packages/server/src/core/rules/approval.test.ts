import { expect, test } from 'vitest'
import { queued, T0 } from '../../testing/core/sample-transactions.ts'
import { STABLE } from '../lane/policy.ts'
import type { Queued } from '../transaction/transaction.ts'
import { transition } from '../transaction/transition.ts'
import type { TxEvent } from '../transaction/tx-event.ts'
import { type Approval, isApproved, missingVotes, whyNotVoter } from './approval.ts'

const NEED = { subject: 'key:0123456789abcdef', of: 2, keys: ['ann', 'bob', 'c0ffee'] } as const
const vote = (name: string, keyId = name) => ({ name, keyId, at: T0, reason: 'checked' })
const approval = (...names: readonly string[]): Approval => ({
  needs: [NEED],
  votes: names.map((name) => vote(name)),
  expiresAt: T0 + 1_000,
})
const NOBODY = { keyId: null, name: null }

test('names count once, strangers not at all, and an id is as good as a name', () => {
  expect(isApproved(approval('ann', 'ann', 'eve'))).toBe(false)
  expect(missingVotes(approval('ann', 'eve'))).toBe(1)
  expect(isApproved({ needs: [NEED], votes: [vote('ann'), vote('carl', 'c0ffee')] })).toBe(true)
})

test('the sender, keys that are not named and those that have approved may not', () => {
  expect(whyNotVoter(approval(), vote('bob'), NOBODY)).toBeNull()
  expect(whyNotVoter(approval(), vote('bob', '7'), { keyId: '7', name: null })).toContain('cannot approve')
  expect(whyNotVoter(approval(), vote('bob', '8'), { keyId: '7', name: 'bob' })).toContain('cannot approve')
  expect(whyNotVoter(approval(), vote('eve'), NOBODY)).toContain('do not name')
  expect(whyNotVoter(approval('ann'), vote('ann'), NOBODY)).toContain('already')
  expect(whyNotVoter(approval(), { keyId: null, name: 'ann' }, NOBODY)).toContain('API key')
})

const waiting = (...names: readonly string[]): Queued =>
  queued({ subState: 'awaiting_approval', approval: approval(...names) })
const after = (tx: Queued, event: TxEvent) => transition(tx, event, STABLE).tx
const by = { actor: 'ops', reason: 'drill' }
const at = T0 + 1

test('it goes on with the last approval that it needs', () => {
  const once = after(waiting(), { type: 'approval.given', at, vote: vote('ann') })
  expect(once).toMatchObject({ state: 'QUEUED', subState: 'awaiting_approval', approval: { votes: [{ name: 'ann' }] } })
  expect(after(waiting('ann'), { type: 'approval.given', at, vote: vote('bob') })).toMatchObject({
    subState: 'accepted',
  })
})

test('the approval of a key that was revoked since does not count', () => {
  const event = { type: 'approval.given', at, vote: vote('bob'), revoked: ['ann'] } as const
  expect(after(waiting('ann'), event)).toMatchObject({
    subState: 'awaiting_approval',
    approval: { votes: [{ name: 'bob' }] },
  })
})

test('a refusal or a missed deadline ends it without a nonce', () => {
  expect(after(waiting(), { type: 'approval.refused', at, by })).toMatchObject({
    state: 'CANCELLED',
    subState: 'not_approved',
    nonce: null,
    error: { code: 'approval_refused' },
  })
  expect(after(waiting(), { type: 'approval.expired', at })).toMatchObject({ state: 'QUEUED' })
  expect(after(waiting(), { type: 'approval.expired', at: T0 + 1_000 })).toMatchObject({
    state: 'CANCELLED',
    error: { code: 'approval_expired' },
  })
})

test('nothing but approval lets it take a nonce: not a resume, not a retry, not the lane', () => {
  const suspended = after(waiting(), { type: 'operator.suspended', at, by })
  expect(after(suspended as Queued, { type: 'operator.resumed', at, by })).toMatchObject({
    subState: 'awaiting_approval',
  })
  expect(after(waiting(), { type: 'operator.retried', at, by })).toMatchObject({ subState: 'awaiting_approval' })
  const attempt = { hash: '0x01', raw: '0x', kind: 'original', nonce: 1, gasLimit: 1n, createdAt: at } as const
  const fees = { type: 'legacy', gasPrice: 1n } as const
  const allocated: TxEvent = {
    type: 'nonce.allocated',
    at,
    nonce: 1,
    attempt: { ...attempt, fees },
    fence: 1,
    nodeId: 'n',
  }
  expect(after(waiting(), allocated)).toMatchObject({ state: 'QUEUED', subState: 'awaiting_approval' })
  expect(after(waiting('ann', 'bob'), allocated)).toMatchObject({ state: 'ALLOCATED' })
})
