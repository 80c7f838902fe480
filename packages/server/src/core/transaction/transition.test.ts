import { describe, expect, test } from 'vitest'
import {
  allocated,
  attemptOf,
  CONFIRMATIONS,
  cancelledOnChain,
  deferred,
  dropped,
  finished,
  hashOf,
  inclusionIn,
  mined,
  NONCE,
  otherProof,
  proofOf,
  queued,
  refused,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import { FAST, type Policy, STABLE } from '../lane/policy.ts'
import type { Transaction } from './transaction.ts'
import { transition } from './transition.ts'
import type { TxEvent } from './tx-event.ts'

/** Long after every sample has waited too long, and past every deadline. */
const at = T0 + 2_000_000
const by = { actor: 'ann', reason: 'drill' }
const error = { code: 'chain_unavailable', message: 'no answer' }
/** Where the mined samples are. */
const { blockHash } = inclusionIn(100)

const SAMPLES = {
  queued: queued(),
  deferred: deferred('waiting_for_funds'),
  queuedSuspended: queued({ suspended: true, subState: 'suspended' }),
  allocated: allocated(),
  allocatedSuspended: allocated({ suspended: true, subState: 'suspended' }),
  pending: tracking('pending'),
  stale: tracking('stale'),
  preconfirmed: tracking('preconfirmed'),
  refused: refused('underpriced'),
  blocked: tracking('blocked_by_predecessor'),
  gap: tracking('blocked_by_predecessor', { error: { code: 'nonce_gap', message: 'gap' } }),
  reorged: tracking('reorged', { newForks: 1 }),
  trackingSuspended: tracking('suspended', { suspended: true }),
  mined: mined(),
  minedSuspended: mined({ suspended: true }),
  stuckRejected: stuck('rejected_by_node'),
  stuckNoInclusion: stuck('no_inclusion'),
  stuckForeign: stuck('foreign_nonce'),
  stuckSuspended: stuck('rejected_by_node', { suspended: true }),
  confirmed: finished('CONFIRMED'),
  failed: finished('FAILED_FINAL'),
  cancelledOnChain: cancelledOnChain(),
  cancelled: dropped('CANCELLED', 'cancelled'),
  expired: dropped('EXPIRED', 'expired'),
} satisfies Record<string, Transaction>

const EVENTS = {
  'prepare.deferred': { type: 'prepare.deferred', at, subState: 'waiting_for_node', error, retryAt: at + 1 },
  'prepare.rejected': { type: 'prepare.rejected', at, error },
  'deadline.passed': { type: 'deadline.passed', at },
  'approval.required': {
    type: 'approval.required',
    at,
    approval: { needs: [{ subject: 'key:0123456789abcdef', of: 1, keys: ['ann'] }], votes: [], expiresAt: at + 1 },
  },
  'approval.given': { type: 'approval.given', at, vote: { keyId: '1', name: 'ann', at, reason: 'checked' } },
  'approval.refused': { type: 'approval.refused', at, by },
  'approval.expired': { type: 'approval.expired', at },
  'nonce.allocated': {
    type: 'nonce.allocated',
    at,
    nonce: NONCE,
    attempt: attemptOf(2),
    fence: 12,
    nodeId: 'node-a',
  },
  'broadcast.answered': { type: 'broadcast.answered', at, hash: hashOf(1), outcome: { type: 'accepted' } },
  'resubmit.claimed': { type: 'resubmit.claimed', at },
  'attempt.added': { type: 'attempt.added', at, attempt: attemptOf(2, 'bump') },
  'way.made': { type: 'way.made', at, message: 'too cheap', mayPass: false },
  'fee.capped': { type: 'fee.capped', at, neededWei: 9n, capWei: 8n },
  'preconfirmation.seen': { type: 'preconfirmation.seen', at, hash: hashOf(1), blockNumber: 104, succeeded: true },
  'preconfirmation.lost': { type: 'preconfirmation.lost', at, blockNumber: 104 },
  'inclusion.seen': { type: 'inclusion.seen', at, inclusion: inclusionIn(100) },
  'inclusion.reorged': { type: 'inclusion.reorged', at, blockHash },
  'confirmations.replaced': { type: 'confirmations.replaced', at, blockHash, confirmations: CONFIRMATIONS },
  'finality.reached': { type: 'finality.reached', at, blockHash, confirmations: CONFIRMATIONS },
  'bump.refused': { type: 'bump.refused', at, error: { code: 'bump_would_revert', message: 'it would revert' } },
  'nonce.lost': { type: 'nonce.lost', at, proof: otherProof() },
  'time.passed': { type: 'time.passed', at, blockedByNonce: null },
  'operator.suspended': { type: 'operator.suspended', at, by },
  'operator.resumed': { type: 'operator.resumed', at, by },
  'operator.retried': { type: 'operator.retried', at, by },
  'operator.cancelled': { type: 'operator.cancelled', at, by },
  'operator.sped_up': { type: 'operator.sped_up', at, by },
  'operator.resolved': { type: 'operator.resolved', at, by, proof: proofOf() },
  'operator.requeued': { type: 'operator.requeued', at, by, proof: otherProof() },
  'operator.closed': { type: 'operator.closed', at, by, proof: otherProof() },
} satisfies { readonly [Type in TxEvent['type']]: TxEvent & { readonly type: Type } }

type SampleName = keyof typeof SAMPLES

/** Nothing is replaced, whoever asks. */
const NEVER: Policy = { ...STABLE, mayReplace: 'never' }

/** Where each event leads, and the effects that come with it. Every pair that is left out changes nothing. */
const TABLE: Readonly<Record<TxEvent['type'], Readonly<Partial<Record<SampleName, string>>>>> = {
  'prepare.deferred': { queued: 'QUEUED/waiting_for_node', deferred: 'QUEUED/waiting_for_node' },
  'prepare.rejected': { queued: 'CANCELLED/rejected', deferred: 'CANCELLED/rejected' },
  'deadline.passed': {
    queued: 'EXPIRED/expired',
    deferred: 'EXPIRED/expired',
    queuedSuspended: 'EXPIRED/expired',
  },
  'approval.required': { queued: 'QUEUED/awaiting_approval', deferred: 'QUEUED/awaiting_approval' },
  'approval.given': {},
  'approval.refused': {},
  'approval.expired': {},
  'nonce.allocated': { queued: 'ALLOCATED/signed broadcast', deferred: 'ALLOCATED/signed broadcast' },
  'broadcast.answered': {
    allocated: 'TRACKING/pending',
    allocatedSuspended: 'TRACKING/suspended',
    pending: 'TRACKING/pending',
    stale: 'TRACKING/pending',
    preconfirmed: 'TRACKING/preconfirmed',
    refused: 'TRACKING/pending',
    blocked: 'TRACKING/blocked_by_predecessor',
    gap: 'TRACKING/pending',
    reorged: 'TRACKING/pending',
    trackingSuspended: 'TRACKING/suspended',
    stuckRejected: 'TRACKING/pending',
    stuckNoInclusion: 'STUCK/no_inclusion',
    stuckForeign: 'STUCK/foreign_nonce',
    stuckSuspended: 'TRACKING/suspended',
  },
  'resubmit.claimed': {
    allocated: 'ALLOCATED/signed broadcast',
    pending: 'TRACKING/stale broadcast',
    stale: 'TRACKING/stale broadcast',
    preconfirmed: 'TRACKING/stale broadcast',
    refused: 'TRACKING/rejected_by_node broadcast',
    blocked: 'TRACKING/blocked_by_predecessor broadcast',
    gap: 'TRACKING/blocked_by_predecessor broadcast',
    reorged: 'TRACKING/reorged broadcast',
    stuckRejected: 'STUCK/rejected_by_node broadcast',
    stuckNoInclusion: 'STUCK/no_inclusion broadcast',
  },
  'attempt.added': {},
  'way.made': {},
  'fee.capped': {},
  'preconfirmation.seen': {
    allocated: 'TRACKING/preconfirmed',
    pending: 'TRACKING/preconfirmed',
    stale: 'TRACKING/preconfirmed',
    refused: 'TRACKING/preconfirmed',
    blocked: 'TRACKING/preconfirmed',
    gap: 'TRACKING/preconfirmed',
    reorged: 'TRACKING/preconfirmed',
  },
  'preconfirmation.lost': { preconfirmed: 'TRACKING/stale' },
  'inclusion.seen': {
    allocated: 'TRACKING/mined',
    allocatedSuspended: 'TRACKING/mined',
    pending: 'TRACKING/mined',
    stale: 'TRACKING/mined',
    preconfirmed: 'TRACKING/mined',
    refused: 'TRACKING/mined',
    blocked: 'TRACKING/mined',
    gap: 'TRACKING/mined',
    reorged: 'TRACKING/mined',
    trackingSuspended: 'TRACKING/mined',
    stuckRejected: 'TRACKING/mined',
    stuckNoInclusion: 'TRACKING/mined',
    stuckForeign: 'TRACKING/mined',
    stuckSuspended: 'TRACKING/mined',
  },
  'inclusion.reorged': { mined: 'TRACKING/reorged broadcast', minedSuspended: 'TRACKING/suspended' },
  'confirmations.replaced': { mined: 'TRACKING/mined', minedSuspended: 'TRACKING/mined' },
  'finality.reached': { mined: 'CONFIRMED/final nonce.used', minedSuspended: 'CONFIRMED/final nonce.used' },
  'nonce.lost': {
    allocated: 'STUCK/foreign_nonce alarm:foreign_nonce',
    allocatedSuspended: 'STUCK/foreign_nonce alarm:foreign_nonce',
    pending: 'STUCK/foreign_nonce alarm:foreign_nonce',
    stale: 'STUCK/foreign_nonce alarm:foreign_nonce',
    preconfirmed: 'STUCK/foreign_nonce alarm:foreign_nonce',
    refused: 'STUCK/foreign_nonce alarm:foreign_nonce',
    blocked: 'STUCK/foreign_nonce alarm:foreign_nonce',
    gap: 'STUCK/foreign_nonce alarm:foreign_nonce',
    reorged: 'STUCK/foreign_nonce alarm:foreign_nonce',
    trackingSuspended: 'STUCK/foreign_nonce alarm:foreign_nonce',
    stuckRejected: 'STUCK/foreign_nonce alarm:foreign_nonce',
    stuckNoInclusion: 'STUCK/foreign_nonce alarm:foreign_nonce',
    stuckSuspended: 'STUCK/foreign_nonce alarm:foreign_nonce',
  },
  'bump.refused': {},
  'time.passed': {
    allocated: 'STUCK/no_inclusion alarm:no_inclusion',
    pending: 'STUCK/no_inclusion alarm:no_inclusion',
    stale: 'STUCK/no_inclusion alarm:no_inclusion',
    refused: 'STUCK/no_inclusion alarm:no_inclusion',
    blocked: 'TRACKING/stale',
    gap: 'STUCK/no_inclusion alarm:no_inclusion',
    reorged: 'STUCK/no_inclusion alarm:no_inclusion',
  },
  'operator.suspended': {
    queued: 'QUEUED/suspended',
    deferred: 'QUEUED/suspended',
    allocated: 'ALLOCATED/suspended',
    pending: 'TRACKING/suspended',
    stale: 'TRACKING/suspended',
    preconfirmed: 'TRACKING/suspended',
    refused: 'TRACKING/suspended',
    blocked: 'TRACKING/suspended',
    gap: 'TRACKING/suspended',
    reorged: 'TRACKING/suspended',
    stuckRejected: 'STUCK/rejected_by_node',
    stuckNoInclusion: 'STUCK/no_inclusion',
  },
  'operator.resumed': {
    queuedSuspended: 'QUEUED/accepted',
    allocatedSuspended: 'ALLOCATED/signed broadcast',
    trackingSuspended: 'TRACKING/stale broadcast',
    minedSuspended: 'TRACKING/mined',
    stuckSuspended: 'STUCK/rejected_by_node broadcast',
  },
  'operator.retried': {
    deferred: 'QUEUED/accepted',
    allocated: 'ALLOCATED/signed broadcast',
    pending: 'TRACKING/stale broadcast',
    stale: 'TRACKING/stale broadcast',
    preconfirmed: 'TRACKING/stale broadcast',
    refused: 'TRACKING/stale broadcast',
    blocked: 'TRACKING/stale broadcast',
    gap: 'TRACKING/stale broadcast',
    reorged: 'TRACKING/stale broadcast',
    stuckRejected: 'TRACKING/stale broadcast',
    stuckNoInclusion: 'TRACKING/stale broadcast',
  },
  'operator.sped_up': {},
  'operator.cancelled': {
    queued: 'CANCELLED/cancelled',
    deferred: 'CANCELLED/cancelled',
    queuedSuspended: 'CANCELLED/cancelled',
  },
  'operator.resolved': {
    stuckRejected: 'CONFIRMED/resolved nonce.used',
    stuckNoInclusion: 'CONFIRMED/resolved nonce.used',
    stuckForeign: 'CONFIRMED/resolved nonce.used',
    stuckSuspended: 'CONFIRMED/resolved nonce.used',
  },
  'operator.requeued': { stuckForeign: 'QUEUED/accepted nonce.used' },
  'operator.closed': { stuckForeign: 'CANCELLED/replaced nonce.used' },
}

function outcomeOf(tx: Transaction, event: TxEvent, policy: Policy): string {
  const step = transition(tx, event, policy)
  const effects = step.effects.map((effect) => (effect.type === 'alarm' ? `alarm:${effect.cause}` : effect.type))
  return [`${step.tx.state}/${step.tx.subState}`, ...effects].join(' ')
}

const sampleNames = Object.keys(SAMPLES) as SampleName[]

describe.each(Object.values(EVENTS))('$type', (event) => {
  test.each(sampleNames)('%s', (name) => {
    const sample = SAMPLES[name]
    const expected = TABLE[event.type][name]
    if (expected === undefined) {
      const step = transition(sample, event, NEVER)
      expect(step.tx).toBe(sample)
      expect(step).toMatchObject({ notes: [], effects: [] })
    } else expect(outcomeOf(sample, event, NEVER)).toBe(expected)
  })
})

describe('nonce.lost if the policy requeues it', () => {
  const losers = Object.keys(TABLE['nonce.lost']).concat('stuckForeign') as SampleName[]

  test.each(losers.filter((name) => name !== 'stuckForeign'))('%s', (name) => {
    const sample = SAMPLES[name]
    const subState = sample.suspended ? 'suspended' : 'accepted'
    expect(outcomeOf(sample, EVENTS['nonce.lost'], FAST)).toBe(`QUEUED/${subState} nonce.used`)
  })

  test('keeps every byte string that was ever signed, so that none is forgotten', () => {
    const again = transition(SAMPLES.pending, EVENTS['nonce.lost'], FAST).tx
    const next = { ...EVENTS['nonce.allocated'], nonce: 9, attempt: attemptOf(2, 'original', 9) }
    expect(transition(again, next, FAST).tx).toMatchObject({
      nonce: 9,
      attempts: [{ nonce: NONCE }, { nonce: 9 }],
      submitCount: 0,
    })
  })

  test('what is said of the bytes of the lost nonce counts no more', () => {
    const tx = allocated({ nonce: 9, attempts: [attemptOf(1), attemptOf(2, 'original', 9)] })
    expect(transition(tx, EVENTS['broadcast.answered'], FAST).tx).toBe(tx)
    expect(transition(tx, EVENTS['inclusion.seen'], FAST).tx).toBe(tx)
  })

  test.each([STABLE, FAST])('the loss of an earlier nonce is no loss of this one ($preset)', (policy) => {
    const tx = tracking('pending', { nonce: 9, attempts: [attemptOf(1), attemptOf(2, 'original', 9)] })
    expect(transition(tx, EVENTS['nonce.lost'], policy).tx).toBe(tx)
  })
})

describe('waiting', () => {
  const tooLong = (blockedByNonce: number | null): TxEvent => ({ type: 'time.passed', at, blockedByNonce })

  test('is not too long before its time', () => {
    const tx = SAMPLES.pending
    const almost = tx.waitingSince + STABLE.stuckAfterMs - 1
    expect(transition(tx, { type: 'time.passed', at: almost, blockedByNonce: null }, STABLE).tx).toBe(tx)
    expect(outcomeOf(tx, { type: 'time.passed', at: almost + 1, blockedByNonce: null }, STABLE)).toContain('STUCK')
  })

  test.each(['allocated', 'pending', 'stale', 'refused', 'reorged'] as const)(
    '%s behind a lower nonce is blocked, not stuck',
    (name) => {
      expect(outcomeOf(SAMPLES[name], tooLong(5), STABLE)).toMatch(/^(ALLOCATED|TRACKING)\/blocked_by_predecessor$/)
    },
  )

  test('for a gap counts for the missing nonce, and starts over once that is mined', () => {
    const blocked = transition(SAMPLES.gap, tooLong(5), STABLE).tx
    expect(blocked).toMatchObject({ subState: 'blocked_by_predecessor', error: null })
    expect(transition(blocked, tooLong(5), STABLE).tx).toBe(blocked)
    const outcome = { type: 'nonce_gap', message: 'gap' } as const
    const again = transition(blocked, { ...EVENTS['broadcast.answered'], outcome }, STABLE).tx
    expect(transition(again, tooLong(null), STABLE).tx).toMatchObject({ state: 'TRACKING', waitingSince: at })
  })

  test('starts over once the lower nonce is mined: time behind another does not count', () => {
    const blocked = transition(SAMPLES.pending, tooLong(5), STABLE).tx
    expect(transition(blocked, tooLong(5), STABLE).tx).toBe(blocked)
    const free = transition(blocked, tooLong(null), STABLE).tx
    expect(free).toMatchObject({ state: 'TRACKING', subState: 'stale', waitingSince: at })
    expect(transition(free, tooLong(null), STABLE).tx).toBe(free)
  })
})

describe('the chain', () => {
  test('moves an inclusion to another block as a new fork', () => {
    const elsewhere = { ...EVENTS['inclusion.seen'], inclusion: inclusionIn(101) }
    const step = transition(SAMPLES.mined, elsewhere, STABLE)
    expect(step.tx).toMatchObject({ newForks: 1, inclusion: { blockNumber: 101 } })
    expect(step.notes).toMatchObject([{ cause: 'new_fork', detail: { newFork: true, confirmations: [] } }])
  })

  test('the same height in another block is another inclusion', () => {
    const uncle = inclusionIn(100, { blockHash: hashOf(0xcafe) })
    expect(transition(SAMPLES.mined, { type: 'inclusion.seen', at, inclusion: uncle }, STABLE).tx).toMatchObject({
      newForks: 1,
      inclusion: { blockHash: hashOf(0xcafe) },
    })
  })

  test('an inclusion of bytes that are not ours changes nothing', () => {
    const foreign = inclusionIn(100, { txHash: hashOf(99) })
    expect(transition(SAMPLES.pending, { type: 'inclusion.seen', at, inclusion: foreign }, STABLE).tx).toBe(
      SAMPLES.pending,
    )
  })

  test.each(['inclusion.reorged', 'confirmations.replaced', 'finality.reached'] as const)(
    'what is said of a block that no longer holds it changes nothing: %s',
    (type) => {
      const elsewhere = inclusionIn(100, { blockHash: hashOf(0xcafe) })
      const moved = transition(SAMPLES.mined, { type: 'inclusion.seen', at, inclusion: elsewhere }, STABLE).tx
      const late = transition(moved, EVENTS[type], STABLE)
      expect(late.tx).toBe(moved)
      expect(late).toMatchObject({ notes: [], effects: [] })
      const told = { ...EVENTS[type], blockHash: elsewhere.blockHash }
      expect(transition(moved, told, STABLE).tx).not.toBe(moved)
    },
  )

  test('withdraws an inclusion: the wait starts anew and the bytes are due at once', () => {
    expect(transition(SAMPLES.mined, EVENTS['inclusion.reorged'], STABLE).tx).toMatchObject({
      inclusion: null,
      minedAt: null,
      waitingSince: at,
      nextResubmitAt: at,
      newForks: 1,
    })
  })

  test.each([
    ['original', true, 'CONFIRMED/final'],
    ['bump', true, 'CONFIRMED/final'],
    ['original', false, 'FAILED_FINAL/final'],
    ['cancel', true, 'CANCELLED/cancelled'],
    ['noop', true, 'CONFIRMED/final'],
  ] as const)('a final %s that succeeded=%s is %s', (kind, succeeded, expected) => {
    const tx = mined({ attempts: [attemptOf(1, kind)], inclusion: inclusionIn(100, { succeeded }) })
    expect(outcomeOf(tx, EVENTS['finality.reached'], STABLE)).toBe(`${expected} nonce.used`)
    const { tx: final } = transition(tx, EVENTS['finality.reached'], STABLE)
    expect(final).toMatchObject({ confirmations: CONFIRMATIONS, finalAt: at, minedAt: tx.minedAt })
    expect(final.error?.code).toBe(expected.startsWith('FAILED') ? 'reverted' : undefined)
  })
})

describe('the queue', () => {
  test('expires at its deadline, not before, and never without one', () => {
    const early: TxEvent = { type: 'deadline.passed', at: T0 + 59_999 }
    expect(transition(SAMPLES.queued, early, STABLE).tx).toBe(SAMPLES.queued)
    expect(transition(SAMPLES.queued, { ...early, at: T0 + 60_000 }, STABLE).tx.state).toBe('EXPIRED')
    const endless = queued({ intent: { ...SAMPLES.queued.intent, validUntil: null } })
    expect(transition(endless, EVENTS['deadline.passed'], STABLE).tx).toBe(endless)
  })

  test('a deferral that is older than the one known changes nothing', () => {
    const late: TxEvent = { ...EVENTS['prepare.deferred'], retryAt: T0 + 9_000 }
    expect(transition(SAMPLES.deferred, late, STABLE).tx).toBe(SAMPLES.deferred)
  })

  test('a retry forgets what failed', () => {
    const again = { subState: 'accepted', error: null, retryAt: null, prepareFailures: 0 }
    expect(transition(SAMPLES.deferred, EVENTS['operator.retried'], STABLE).tx).toMatchObject(again)
  })
})
