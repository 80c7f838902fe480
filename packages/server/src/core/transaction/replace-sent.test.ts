import { describe, expect, test } from 'vitest'
import {
  allocated,
  attemptOf,
  hashOf,
  mined,
  otherProof,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import type { SendOutcome } from '../chain/send-outcome.ts'
import { FAST, type Policy, STABLE } from '../lane/policy.ts'
import { FILL_PRIORITY } from './fill.ts'
import type { InFlight, Transaction } from './transaction.ts'
import { transition } from './transition.ts'
import type { TxEvent } from './tx-event.ts'

const at = T0 + 90_000
const by = { actor: 'ann', reason: 'drill' }
const CANCEL = { type: 'operator.cancelled', at, by } as const
const SPEED_UP = { type: 'operator.sped_up', at, by } as const
const LATE = { type: 'deadline.passed', at } as const
const CAPPED = { type: 'fee.capped', at, neededWei: 9n, capWei: 8n } as const

function added(kind: 'bump' | 'cancel', number = 2): TxEvent {
  return { type: 'attempt.added', at, attempt: attemptOf(number, kind) }
}

function move(tx: Transaction, event: TxEvent, policy = FAST) {
  return transition(tx, event, policy)
}

const NEVER: Policy = { ...STABLE, mayReplace: 'never' }

describe('where replacements wait for an order', () => {
  test('a deadline replaces nothing, and other bytes are signed only on request', () => {
    const sent = tracking('pending')
    expect(move(sent, LATE, STABLE).tx).toBe(sent)
    expect(move(sent, added('bump'), STABLE).tx).toBe(sent)
    expect(move(move(sent, SPEED_UP, STABLE).tx, added('bump'), STABLE).tx).toMatchObject({
      requestedReplacement: 'none',
      subState: 'stale',
    })
  })

  test('an order counts once, but an empty transaction is carried through', () => {
    const bumped = move(move(tracking('pending'), SPEED_UP, STABLE).tx, added('bump'), STABLE).tx
    expect(move(bumped, added('bump', 3), STABLE).tx).toBe(bumped)
    const cancelled = move(move(tracking('pending'), CANCEL, STABLE).tx, added('cancel'), STABLE).tx
    expect(move(cancelled, added('cancel', 3), STABLE).tx.attempts).toHaveLength(3)
  })

  test('a stuck transaction continues with the requested bytes', () => {
    const ordered = move(stuck('no_inclusion'), CANCEL, STABLE).tx
    expect(move(ordered, added('cancel'), STABLE).tx).toMatchObject({ state: 'TRACKING', requestedReplacement: 'none' })
  })
})

describe('a bump that is not signed', () => {
  const refuse = (code: string): TxEvent => ({ type: 'bump.refused', at, error: { code, message: 'no' } })
  const answer = (outcome: SendOutcome): TxEvent => ({ type: 'broadcast.answered', at, hash: hashOf(1), outcome })

  test('keeps its reason while nodes refuse the bytes that are out, until there is a new attempt', () => {
    const unbumped = move(tracking('stale'), refuse('bump_unaffordable')).tx
    const again = move(unbumped, answer({ type: 'underpriced', message: 'too low' })).tx
    expect(again.error).toMatchObject({ code: 'underpriced', unraised: { code: 'bump_unaffordable' } })
    // It is known, so it is not reported again.
    expect(move(again, refuse('bump_unaffordable')).tx).toBe(again)
    const twice = move(again, answer({ type: 'underpriced', message: 'too low' })).tx
    expect(twice.error).toMatchObject({ code: 'underpriced', unraised: { code: 'bump_unaffordable' } })
    expect(move(twice, answer({ type: 'accepted' })).tx.error).toMatchObject({ code: 'bump_unaffordable' })
    expect(move(twice, added('bump')).tx.error).toBeNull()
  })

  test('for its cap: the same', () => {
    const again = move(move(tracking('stale'), CAPPED).tx, answer({ type: 'underpriced', message: 'too low' })).tx
    expect(again).toMatchObject({ subState: 'rejected_by_node', error: { unraised: { code: 'fee_above_cap' } } })
    // It is known, so it is not reported again, and what the node said stays.
    expect(move(again, CAPPED)).toEqual({ tx: again, notes: [], effects: [] })
    expect(move(again, answer({ type: 'accepted' })).tx).toMatchObject({
      subState: 'fee_above_cap',
      error: { code: 'fee_above_cap' },
    })
  })

  test('for another cap: that is news', () => {
    const capped = (perGas: string): TxEvent => ({
      ...CAPPED,
      limit: { source: 'signer_per_gas', perGas, enough: '9' },
    })
    const again = move(move(tracking('stale'), capped('8')).tx, answer({ type: 'underpriced', message: 'too low' })).tx
    expect(move(again, capped('8')).tx).toBe(again)
    expect(move(again, capped('7'))).toMatchObject({
      tx: { subState: 'fee_above_cap', error: { code: 'fee_above_cap', limit: { perGas: '7' } } },
      notes: [{ type: 'fee.capped' }],
    })
  })

  test('for its cap, while it waits for its empty transaction: the cap stays its error, or it is not sent again', () => {
    const cancelled = move(tracking('stale'), CANCEL).tx
    const again = move(move(cancelled, CAPPED).tx, answer({ type: 'underpriced', message: 'too low' })).tx
    expect(again.error).toMatchObject({ code: 'underpriced', unraised: { code: 'fee_above_cap' } })
    expect(move(again, CAPPED).tx).toMatchObject({ subState: 'fee_above_cap', error: { code: 'fee_above_cap' } })
  })

  test('is reported once per reason, ends the request, and stays reported while the same bytes are resent', () => {
    const wished = tracking('pending', { requestedReplacement: 'speed_up' })
    const refused = move(wished, refuse('bump_would_revert')).tx
    expect(refused).toMatchObject({
      requestedReplacement: 'none',
      error: { code: 'bump_would_revert' },
      subState: 'pending',
    })
    expect(move(refused, refuse('bump_would_revert')).tx).toBe(refused)
    expect(move(refused, refuse('bump_unaffordable')).tx.error?.code).toBe('bump_unaffordable')
    const taken: TxEvent = { type: 'broadcast.answered', at, hash: attemptOf(1).hash, outcome: { type: 'accepted' } }
    expect(move(refused, taken).tx.error?.code).toBe('bump_would_revert')
    expect(move(refused, added('bump')).tx.error).toBeNull()
  })
})

describe('a requested replacement', () => {
  test.each([
    ['speed-up', SPEED_UP, 'speed_up'],
    ['cancel', CANCEL, 'cancel'],
    ['a deadline', LATE, 'cancel'],
  ] as const)('%s is kept for the owner of the lane, and sends nothing by itself', (_, event, wish) => {
    for (const tx of [allocated(), tracking('pending'), stuck('no_inclusion')]) {
      const step = move(tx, event)
      expect(step.tx).toEqual({ ...tx, requestedReplacement: wish })
      expect(step.effects).toEqual([])
    }
  })

  test('is nothing where policy never replaces, in a block, or past a foreign transaction', () => {
    for (const event of [SPEED_UP, CANCEL, LATE]) {
      expect(move(tracking('pending'), event, NEVER).tx).toEqual(tracking('pending'))
      for (const tx of [mined(), stuck('foreign_nonce')]) expect(move(tx, event).tx).toBe(tx)
    }
  })

  test('to cancel overrides one to speed up, but not the other way round', () => {
    expect(move(tracking('pending', { requestedReplacement: 'speed_up' }), CANCEL).tx).toMatchObject({
      requestedReplacement: 'cancel',
    })
    const cancelling = tracking('pending', { requestedReplacement: 'cancel' })
    expect(move(cancelling, SPEED_UP).tx).toBe(cancelling)
  })

  test('to cancel ends a suspension, since cancelling means sending', () => {
    expect(move(tracking('suspended', { suspended: true }), CANCEL).tx).toMatchObject({
      suspended: false,
      subState: 'stale',
      requestedReplacement: 'cancel',
    })
  })

  test('a fill is not cancelled: it is empty already', () => {
    const fill = tracking('pending', { intent: { ...tracking('pending').intent, priority: FILL_PRIORITY } })
    for (const event of [CANCEL, LATE]) expect(move(fill, event).tx).toBe(fill)
  })

  test('survives an inclusion that is withdrawn', () => {
    const wished = tracking('pending', { requestedReplacement: 'cancel' })
    const seen = move(wished, { type: 'inclusion.seen', at, inclusion: inclusionOfFirst() }).tx
    const gone = move(seen, { type: 'inclusion.reorged', at, blockHash: inclusionOfFirst().blockHash }).tx
    expect(gone).toMatchObject({ subState: 'reorged', requestedReplacement: 'cancel' })
  })
})

function inclusionOfFirst() {
  const { inclusion } = mined()
  if (inclusion === null) throw new Error('a mined one has an inclusion')
  return inclusion
}

describe('a new attempt', () => {
  test('joins the earlier ones and is sent; the request that it fulfils is over', () => {
    const step = move(tracking('pending', { requestedReplacement: 'speed_up' }), added('bump'))
    expect(step.tx).toMatchObject({
      requestedReplacement: 'none',
      subState: 'stale',
      attempts: [{ kind: 'original' }, { kind: 'bump' }],
    })
    expect(step.effects).toEqual([{ type: 'broadcast' }])
    expect(move(tracking('pending', { requestedReplacement: 'cancel' }), added('bump')).tx).toMatchObject({
      requestedReplacement: 'cancel',
    })
    expect(move(tracking('pending', { requestedReplacement: 'cancel' }), added('cancel')).tx).toMatchObject({
      requestedReplacement: 'none',
    })
  })

  test('gives what was stuck a fresh start, and others no more time than they had', () => {
    expect(move(stuck('no_inclusion'), added('bump')).tx).toMatchObject({ state: 'TRACKING', waitingSince: at })
    const waiting = tracking('pending')
    expect(move(waiting, added('bump')).tx).toMatchObject({ waitingSince: waiting.waitingSince })
  })

  test.each<[string, InFlight, TxEvent]>([
    ['of another nonce', tracking('pending'), { type: 'attempt.added', at, attempt: attemptOf(2, 'bump', 8) }],
    ['that is there already', tracking('pending'), added('bump', 1)],
    ['for what is in a block', mined(), added('bump')],
    ['for what is suspended', tracking('suspended', { suspended: true }), added('bump')],
  ])('%s changes nothing', (_, tx, event) => {
    expect(move(tx, event).tx).toBe(tx)
    expect(move(tracking('pending'), added('bump'), STABLE).effects).toEqual([])
  })

  test('whichever is mined counts: a cancel ends it as CANCELLED, and says so if it was too late', () => {
    const both = tracking('pending', { attempts: [attemptOf(1), { ...attemptOf(2, 'cancel'), createdAt: at }] })
    const { blockHash } = inclusionOfFirst()
    const finish = (number: number) => {
      const inclusion = { ...inclusionOfFirst(), txHash: hashOf(number) }
      const seen = move(both, { type: 'inclusion.seen', at, inclusion }).tx
      return move(seen, { type: 'finality.reached', at, blockHash, confirmations: [] }).tx
    }
    expect(finish(1)).toMatchObject({ state: 'CONFIRMED', error: null })
    expect(finish(2)).toMatchObject({ state: 'CANCELLED', subState: 'cancelled', error: { code: 'expired' } })
  })
})

describe('the cap', () => {
  test('is reported once, and stays reported when a node accepts the same bytes again', () => {
    const step = move(tracking('pending'), CAPPED)
    expect(step.tx).toMatchObject({ subState: 'fee_above_cap', error: { code: 'fee_above_cap' } })
    expect(step.effects).toEqual([])
    expect(move(step.tx, CAPPED).tx).toBe(step.tx)
    const accepted = { type: 'broadcast.answered', at, hash: hashOf(1), outcome: { type: 'accepted' } } as const
    expect(move(step.tx, accepted).tx).toMatchObject({ subState: 'fee_above_cap', error: { code: 'fee_above_cap' } })
    expect(move(step.tx, added('bump')).tx).toMatchObject({ subState: 'stale', error: null })
  })
})

test('what was to be cancelled is not queued again when a foreign transaction took its nonce', () => {
  const lost = { type: 'nonce.lost', at, proof: otherProof() } as const
  const step = move(tracking('pending', { requestedReplacement: 'cancel' }), lost)
  expect(step.tx).toMatchObject({ state: 'CANCELLED', nonce: null, error: { code: 'foreign_nonce' } })
  expect(step.effects).toEqual([{ type: 'nonce.used' }])
  expect(move(tracking('pending'), lost).tx).toMatchObject({ state: 'QUEUED' })
})
