import { expect, test } from 'vitest'
import {
  allocated,
  attemptOf,
  hashOf,
  inclusionIn,
  refused,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import { STABLE } from '../lane/policy.ts'
import { transition } from './transition.ts'
import type { TxEvent } from './tx-event.ts'

const at = T0 + 10_000
const SEEN: TxEvent = { type: 'preconfirmation.seen', at, hash: hashOf(1), blockNumber: 104, succeeded: false }
const LOST: TxEvent = { type: 'preconfirmation.lost', at, blockNumber: 104 }
const promised = tracking('preconfirmed')

test('it is reported with hash, block and result, and earlier problems are over', () => {
  const { tx, notes } = transition(refused('underpriced'), SEEN, STABLE)
  expect(tx).toMatchObject({ state: 'TRACKING', subState: 'preconfirmed', error: null, refusals: 0, inclusion: null })
  const detail = { hash: hashOf(1), blockNumber: 104, succeeded: false }
  expect(notes).toEqual([{ type: 'preconfirmation.seen', cause: null, detail }])
})

test('bytes that no node has answered for are with one after all', () => {
  expect(transition(allocated(), SEEN, STABLE).tx).toMatchObject({ state: 'TRACKING', submittedAt: at })
})

test('it is reported once, whichever attempt or block shows it next', () => {
  const bumped = tracking('preconfirmed', { attempts: [attemptOf(1), attemptOf(2, 'bump')] })
  expect(transition(bumped, { ...SEEN, hash: hashOf(2), blockNumber: 105 }, STABLE).tx).toBe(bumped)
})

test("a stranger's hash, and bytes of a nonce that was lost, say nothing", () => {
  const pending = tracking('pending')
  expect(transition(pending, { ...SEEN, hash: hashOf(9) }, STABLE).tx).toBe(pending)
  const moved = tracking('pending', { nonce: 8, attempts: [attemptOf(1), attemptOf(2, 'original', 8)] })
  expect(transition(moved, SEEN, STABLE).tx).toBe(moved)
})

test('a STUCK transaction still waits for a block', () => {
  for (const cause of ['no_inclusion', 'rejected_by_node', 'foreign_nonce'] as const) {
    const tx = stuck(cause)
    expect(transition(tx, SEEN, STABLE).tx).toBe(tx)
  }
})

test('an inclusion replaces it; a reorg restores what is true then', () => {
  const mined = transition(promised, { type: 'inclusion.seen', at, inclusion: inclusionIn(104) }, STABLE).tx
  expect(mined).toMatchObject({ subState: 'mined', inclusion: { blockNumber: 104 } })
  const { blockHash } = inclusionIn(104)
  expect(transition(mined, { type: 'inclusion.reorged', at, blockHash }, STABLE).tx).toMatchObject({
    subState: 'reorged',
  })
})

test('lost, the same bytes are due at once', () => {
  const { tx, notes } = transition(promised, LOST, STABLE)
  expect(tx).toMatchObject({ state: 'TRACKING', subState: 'stale', nextResubmitAt: at })
  expect(notes).toMatchObject([{ type: 'preconfirmation.lost', detail: { blockNumber: 104 } }])
})

test.each(['accepted', 'already_known', 'nonce_too_low'] as const)('the answer %s leaves it as it is', (type) => {
  const outcome = type === 'nonce_too_low' ? { type, message: 'nonce too low' } : { type }
  const { tx } = transition(promised, { type: 'broadcast.answered', at, hash: hashOf(1), outcome }, STABLE)
  expect(tx.subState).toBe('preconfirmed')
})

test('a refusal takes it away', () => {
  const outcome = { type: 'underpriced', message: 'transaction underpriced' } as const
  const { tx } = transition(promised, { type: 'broadcast.answered', at, hash: hashOf(1), outcome }, STABLE)
  expect(tx).toMatchObject({ subState: 'rejected_by_node', refusals: 1 })
})

test('it is not marked stuck, nor blocked by a lower nonce, while it is preconfirmed', () => {
  for (const blockedByNonce of [null, 5]) {
    const late = promised.waitingSince + STABLE.stuckAfterMs
    expect(transition(promised, { type: 'time.passed', at: late, blockedByNonce }, STABLE).tx).toBe(promised)
  }
})
