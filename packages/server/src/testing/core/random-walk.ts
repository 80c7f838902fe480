/** Random lives of a transaction: events of every type in any order, most of which do not fit where they arrive. */
import fc from 'fast-check'
import { INVALID_REASONS, REFUSE_REASONS, type SendOutcome } from '../../core/chain/send-outcome.ts'
import type { NonceProof, NonceUser } from '../../core/lane/nonce-user.ts'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import type { Step } from '../../core/transaction/step.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import { transition } from '../../core/transaction/transition.ts'
import type { TxEvent } from '../../core/transaction/tx-event.ts'
import { attemptOf, CONFIRMATIONS, hashOf, inclusionIn, proofOf, queued, T0 } from './sample-transactions.ts'

export interface Move {
  readonly before: Transaction
  readonly event: TxEvent
  readonly step: Step
}

/** Few refusals are needed and little time, so that short walks get everywhere. */
const hasty = { maxSubmitAttempts: 3, stuckAfterMs: 60_000, resubmitIntervalMs: 10_000 }

export const anyPolicy: fc.Arbitrary<Policy> = fc.constantFrom<Policy>(
  { ...STABLE, ...hasty },
  { ...FAST, ...hasty },
  { ...STABLE, ...hasty, mayReplace: 'never' },
  STABLE,
)

const message = fc.constantFrom('some words', '')
const anyOutcome: fc.Arbitrary<SendOutcome> = fc.oneof(
  fc.constantFrom<SendOutcome>({ type: 'accepted' }, { type: 'already_known' }),
  fc.record({
    type: fc.constantFrom(
      'nonce_too_low',
      'replacement_underpriced',
      'underpriced',
      'insufficient_funds',
      'nonce_gap',
      'pool_full',
      'rate_limited',
      'ambiguous',
    ),
    message,
  }),
  fc.record({ type: fc.constant('refused'), message, reason: fc.constantFrom(...REFUSE_REASONS) }),
  fc.record({ type: fc.constant('invalid'), message, reason: fc.constantFrom(...INVALID_REASONS) }),
)

const at = fc.integer({ min: 0, max: 2_000_000 }).map((after) => T0 + after)
/** Few, so that most belong to an attempt; number 9 never does. */
const hash = fc.constantFrom(1, 2, 3, 9).map(hashOf)
const by = fc.constant({ actor: 'ann', reason: 'drill' })
/** Few again, so that what is said of a block or a nonce is often said of the right one. */
const block = fc.constantFrom(100, 101)
const blockHash = block.map((number) => inclusionIn(number).blockHash)
const nonce = fc.constantFrom(7, 8)
const inclusion = fc
  .record({ txHash: hash, block, succeeded: fc.boolean() })
  .map(({ txHash, block: number, succeeded }) => inclusionIn(number, { txHash, succeeded }))
const confirmations = fc.constantFrom([], CONFIRMATIONS)
const deferral = fc.constantFrom<
  'waiting_for_node' | 'waiting_for_predecessor' | 'waiting_for_funds' | 'fee_above_cap'
>(...(['waiting_for_node', 'waiting_for_predecessor', 'waiting_for_funds', 'fee_above_cap'] as const))
const allocation = fc.record({ number: fc.constantFrom(1, 2), nonce, at }).chain(({ number, nonce: taken, at: when }) =>
  fc.constantFrom(...(['original', 'original', 'noop'] as const)).map((kind) => ({
    at: when,
    nonce: taken,
    // The second has less gas than any chain takes.
    attempt: { ...attemptOf(number, kind, taken), gasLimit: number === 2 ? 20_000n : 21_000n },
    fence: 12,
    nodeId: 'node-a',
  })),
)

/** Who used a nonce: often the right one, doing the same, something else, or too much; in time or long before. */
const proof: fc.Arbitrary<NonceProof> = fc
  .record({
    nonce,
    inclusion,
    effect: fc.constantFrom<Partial<NonceUser>>(
      ...[{}, {}, { value: 6n }, { to: null }, { data: '0xaa' as const }, { isPlain: false }, { chainId: 5 }],
    ),
    minedAt: fc.constantFrom(T0 - 100_000, T0 - 1_000, T0 + 30_000, T0 + 3_000_000),
  })
  .map(({ nonce: used, inclusion: mined, effect, minedAt }) => proofOf({ nonce: used, minedAt, ...effect }, mined))

const replacement = fc
  .record({ number: fc.constantFrom(2, 3), nonce, kind: fc.constantFrom('bump', 'cancel') })
  .map(({ number, nonce: taken, kind }) => attemptOf(number, kind, taken))

function event<T extends TxEvent['type']>(type: T) {
  return fc.constant(type)
}

export const anyEvent: fc.Arbitrary<TxEvent> = fc.oneof(
  { weight: 2, arbitrary: allocation.map((fields) => ({ type: 'nonce.allocated' as const, ...fields })) },
  { weight: 6, arbitrary: fc.record({ type: event('broadcast.answered'), at, hash, outcome: anyOutcome }) },
  { weight: 3, arbitrary: fc.record({ type: event('inclusion.seen'), at, inclusion }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: event('preconfirmation.seen'),
      at,
      hash,
      blockNumber: block,
      succeeded: fc.boolean(),
    }),
  },
  fc.record({ type: event('preconfirmation.lost'), at, blockNumber: fc.option(block, { nil: null }) }),
  { weight: 2, arbitrary: fc.record({ type: event('time.passed'), at, blockedByNonce: fc.constantFrom(null, 5) }) },
  { weight: 2, arbitrary: fc.record({ type: event('resubmit.claimed'), at }) },
  {
    weight: 2,
    arbitrary: replacement.map((attempt) => ({ type: 'attempt.added' as const, at: T0 + 40_000, attempt })),
  },
  fc.record({ type: event('way.made'), at, message: fc.constant('too cheap'), mayPass: fc.boolean() }),
  fc.record({ type: event('fee.capped'), at, neededWei: fc.constant(9n), capWei: fc.constant(8n) }),
  fc.record({
    type: event('prepare.deferred'),
    at,
    subState: deferral,
    error: fc.constant({ code: 'not_now', message: 'not now' }),
    retryAt: at,
  }),
  fc.record({ type: event('prepare.rejected'), at, error: fc.constant({ code: 'reverted', message: 'it reverts' }) }),
  fc.record({ type: event('deadline.passed'), at }),
  { weight: 2, arbitrary: fc.record({ type: event('inclusion.reorged'), at, blockHash }) },
  fc.record({ type: event('confirmations.replaced'), at, blockHash, confirmations }),
  fc.record({ type: event('finality.reached'), at, blockHash, confirmations }),
  { weight: 3, arbitrary: fc.record({ type: event('nonce.lost'), at, proof }) },
  fc.record({
    type: event('bump.refused'),
    at,
    error: fc.constantFrom(
      { code: 'bump_would_revert', message: 'it would revert' },
      { code: 'bump_unaffordable', message: 'too little money' },
    ),
  }),
  fc.record({ type: event('operator.suspended'), at, by }),
  fc.record({ type: event('operator.resumed'), at, by }),
  fc.record({ type: event('operator.retried'), at, by }),
  fc.record({ type: event('operator.cancelled'), at, by }),
  fc.record({ type: event('operator.sped_up'), at, by }),
  fc.record({ type: event('operator.resolved'), at, by, proof }),
  fc.record({ type: event('operator.requeued'), at, by, proof }),
  fc.record({ type: event('operator.closed'), at, by, proof }),
)

/** Most walks start with a nonce: what happens before is soon told. */
const anyEvents = fc
  .record({
    first: fc.option(allocation, { freq: 4, nil: null }),
    rest: fc.array(anyEvent, { maxLength: 30, size: 'max' }),
  })
  .map(({ first, rest }): TxEvent[] => (first === null ? rest : [{ type: 'nonce.allocated', ...first }, ...rest]))

export const anyWalk: fc.Arbitrary<{ readonly policy: Policy; readonly moves: readonly Move[] }> = fc
  .record({ policy: anyPolicy, events: anyEvents })
  .map(({ policy, events }) => ({ policy, moves: walk(events, policy) }))

function walk(events: readonly TxEvent[], policy: Policy): Move[] {
  const moves: Move[] = []
  let tx: Transaction = queued()
  for (const happened of events) {
    const step = transition(tx, happened, policy)
    moves.push({ before: tx, event: happened, step })
    tx = step.tx
  }
  return moves
}

/** Every transaction met on many walks, the same ones each time. */
export function meetTransactions(): readonly Transaction[] {
  return fc
    .sample(anyWalk, { numRuns: 4_000, seed: 20_300_101 })
    .flatMap(({ moves }) => moves.map(({ step }) => step.tx))
}
