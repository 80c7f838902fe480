import { describe, expect, test } from 'vitest'
import {
  attemptOf,
  hashOf,
  NONCE,
  otherProof,
  proofOf,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import type { NonceProof } from '../lane/nonce-user.ts'
import { FAST, STABLE } from '../lane/policy.ts'
import { allowedActions, OPERATOR_ACTIONS } from './allowed-actions.ts'
import type { InFlight } from './transaction.ts'
import { transition } from './transition.ts'

const at = T0 + 60_000
const by = { actor: 'ann', reason: 'checked by hand' }
const REVERTED = proofOf({}, { succeeded: false })
const THEIRS = hashOf(9)

function lose(tx: InFlight, proof: NonceProof, policy = STABLE) {
  return transition(tx, { type: 'nonce.lost', at, proof }, policy)
}

function order(type: 'resolved' | 'requeued' | 'closed', tx: InFlight, proof: NonceProof) {
  return transition(tx, { type: `operator.${type}`, at, by, proof }, STABLE)
}

describe.each([STABLE, FAST])('a nonce that a foreign transaction used, under $preset', (policy) => {
  test('with the same effect: CONFIRMED with its hash', () => {
    const step = lose(tracking('pending'), proofOf(), policy)
    expect(step.tx).toMatchObject({ state: 'CONFIRMED', error: null, nonce: NONCE, inclusion: { txHash: THEIRS } })
    expect(step.notes).toMatchObject([{ type: 'finality.reached', detail: { hash: THEIRS, foreign: true } }])
    expect(step.effects).toEqual([{ type: 'nonce.used' }])
  })

  test('with the same effect, reverted: FAILED_FINAL with its hash', () => {
    const { tx } = lose(tracking('pending'), REVERTED, policy)
    expect(tx).toMatchObject({ state: 'FAILED_FINAL', error: { code: 'reverted' }, inclusion: { txHash: THEIRS } })
  })

  test('the same effect counts also where it was to be cancelled', () => {
    const tx = tracking('pending', { attempts: [attemptOf(1), attemptOf(2, 'cancel')] })
    expect(lose(tx, proofOf(), policy).tx.state).toBe('CONFIRMED')
    expect(lose(tx, otherProof(), policy).tx.state).toBe('CANCELLED')
  })

  test.each([
    ['another target', { to: null }],
    ['another value', { value: 4n }],
    ['other data', { data: '0xa9059cbb' as const }],
    ['a delegation or blobs beside the call', { isPlain: false }],
  ])('%s is another effect', (_, change) => {
    const { tx } = lose(tracking('pending'), proofOf(change), policy)
    expect(tx.state).toBe(policy.onForeignNonce === 'stuck' ? 'STUCK' : 'QUEUED')
  })

  test('the same effect in a block that is a little older than the request: an operator decides', () => {
    const { tx } = lose(tracking('pending'), proofOf({ minedAt: T0 - 1_000 }), policy)
    expect(tx).toMatchObject({ state: 'STUCK', error: { message: expect.stringContaining('older than the request') } })
  })

  test('the same effect after the request, but before ours got the nonce: an operator decides', () => {
    const waited = tracking('pending', { allocatedAt: T0 + 600_000 })
    const { tx } = lose(waited, proofOf({ minedAt: T0 + 300_000 }), policy)
    expect(tx).toMatchObject({ state: 'STUCK', error: { message: expect.stringContaining('before this one got') } })
    expect(lose(waited, otherProof({ minedAt: T0 + 300_000 }), policy).tx.state).toBe('QUEUED')
  })

  test('long before ours was assigned: the count was stale, and it takes another nonce', () => {
    for (const proof of [proofOf({ minedAt: T0 - 60_000 }), otherProof({ minedAt: T0 - 60_000 })]) {
      const step = lose(tracking('pending'), proof, policy)
      expect(step.tx).toMatchObject({ state: 'QUEUED', subState: 'accepted', error: null })
      expect(step.notes).toMatchObject([{ type: 'nonce.lost', cause: 'stale_count' }])
    }
  })

  test.each([{ chainId: 5 }, { nonce: 8 }, { from: `0x${'e5'.repeat(20)}` as const }])(
    'another one says nothing: %j',
    (change) => {
      const tx = tracking('pending')
      expect(lose(tx, proofOf(change), policy).tx).toBe(tx)
    },
  )
})

describe('STUCK on a foreign nonce', () => {
  const tx = stuck('foreign_nonce')

  test('names what used the nonce', () => {
    const { tx: lost } = lose(tracking('pending'), otherProof())
    expect(lost).toMatchObject({ state: 'STUCK', subState: 'foreign_nonce' })
    expect(lost.error?.message).toContain(THEIRS)
    expect(lost.error?.message).toContain(`0x${'c3'.repeat(20)}`)
  })

  test('offers what can work, and nothing else', () => {
    const verdicts = allowedActions(tx, STABLE)
    expect(OPERATOR_ACTIONS.filter((action) => verdicts[action].allowed)).toEqual(['resolve', 'requeue', 'close'])
    const exact = { ...tx, intent: { ...tx.intent, exactNonce: NONCE } }
    expect(allowedActions(exact, STABLE)).toMatchObject({ requeue: { allowed: false }, close: { allowed: true } })
  })

  test('an operator cannot make one without the effect CONFIRMED, nor resend one that had it', () => {
    expect(order('resolved', tx, otherProof()).tx).toBe(tx)
    expect(order('requeued', tx, proofOf()).tx).toBe(tx)
    expect(order('closed', tx, proofOf()).tx).toBe(tx)
  })

  test('requeued: back in the queue, with every signed hash', () => {
    const step = order('requeued', tx, otherProof())
    expect(step.tx).toMatchObject({ state: 'QUEUED', subState: 'accepted', attempts: tx.attempts })
    expect(step.notes).toMatchObject([{ cause: 'operator', detail: { ...by, nonce: NONCE, hash: THEIRS } }])
  })

  test('closed: CANCELLED, replaced, with what replaced it', () => {
    const step = order('closed', tx, otherProof())
    expect(step.tx).toMatchObject({
      state: 'CANCELLED',
      subState: 'replaced',
      error: { code: 'replaced' },
      nonce: null,
    })
    expect(step.notes).toMatchObject([{ type: 'operator.closed', detail: { ...by, hash: THEIRS } }])
  })

  test('resolved by the same effect: as that ended', () => {
    expect(order('resolved', tx, proofOf()).tx).toMatchObject({ state: 'CONFIRMED', subState: 'resolved' })
    const step = order('resolved', tx, REVERTED)
    expect(step.tx).toMatchObject({ state: 'FAILED_FINAL', subState: 'resolved', error: { code: 'reverted' } })
    expect(step.notes).toMatchObject([{ cause: 'operator', detail: { ...by, hash: THEIRS } }])
  })

  test('resolved by its own bytes: by what they were', () => {
    const mixed = stuck('no_inclusion', { attempts: [attemptOf(1), attemptOf(2, 'cancel')] })
    expect(order('resolved', mixed, proofOf({}, { txHash: hashOf(1) })).tx.state).toBe('CONFIRMED')
    const empty = { to: mixed.intent.lane.signer, value: 0n }
    expect(order('resolved', mixed, proofOf(empty, { txHash: hashOf(2) })).tx).toMatchObject({
      state: 'CANCELLED',
      subState: 'cancelled',
    })
  })

  test('a transaction marked stuck by an older version ends correctly', () => {
    expect(lose(tx, proofOf()).tx.state).toBe('CONFIRMED')
    expect(lose(tx, otherProof()).tx).toBe(tx)
  })
})
