/** Laws that hold on every walk of events, however late, repeated or misplaced they are. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyEvent, anyPolicy, anyWalk, type Move, meetTransactions } from '../../testing/core/random-walk.ts'
import { NONCE, otherProof, proofOf, T0 } from '../../testing/core/sample-transactions.ts'
import { judgeNonceUser, type NonceUser } from '../lane/nonce-user.ts'
import { allowedActions, type OperatorAction } from './allowed-actions.ts'
import { isFill } from './fill.ts'
import { isOrdered } from './replace-sent.ts'
import {
  inclusionOf,
  isCancelling,
  isInFlight,
  isTerminal,
  nonceOf,
  type SubState,
  type Transaction,
  type TxState,
} from './transaction.ts'
import { transition } from './transition.ts'
import type { TxEvent } from './tx-event.ts'

function forEveryMove(check: (move: Move, policy: Parameters<typeof transition>[2]) => void): void {
  const property = fc.property(anyWalk, ({ moves, policy }) => {
    for (const move of moves) check(move, policy)
  })
  fc.assert(property, { numRuns: 200 })
}

const BASE = ['id', 'intent', 'version', 'state', 'subState', 'error', 'suspended', 'createdAt', 'attempts']
const SIGNED = [
  ...BASE,
  ...['nonce', 'fence', 'nodeId', 'allocatedAt', 'waitingSince', 'submittedAt', 'lastSubmitAt', 'submitCount'],
  ...['refusals', 'nextResubmitAt', 'newForks', 'requestedReplacement', 'mayBeHeld', 'refusal'],
]
const PROVEN = [...SIGNED, 'inclusion', 'confirmations', 'minedAt', 'finalAt']
const DROPPED = [...BASE, 'nonce', 'finalAt']
const REFUSED: readonly SubState[] = [
  ...(['waiting_for_funds', 'rejected_by_node', 'making_way', 'blocked_by_predecessor', 'fee_above_cap'] as const),
]

function fieldsOf(tx: Transaction): readonly string[] {
  const fields: Readonly<Record<TxState, readonly string[]>> = {
    QUEUED: [...BASE, 'retryAt', 'prepareFailures'],
    ALLOCATED: SIGNED,
    TRACKING: [...SIGNED, 'inclusion', 'minedAt'],
    STUCK: [...SIGNED, 'stuckAt'],
    CONFIRMED: PROVEN,
    FAILED_FINAL: PROVEN,
    CANCELLED: nonceOf(tx) === null ? DROPPED : PROVEN,
    EXPIRED: DROPPED,
  }
  return fields[tx.state]
}

/** What a transaction may be found in; `mined` is apart, since it needs an inclusion. */
const SUB_STATES_OF: Readonly<Record<TxState, readonly SubState[]>> = {
  QUEUED: [
    ...(['accepted', 'suspended', 'waiting_for_node', 'waiting_for_predecessor'] as const),
    ...(['waiting_for_funds', 'fee_above_cap'] as const),
  ],
  ALLOCATED: ['signed', 'suspended', ...REFUSED],
  TRACKING: ['pending', 'preconfirmed', 'stale', 'reorged', 'suspended', 'mined', ...REFUSED],
  STUCK: ['rejected_by_node', 'no_inclusion', 'foreign_nonce'],
  CONFIRMED: ['final', 'resolved'],
  FAILED_FINAL: ['final', 'resolved'],
  CANCELLED: ['rejected', 'cancelled', 'replaced'],
  EXPIRED: ['expired'],
}

test('the walks go everywhere: each state and sub-state is met', () => {
  const met = new Set(meetTransactions().map((tx) => `${tx.state}/${tx.subState}`))
  const all = Object.entries(SUB_STATES_OF).flatMap(([state, subs]) => subs.map((sub) => `${state}/${sub}`))
  expect([...met].sort()).toEqual(all.sort())
})

test('a state has exactly the fields that its type demands, and a sub-state that belongs to it', () => {
  forEveryMove(({ step: { tx } }) => {
    expect(Object.keys(tx).sort()).toEqual([...fieldsOf(tx)].sort())
    expect(SUB_STATES_OF[tx.state]).toContain(tx.subState)
    if (tx.state === 'TRACKING') {
      expect(tx.subState === 'mined').toBe(tx.inclusion !== null)
      expect(tx.minedAt === null).toBe(tx.inclusion === null)
    }
    if (tx.state === 'QUEUED' || (isInFlight(tx) && tx.state !== 'STUCK' && inclusionOf(tx) === null)) {
      expect(tx.subState === 'suspended').toBe(tx.suspended)
    }
  })
})

test('a nonce never changes, and is given up only to a foreign transaction or by a refusal that proves it unused [G1]', () => {
  forEveryMove(({ before, event, step: { tx, effects } }, policy) => {
    if (!isInFlight(before)) return
    if (tx.state === 'CANCELLED' && tx.nonce === null && tx.subState === 'replaced') {
      expect(before).toMatchObject({ state: 'STUCK', subState: 'foreign_nonce' })
      expect(event).toMatchObject({ type: 'operator.closed' })
    } else if (tx.state === 'CANCELLED' && tx.nonce === null) {
      const isFreed = effects.some((effect) => effect.type === 'nonce.freed')
      expect(event.type).toBe(isFreed ? 'broadcast.answered' : 'nonce.lost')
      if (!isFreed) {
        expect(policy.mayReplace).not.toBe('never')
        expect(isCancelling(before)).toBe(true)
      } else {
        expect(policy.mayReplace).toBe('automatic')
        expect(event).toMatchObject({ outcome: { type: 'invalid', reason: 'gas_too_low' } })
        expect(before).toMatchObject({ state: 'ALLOCATED', submitCount: 0, mayBeHeld: false })
        expect(before.attempts.filter((attempt) => attempt.nonce === before.nonce)).toMatchObject([
          { gasLimit: 20_000n },
        ])
      }
    } else if (tx.state === 'QUEUED') {
      if (before.refusal?.mayPass) expect(['nonce.lost', 'finality.reached']).toContain(event.type)
      else if (event.type === 'operator.requeued') expect(before.subState).toBe('foreign_nonce')
      else if (policy.onForeignNonce === 'requeue') expect(event.type).toBe('nonce.lost')
      else expect(event.type === 'nonce.lost' && judgeNonceUser(before, event.proof.user)).toBe('earlier')
    } else {
      expect(nonceOf(tx)).toBe(before.nonce)
      expect(tx).toMatchObject({ fence: before.fence, nodeId: before.nodeId, allocatedAt: before.allocatedAt })
    }
  })
})

test('what ends CANCELLED on the chain had an empty transaction mined, and what ends otherwise had none', () => {
  forEveryMove(({ step: { tx } }) => {
    if (!isTerminal(tx) || tx.nonce === null) return
    const { kind } = tx.attempts.find(({ hash }) => hash === tx.inclusion.txHash) ?? {}
    expect(kind === 'cancel').toBe(tx.state === 'CANCELLED')
  })
})

test('it makes way only where policy may replace, never if it is empty itself, and no longer than it is in flight', () => {
  forEveryMove(({ before, step: { tx } }, policy) => {
    if (!('refusal' in tx) || tx.refusal === null) return
    expect(isInFlight(tx)).toBe(true)
    expect(isInFlight(tx) && isCancelling(tx)).toBe(true)
    if ('refusal' in before && before.refusal !== null) return
    expect(policy.mayReplace).toBe('automatic')
    expect(isFill(tx.intent)).toBe(false)
  })
})

test('a terminal state never changes [G3]', () => {
  forEveryMove(({ before, step }) => {
    if (isTerminal(before)) expect(step).toEqual({ tx: before, notes: [], effects: [] })
    if (isTerminal(before)) expect(step.tx).toBe(before)
  })
})

test('attempts only grow, and identity, intent and version are never touched', () => {
  forEveryMove(({ before, event, step: { tx } }) => {
    const grown = event.type === 'nonce.allocated' && before.state === 'QUEUED' && !before.suspended ? 1 : 0
    const replaced = event.type === 'attempt.added' && tx !== before ? 1 : 0
    expect(tx.attempts).toHaveLength(before.attempts.length + grown + replaced)
    expect(tx.attempts.slice(0, before.attempts.length)).toEqual(before.attempts)
    expect(tx.version).toBe(before.version)
    expect(tx.intent).toBe(before.intent)
    expect([tx.id, tx.createdAt]).toEqual([before.id, before.createdAt])
  })
})

test('an inclusion belongs to an attempt at the nonce it has, or to a foreign transaction that did the same', () => {
  forEveryMove(({ before, event, step: { tx } }) => {
    const inclusion = inclusionOf(tx)
    if (inclusion === null || tx === before) return
    const match = tx.attempts.find((attempt) => attempt.hash === inclusion.txHash && attempt.nonce === nonceOf(tx))
    if (match !== undefined || !('proof' in event)) return expect(match).toBeDefined()
    const { user } = event.proof
    const { to, data, value, lane } = tx.intent
    expect(user).toMatchObject({ to, data, value, chainId: lane.chainId, from: lane.signer, nonce: nonceOf(tx) })
    expect(user.isPlain).toBe(true)
    expect(user.minedAt).toBeGreaterThanOrEqual(tx.createdAt)
    expect(tx.state).toBe(user.inclusion.succeeded ? 'CONFIRMED' : 'FAILED_FINAL')
  })
})

test('a nonce lost to a transaction that did something else never ends in success, and one that did the same is never sent again [G3]', () => {
  forEveryMove(({ before, event, step: { tx } }) => {
    if (!('proof' in event) || !isInFlight(before) || tx === before) return
    const verdict = judgeNonceUser(before, event.proof.user)
    expect(verdict).not.toBe('stranger')
    if (verdict === 'other' || verdict === 'earlier') expect(['CONFIRMED', 'FAILED_FINAL']).not.toContain(tx.state)
    if (verdict === 'same' || verdict === 'ours') expect(tx.state).not.toBe('QUEUED')
  })
})

test('where replacements wait for an order, other bytes are signed only for what was ordered', () => {
  forEveryMove(({ before, event, step: { tx } }, policy) => {
    if (event.type !== 'attempt.added' || tx === before) return
    expect(policy.mayReplace).not.toBe('never')
    if (policy.mayReplace === 'on_order') expect(isInFlight(before) && isOrdered(before)).toBe(true)
  })
})

test('a preconfirmation is of bytes at the nonce it has, and concludes nothing', () => {
  forEveryMove(({ before, event, step: { tx, effects } }) => {
    if (event.type !== 'preconfirmation.seen' || tx === before) return
    expect(tx).toMatchObject({ state: 'TRACKING', subState: 'preconfirmed', inclusion: null, minedAt: null })
    expect(tx.attempts.some(({ hash, nonce }) => hash === event.hash && nonce === nonceOf(tx))).toBe(true)
    expect(before.state).not.toBe('STUCK')
    expect(effects).toEqual([])
  })
})

test('an answer that is not clear concludes nothing and frees nothing [G4]', () => {
  forEveryMove(({ before, event, step: { tx, effects } }, policy) => {
    if (event.type !== 'broadcast.answered' || !isInFlight(before) || tx === before) return
    if (event.outcome.type !== 'ambiguous' && event.outcome.type !== 'rate_limited') return
    const sends = { lastSubmitAt: event.at, submitCount: before.submitCount + 1 }
    const mayBeHeld = before.mayBeHeld || event.outcome.type === 'ambiguous'
    expect(tx).toEqual({ ...before, ...sends, mayBeHeld, nextResubmitAt: expect.any(Number) })
    expect(effects).toEqual([])
    if ('nextResubmitAt' in tx) expect(tx.nextResubmitAt).toBeLessThanOrEqual(event.at + policy.resubmitIntervalMs)
  })
})

test('only refusals count as refusals', () => {
  const others = ['accepted', 'already_known', 'nonce_too_low', 'ambiguous', 'rate_limited', 'nonce_gap']
  forEveryMove(({ before, event, step: { tx } }) => {
    if (!isInFlight(before) || !isInFlight(tx) || tx.refusals <= before.refusals) return
    expect(tx.refusals).toBe(before.refusals + 1)
    expect(event.type).toBe('broadcast.answered')
    if (event.type === 'broadcast.answered') expect(others).not.toContain(event.outcome.type)
  })
})

test('STUCK is never entered without an alarm, never without a named cause, and alarms mean nothing else [G3]', () => {
  forEveryMove(({ before, step: { tx, effects, notes } }) => {
    const alarms = effects.flatMap((effect) => (effect.type === 'alarm' ? [effect.cause] : []))
    if (tx.state === 'STUCK') expect(tx.error?.code).toMatch(/^[a-z_]+$/)
    if (tx.state === 'STUCK' && before.state !== 'STUCK') {
      expect(alarms).toEqual([tx.error?.code])
      expect(notes).toMatchObject([{ type: 'stuck.declared', cause: tx.error?.code }])
    }
    if (tx.state !== 'STUCK') expect(alarms).toEqual([])
  })
})

test('a nonce is reported as used, or free, exactly when its transaction is in flight no more', () => {
  forEveryMove(({ before, step: { tx, effects } }) => {
    const ends = effects.filter((effect) => effect.type === 'nonce.used' || effect.type === 'nonce.freed')
    expect(ends).toHaveLength(isInFlight(before) && !isInFlight(tx) ? 1 : 0)
  })
})

test('nothing is sent for a transaction that is suspended, mined, or without a nonce', () => {
  forEveryMove(({ step: { tx, effects } }) => {
    if (!effects.some((effect) => effect.type === 'broadcast')) return
    expect(isInFlight(tx)).toBe(true)
    expect(tx.suspended).toBe(false)
    expect(inclusionOf(tx)).toBeNull()
  })
})

test('every change leaves a note, and no change leaves neither note nor effect', () => {
  forEveryMove(({ before, step: { tx, notes, effects } }) => {
    if (tx === before) expect([notes, effects]).toEqual([[], []])
    else {
      expect(notes).toHaveLength(1)
      expect(notes[0]?.type).toMatch(/^[a-z]+\.[a-z_]+$/)
      if (tx.state !== before.state) expect(notes[0]?.detail).not.toEqual({})
    }
  })
})

/** Each answer is a send of its own and each fork a report of its own: these count. */
const COUNTED: readonly TxEvent['type'][] = ['broadcast.answered', 'confirmations.replaced']

test('an event that is repeated at once changes nothing more', () => {
  forEveryMove(({ event, step: { tx } }, policy) => {
    if (COUNTED.includes(event.type)) return
    expect(transition(tx, event, policy).tx).toEqual(tx)
  })
})

test('the same transaction and event give the same step', () => {
  const property = fc.property(anyWalk, anyEvent, anyPolicy, ({ moves }, event, policy) => {
    const tx = moves.at(-1)?.step.tx
    if (tx === undefined) return
    expect(transition(structuredClone(tx), event, policy)).toEqual(transition(tx, event, policy))
  })
  fc.assert(property)
})

test('an operator may do exactly what would have an effect', () => {
  const act = { at: T0 + 50_000, by: { actor: 'ann', reason: 'drill' } }
  const eventsFor = (user: Partial<NonceUser>): Readonly<Record<OperatorAction, TxEvent>> => ({
    suspend: { type: 'operator.suspended', ...act },
    resume: { type: 'operator.resumed', ...act },
    retry: { type: 'operator.retried', ...act },
    cancel: { type: 'operator.cancelled', ...act },
    'speed-up': { type: 'operator.sped_up', ...act },
    resolve: { type: 'operator.resolved', ...act, proof: proofOf(user) },
    requeue: { type: 'operator.requeued', ...act, proof: otherProof(user) },
    close: { type: 'operator.closed', ...act, proof: otherProof(user) },
  })
  forEveryMove(({ step: { tx } }, policy) => {
    const verdicts = allowedActions(tx, policy)
    const events = eventsFor({ nonce: nonceOf(tx) ?? NONCE, minedAt: T0 + 3_000_000 })
    for (const [action, event] of Object.entries(events) as [OperatorAction, TxEvent][]) {
      expect([action, verdicts[action].allowed]).toEqual([action, transition(tx, event, policy).tx !== tx])
    }
  })
})
