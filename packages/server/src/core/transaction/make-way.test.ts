import { describe, expect, test } from 'vitest'
import {
  allocated,
  attemptOf,
  hashOf,
  inclusionIn,
  otherProof,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import type { SendOutcome } from '../chain/send-outcome.ts'
import { FAST, STABLE } from '../lane/policy.ts'
import { FILL_PRIORITY } from './fill.ts'
import { type InFlight, lacksEmpty, type Refusal, type Transaction } from './transaction.ts'
import { transition } from './transition.ts'
import type { TxEvent } from './tx-event.ts'

const at = T0 + 50_000
const message = 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)'
const REFUSED: SendOutcome = { type: 'refused', reason: 'node_fee_cap', message }
const INVALID: SendOutcome = { type: 'invalid', reason: 'gas_too_low', message: 'intrinsic gas too low' }
const REFUSAL: Refusal = { code: 'rejected', message: 'refused', reason: message, mayPass: false }
const TOO_LITTLE_GAS = [{ ...attemptOf(1), gasLimit: 20_000n }]
const BOTH = [attemptOf(1), attemptOf(2, 'cancel')]

function answer(outcome: SendOutcome, number = 1): TxEvent {
  return { type: 'broadcast.answered', at, hash: hashOf(number), outcome }
}

function move(tx: Transaction, event: TxEvent, policy = FAST) {
  return transition(tx, event, policy)
}

/** What the chain makes of one of its attempts. */
function finish(tx: Transaction, number: number) {
  const inclusion = inclusionIn(100, { txHash: hashOf(number) })
  const mined = move(tx, { type: 'inclusion.seen', at, inclusion }).tx
  return move(mined, { type: 'finality.reached', at, blockHash: inclusion.blockHash, confirmations: [] })
}

describe('proof', () => {
  test('ends the transaction at once and frees its nonce: invalid to every node, by our own count, first answer', () => {
    const step = move(allocated({ attempts: TOO_LITTLE_GAS }), answer(INVALID))
    expect(step.tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: null })
    expect(step.tx.error).toMatchObject({ code: 'rejected', reason: 'intrinsic gas too low' })
    expect(step.effects).toEqual([{ type: 'nonce.freed' }])
  })

  test.each<[string, InFlight, SendOutcome]>([
    ["a node's own rule", allocated(), REFUSED],
    ['a lie about the gas', allocated(), INVALID],
    ['a node that cannot read our bytes', allocated(), { type: 'invalid', reason: 'malformed', message }],
  ])('is not %s: it keeps its nonce and makes way', (_, tx, outcome) => {
    const step = move(tx, answer(outcome))
    expect(step.tx).toMatchObject({ state: 'ALLOCATED', subState: 'making_way', nonce: 7, refusal: { mayPass: false } })
    expect(step.tx.error).toMatchObject({ code: 'rejected', reason: 'message' in outcome && outcome.message })
    expect(step.effects).toEqual([])
    expect(step.notes).toMatchObject([{ type: 'way.made', detail: { nonce: 7 } }])
  })

  test.each<[string, InFlight]>([
    ['a second answer', allocated({ attempts: TOO_LITTLE_GAS, submitCount: 1 })],
    ['what may have been sent without an answer', allocated({ attempts: TOO_LITTLE_GAS, mayBeHeld: true })],
    ['what a node once had', tracking('pending', { attempts: TOO_LITTLE_GAS })],
  ])('is not %s', (_, tx) => {
    expect(move(tx, answer(INVALID)).tx).toMatchObject({ state: tx.state, nonce: 7 })
  })

  test('after a second send, no refusal counts as proof', () => {
    const resent = move(allocated({ attempts: TOO_LITTLE_GAS }), { type: 'resubmit.claimed', at }).tx
    expect(resent).toMatchObject({ mayBeHeld: true })
    expect(move(resent, answer(INVALID)).tx).toMatchObject({ state: 'ALLOCATED', nonce: 7 })
  })
})

describe('patience', () => {
  test('what a node may hold makes way after three refusals in a row, and an answer in between starts anew', () => {
    let tx: Transaction = tracking('pending')
    for (const refusals of [1, 2]) {
      tx = move(tx, answer(REFUSED)).tx
      expect(tx).toMatchObject({ state: 'TRACKING', subState: 'rejected_by_node', refusal: null, refusals })
    }
    expect(move(move(tx, answer({ type: 'already_known' })).tx, answer(REFUSED)).tx).toMatchObject({ refusal: null })
    expect(move(tx, answer(REFUSED)).tx).toMatchObject({ subState: 'making_way', refusal: { code: 'rejected' } })
  })

  test('while some nodes are away, one that refuses by its own rules does not decide for them at once', () => {
    let tx: Transaction = allocated()
    for (let count = 0; count < 4; count++) {
      tx = move(tx, answer({ ...REFUSED, isPartial: true })).tx
      expect(tx).toMatchObject({ refusal: null, error: { message: expect.stringContaining('that answered') } })
    }
    expect(move(tx, answer({ type: 'accepted' })).tx).toMatchObject({ state: 'TRACKING', refusal: null })
    expect(move(tx, answer({ ...REFUSED, isPartial: true })).tx).toMatchObject({ refusal: { code: 'rejected' } })
  })

  test('each of its own bytes is tried before it makes way', () => {
    const tx = allocated({ attempts: [attemptOf(1), attemptOf(2, 'bump')] })
    const once = move(tx, answer(REFUSED, 2)).tx
    expect(once).toMatchObject({ refusal: null })
    expect(move(once, answer(REFUSED, 1)).tx).toMatchObject({ subState: 'making_way' })
  })

  test('a node has its bytes after all, before the empty ones are signed: it continues as usual', () => {
    const tx = move(allocated(), answer(REFUSED)).tx
    expect(move(tx, answer({ type: 'accepted' })).tx).toMatchObject({
      state: 'TRACKING',
      subState: 'pending',
      refusal: null,
      error: null,
    })
  })
})

test.each<[string, InFlight, typeof FAST]>([
  ['policy never replaces', allocated(), STABLE],
  ['it is empty itself', allocated({ intent: { ...allocated().intent, priority: FILL_PRIORITY } }), FAST],
  ['an operator cancels it', allocated({ requestedReplacement: 'cancel' }), FAST],
  ['it waits for an operator', stuck('no_inclusion'), FAST],
])('it does not make way where %s', (_, tx, policy) => {
  expect(move(tx, answer(REFUSED), policy).tx).toMatchObject({ refusal: null, nonce: 7 })
  const byPrice: TxEvent = { type: 'way.made', at, message: 'too cheap', mayPass: false }
  expect(move(tx, byPrice, policy).tx).toBe(tx)
})

test('a transaction STUCK by refusals makes way too, with the empty transaction', () => {
  const tx = move(stuck('rejected_by_node', { refusals: 10 }), answer(REFUSED)).tx
  expect(tx).toMatchObject({ state: 'STUCK', subState: 'rejected_by_node', refusal: { code: 'rejected' } })
  const added: TxEvent = { type: 'attempt.added', at, attempt: attemptOf(2, 'cancel') }
  expect(move(tx, added).tx).toMatchObject({ state: 'TRACKING', subState: 'making_way' })
})

describe('the empty transaction', () => {
  const making = tracking('making_way', { refusal: REFUSAL, attempts: BOTH })

  test('is sent like any other, and explain still says what is going on', () => {
    const added = move(tracking('making_way', { refusal: REFUSAL }), {
      type: 'attempt.added',
      at,
      attempt: attemptOf(2, 'cancel'),
    } as TxEvent)
    expect(added.tx).toMatchObject({ subState: 'making_way', refusal: REFUSAL, error: { code: 'rejected' } })
    expect(added.effects).toEqual([{ type: 'broadcast' }])
    expect(move(added.tx, answer({ type: 'accepted' }, 2)).tx).toMatchObject({
      state: 'TRACKING',
      subState: 'making_way',
      error: { code: 'rejected', reason: message },
    })
  })

  test('mined and final ends it as rejected, with the error of the nodes', () => {
    const { tx, effects } = finish(making, 2)
    expect(tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: 7, refusal: null })
    expect(tx.error).toEqual({ code: 'rejected', message: 'refused', reason: message })
    expect(effects).toEqual([{ type: 'nonce.used' }])
  })

  test('the original in a block after all is what counts', () => {
    expect(finish(making, 1).tx).toMatchObject({ state: 'CONFIRMED', error: null, refusal: null })
  })

  test('a block that held the empty one leaves the chain: the refusal is still known', () => {
    const inclusion = inclusionIn(100, { txHash: hashOf(2) })
    const mined = move(making, { type: 'inclusion.seen', at, inclusion }).tx
    const gone = move(mined, { type: 'inclusion.reorged', at, blockHash: inclusion.blockHash }).tx
    expect(gone).toMatchObject({ subState: 'reorged', refusal: REFUSAL })
    expect(finish(gone, 2).tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
  })

  test('refused itself, it is STUCK only after all attempts that policy allows', () => {
    let tx: Transaction = making
    for (let times = 1; times < FAST.maxSubmitAttempts; times++) tx = move(tx, answer(REFUSED, 2)).tx
    expect(tx).toMatchObject({ state: 'TRACKING' })
    expect(move(tx, answer(REFUSED, 2)).tx).toMatchObject({ state: 'STUCK', error: { code: 'rejected' } })
  })

  test('a foreign transaction with the nonce ends it too', () => {
    const { tx, effects } = move(making, { type: 'nonce.lost', at, proof: otherProof() })
    expect(tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: null, error: { reason: message } })
    expect(effects).toEqual([{ type: 'nonce.used' }])
  })
})

describe('a refusal that may pass', () => {
  const passing = tracking('making_way', { refusal: { ...REFUSAL, mayPass: true }, attempts: BOTH })

  test('brings it back into the queue at its old position, once the empty transaction is final', () => {
    const { tx, effects, notes } = finish(passing, 2)
    expect(tx).toMatchObject({ state: 'QUEUED', subState: 'accepted', error: null, attempts: BOTH })
    expect(effects).toEqual([{ type: 'nonce.used' }])
    expect(notes).toMatchObject([{ type: 'way.settled', cause: 'back_in_line' }])
    expect(move(passing, { type: 'nonce.lost', at, proof: otherProof() }).tx).toMatchObject({ state: 'QUEUED' })
  })

  test('not without end: each time costs an empty transaction', () => {
    const twice = [attemptOf(3, 'cancel', 5), attemptOf(4, 'cancel', 6), ...BOTH]
    expect(finish({ ...passing, attempts: twice }, 2).tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
  })
})

describe('while it makes way', () => {
  const by = { actor: 'ann', reason: 'drill' }
  const passing = tracking('making_way', { refusal: { ...REFUSAL, mayPass: true }, attempts: BOTH })

  test("an operator's cancel is a different end", () => {
    const { tx } = move(passing, { type: 'operator.cancelled', at, by })
    expect(tx).toMatchObject({ refusal: null, requestedReplacement: 'none' })
    expect(finish(tx, 2).tx).toMatchObject({ state: 'CANCELLED', subState: 'cancelled', error: null })
    const unsigned = { ...passing, attempts: [attemptOf(1)] }
    expect(move(unsigned, { type: 'operator.cancelled', at, by }).tx).toMatchObject({
      refusal: null,
      requestedReplacement: 'cancel',
    })
  })

  test('a policy that forbids replacements from now on: its own bytes go out again, unless the empty ones are signed', () => {
    const unsigned = tracking('making_way', { refusal: REFUSAL, attempts: [attemptOf(1)] })
    const { tx, effects } = move(unsigned, { type: 'resubmit.claimed', at }, STABLE)
    expect(tx).toMatchObject({ refusal: null, subState: 'stale' })
    expect(lacksEmpty(tx as InFlight)).toBe(false)
    expect(effects).toEqual([{ type: 'broadcast' }])
    expect(move(passing, { type: 'resubmit.claimed', at }, STABLE).tx).toMatchObject({ refusal: passing.refusal })
  })

  test('a deadline that passes changes nothing: it is on its way out already', () => {
    const late: TxEvent = { type: 'deadline.passed', at: T0 + 90_000 }
    expect(move(passing, late).tx).toBe(passing)
  })
})

describe('a policy that replaces only on order', () => {
  const waits = { refusal: REFUSAL, error: REFUSAL } as const
  const ordered = { actor: 'ann', reason: 'not needed any more' }
  const empty = (tx: Transaction) =>
    move(tx, { type: 'attempt.added', at, attempt: attemptOf(2, 'cancel') }, STABLE).tx.attempts.length

  test('signs no empty transaction for a refusal that nobody answered with an order', () => {
    const tx = allocated({ ...waits, subState: 'making_way' })
    expect(empty(tx)).toBe(1)
    const again = move(tx, { type: 'resubmit.claimed', at }, STABLE).tx
    expect(again).toMatchObject({ subState: 'signed', refusal: null })
  })

  test('continues with one that was sent, or that an operator requested', () => {
    const sent = tracking('making_way', { ...waits, attempts: BOTH })
    expect(move(sent, { type: 'attempt.added', at, attempt: attemptOf(3, 'cancel') }, STABLE).tx.attempts).toHaveLength(
      3,
    )
    const cancelled = move(
      allocated({ ...waits, subState: 'making_way' }),
      { type: 'operator.cancelled', at, by: ordered },
      STABLE,
    ).tx
    expect(cancelled).toMatchObject({ requestedReplacement: 'cancel', refusal: null, subState: 'signed' })
    expect(empty(cancelled)).toBe(2)
  })
})
