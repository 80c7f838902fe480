import { describe, expect, test } from 'vitest'
import { meetTransactions } from '../../testing/core/random-walk.ts'
import {
  allocated,
  attemptOf,
  cancelledOnChain,
  deferred,
  dropped,
  finished,
  hashOf,
  inclusionIn,
  mined,
  queued,
  refused,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import type { ChainHealth } from '../chain/chain-health.ts'
import type { FeeLimit } from '../fees/fee-limit.ts'
import type { LaneProblem } from '../lane/lane-problem.ts'
import { FAST, type Policy, STABLE } from '../lane/policy.ts'
import { OPERATOR_ACTIONS } from '../transaction/allowed-actions.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { explain } from './explain.ts'
import { CAUSES, type Cause, type ExplainContext } from './explanation.ts'
import { FOREIGN_NOT_FINAL_STEP, FOREIGN_REQUEUED_STEP, SILENT_NODE_STEP } from './next-steps.ts'

type LaneContext = ExplainContext['lane']

const owner = { nodeId: 'node-a', address: null, fence: 12, live: true, expiresAt: 0, silentSince: null }
const lower = { txId: 'tx-0', nonce: 5, state: 'STUCK' } as const
const poor = {
  code: 'out_of_funds',
  since: T0,
  txId: 'tx-0',
  nonce: null,
  count: null,
  detail: 'it may cost 3 ETH',
} as const
const reserved = {
  reservationId: 'r-1',
  nonce: 5,
  lockedUntil: T0 + 60_000,
  tenant: 'shop',
  holder: 'till (ab12)',
  isUsed: false,
  isFilling: false,
  hash: null,
  alarm: null,
} as const
const approvalBy = (...names: readonly string[]) => ({
  needs: [{ subject: 'key:0123456789abcdef' as const, of: 2, keys: ['ann', 'bob'] }],
  votes: names.map((name) => ({ name, keyId: name, at: T0, reason: 'checked' })),
  expiresAt: T0 + 20_500,
})
const phantom = { ...reserved, isUsed: true, hash: `0x${'de'.repeat(32)}`, alarm: 'unknown_hash' } as const
const now = T0 + 20_000

function context(change: Partial<ExplainContext> = {}, lane: Partial<LaneContext> = {}): ExplainContext {
  return {
    now,
    policy: STABLE,
    finality: { type: 'confirmations', count: 12 },
    head: 103,
    queueAhead: 0,
    sendsOnlyTo: null,
    baseFeeWei: null,
    chain: { state: 'ok', since: null, message: null },
    lane: {
      owner,
      inFlight: 0,
      reserved: 0,
      unmined: 0,
      window: null,
      paused: false,
      lowestReserved: null,
      lowestUnmined: null,
      missingNonces: null,
      ...lane,
    },
    ...change,
  }
}

const UNREACHABLE: ChainHealth = {
  state: 'unreachable',
  since: T0,
  message: 'RPC node rpc-1.example has not responded since 12:03.',
}
const STANDING: ChainHealth = {
  state: 'standing',
  since: T0,
  message: 'The chain has made no block for 2 min; nothing can be mined.',
}
const REWOUND: ChainHealth = {
  state: 'rewound',
  since: T0,
  message: 'The chain went back from block 9 to block 0.',
}
const fast = { ...FAST, maxInFlight: 64 }
const time = (ms: number): string => new Date(ms).toISOString()

/** Cause, transaction, context, and what the words must mention. */
const UNAFFORDABLE = { code: 'bump_unaffordable', message: 'the account has too little' }
const REFUSAL = { code: 'rejected', message: 'every RPC node refused it', reason: 'exceeds the cap', mayPass: false }

const CASES: readonly [Cause, string, Transaction, ExplainContext, readonly string[]][] = [
  ['chain_unreachable', 'in line', queued(), context({ chain: UNREACHABLE }), ['rpc-1.example', 'next in the queue']],
  ['chain_unreachable', 'sent', tracking('pending'), context({ chain: UNREACHABLE }), ['rpc-1.example', 'as soon as']],
  ['chain_standing', 'sent', tracking('pending'), context({ chain: STANDING }), ['no block for 2 min', 'next block']],
  ['chain_rewound', 'sent', tracking('pending'), context({ chain: REWOUND }), ['went back', 'block 0']],
  [
    'suspended',
    'on a standing chain',
    queued({ suspended: true }),
    context({ chain: STANDING }),
    ['no block for 2 min'],
  ],
  [
    'awaiting_approval',
    'on a chain that went back',
    queued({ subState: 'awaiting_approval', approval: approvalBy('ann') }),
    context({ chain: REWOUND }),
    ['went back', '1 more approval'],
  ],
  [
    'held_by_rule',
    'on a standing chain',
    deferred('held_by_rule', {
      retryAt: now + 500,
      error: { code: 'held_by_rule', message: 'value.perDay: too much' },
    }),
    context({ chain: STANDING }),
    ['no block for', 'value.perDay'],
  ],
  [
    'waiting_for_key',
    'on a standing chain',
    deferred('waiting_for_key', { retryAt: now + 500 }),
    context({ chain: STANDING }),
    ['no block for', 'deferred by waiting_for_key'],
  ],
  [
    'chain_rewound',
    'mined in a block that the chain has no longer',
    mined(),
    context({ chain: { ...REWOUND, height: 0 }, head: 103 }),
    ['went back', 'block 100', 'once a block at its height', 'sends the same bytes again'],
  ],
  [
    'waiting_for_finality',
    'mined on the chain that went back',
    mined(),
    context({ chain: REWOUND }),
    ['went back', '3 confirmations'],
  ],
  [
    'chain_standing',
    'stuck on a stalled chain',
    stuck('no_inclusion'),
    context({ chain: STANDING }),
    ['no block for', 'STUCK'],
  ],
  [
    'nonces_missing',
    'after a reorganisation past finality',
    tracking('pending'),
    context({}, { missingNonces: { from: 3, to: 6 } }),
    ['counts only 3', 'nonces 3 to 6, which were final', 'Nothing under this policy'],
  ],
  ['suspended', 'in line', queued({ suspended: true, subState: 'suspended' }), context(), ['operator', 'no nonce']],
  ['deadline_passed', 'in line', queued(), context({ now: T0 + 60_000 }), [time(T0 + 60_000), 'EXPIRED']],
  ['no_owner', 'nobody', queued(), context({}, { owner: null }), ['No node', '20 s']],
  ['no_owner', 'lease ran out', queued(), context({}, { owner: { ...owner, live: false } }), ['node-a', 'ended']],
  ['lane_paused', 'in line', queued(), context({}, { paused: true }), [queued().intent.lane.signer, '31337']],
  [
    'lane_cancelling',
    'in line',
    queued(),
    context({}, { cancelling: { resetId: 'order-1', left: 3 }, inFlight: 3 }),
    ['cancelling everything in flight', 'order-1', '3 transactions left', 'nonce is reset'],
  ],
  [
    'waiting_for_slot',
    'behind one that is stuck',
    queued(),
    context({ queueAhead: 3 }, { inFlight: 1, lowestUnmined: lower }),
    ['1 of 1 slot', 'nonce 5', 'tx-0', 'STUCK', 'operator', '3 transactions'],
  ],
  [
    'waiting_for_slot',
    'one at a time, with others ahead',
    queued(),
    context({ queueAhead: 3 }, { inFlight: 1 }),
    ['1 of 1 slot', 'mined', 'final', 'drover signer policy 0x', '--preset fast'],
  ],
  [
    'waiting_for_slot',
    'all mined',
    queued(),
    context({ policy: { ...fast, slotHeldUntil: 'final' } }, { inFlight: 64 }),
    ['64 of 64 slots', 'mined', 'final'],
  ],
  [
    'waiting_for_slot',
    'too many that are not final',
    queued(),
    context({ policy: { ...fast, maxUnfinal: 20 } }, { inFlight: 22, unmined: 2 }),
    ['20 of 20 slots', 'mined', 'final'],
  ],
  [
    'waiting_for_slot',
    'the window is small',
    queued(),
    context({ policy: fast }, { unmined: 4, window: { size: 4, reason: 'dropped' }, lowestUnmined: lower }),
    ['4 of 4 slots', 'keep no more', 'is mined'],
  ],
  ...(
    ['waiting_for_node', 'waiting_for_predecessor', 'waiting_for_funds', 'waiting_for_key', 'fee_above_cap'] as const
  ).map((subState): (typeof CASES)[number] => [
    subState,
    'deferred',
    deferred(subState, { retryAt: now + 500 }),
    context(),
    ['failed 2 times', `deferred by ${subState}`, time(now + 500), `expires at ${time(T0 + 60_000)}`],
  ]),
  [
    'awaiting_approval',
    'half approved',
    queued({ subState: 'awaiting_approval', approval: approvalBy('ann') }),
    context(),
    ['1 more approval', 'ann, bob; the key that sent it does not count', 'Approved by ann', time(now + 500)],
  ],
  [
    'awaiting_approval',
    'too late',
    queued({ subState: 'awaiting_approval', approval: { ...approvalBy(), expiresAt: now } }),
    context(),
    ['2 more approvals', 'Nobody has approved it yet', 'cancels it'],
  ],
  [
    'scheduled',
    'for a block',
    queued({ subState: 'scheduled', intent: { ...queued().intent, notBefore: { height: 120 } } }),
    context(),
    ['not be sent before block 120', 'The chain is at block 103', 'Others go first'],
  ],
  [
    'scheduled',
    'for a time',
    queued({ subState: 'scheduled', intent: { ...queued().intent, notBefore: { timeMs: now + 500 } } }),
    context({ headTime: T0 }),
    [`not be sent before ${time(now + 500)}`, `The newest block is of ${time(T0)}`],
  ],
  [
    'held_by_rule',
    'by a cap',
    deferred('held_by_rule', {
      retryAt: now + 500,
      error: { code: 'held_by_rule', message: 'value.perDay: too much' },
    }),
    context(),
    ['A spending rule holds it: value.perDay: too much', time(now + 500)],
  ],
  [
    'not_approved',
    'refused',
    dropped('CANCELLED', 'not_approved', { error: { code: 'approval_refused', message: 'bob refused it: no' } }),
    context(),
    ['before it got a nonce', 'bob refused it: no'],
  ],
  ['waiting_in_line', 'in line', queued(), context({ queueAhead: 4 }), ['4 transactions']],
  [
    'waiting_for_funds',
    'behind one that waits for funds',
    queued(),
    context({ queueAhead: 4 }, { heldBy: poor }),
    ['4 transactions', 'The first, tx-0, holds up the others: it may cost 3 ETH.'],
  ],
  [
    'preparing',
    'the first itself, once it is prepared again',
    queued(),
    context({}, { heldBy: { ...poor, txId: queued().id } }),
    ['next in the queue'],
  ],
  ['preparing', 'first', queued(), context(), ['next in the queue', '0 of 1 slot']],
  [
    'preparing',
    'lost its nonce',
    queued({ attempts: [attemptOf(1)] }),
    context(),
    ['nonce 7', 'a transaction that Drover did not sign used it'],
  ],
  ['not_sent', 'signed', allocated(), context(), ['nonce 7', hashOf(1), time(T0 + 33_000)]],
  [
    'no_answer',
    'unclear',
    allocated({ submitCount: 3, lastSubmitAt: T0 + 5_000 }),
    context(),
    ['nonce 7', '3 times', time(T0 + 5_000), 'may or may not have it'],
  ],
  [
    'send_endpoint_away',
    'its only endpoint is away',
    allocated({ submitCount: 3, lastSubmitAt: T0 + 5_000 }),
    context({ sendsOnlyTo: [{ name: 'relay.example', state: 'failing' }] }),
    ['relay.example does not respond', 'no other RPC endpoint', 'rpcSendUrl', 'sends it when relay.example responds'],
  ],
  [
    'no_answer',
    'one of its endpoints is away',
    allocated({ submitCount: 3, lastSubmitAt: T0 + 5_000 }),
    context({
      sendsOnlyTo: [
        { name: 'a.example', state: 'failing' },
        { name: 'b.example', state: 'healthy' },
      ],
    }),
    ['may or may not have it', 'It is sent only to a.example, b.example.'],
  ],
  [
    'waiting_for_funds',
    'refused',
    refused('insufficient_funds'),
    context(),
    ['Nonce 7', '3 times in a row (limit 10)', 'refused for insufficient_funds', 'node words', time(T0 + 33_000)],
  ],
  [
    'rejected_by_node',
    'refused',
    refused('underpriced'),
    context(),
    ['Nonce 7', '3 times in a row (limit 10)', 'refused for underpriced'],
  ],
  [
    'making_way',
    'before the empty transaction is signed',
    allocated({ refusal: REFUSAL, error: REFUSAL }),
    context(),
    [
      'Every RPC node refused it',
      'exceeds the cap',
      'is about to take nonce 7',
      'signs and sends the empty transaction',
    ],
  ],
  [
    'making_way',
    'after it was sent',
    tracking('making_way', { refusal: REFUSAL, error: REFUSAL, attempts: [attemptOf(1), attemptOf(2, 'cancel')] }),
    context(),
    ['is taking nonce 7', 'If the original is mined after all, it counts', 'sends the same bytes again', 'STUCK'],
  ],
  [
    'making_way',
    'with an empty transaction that is not taken either',
    refused('insufficient_funds', { refusal: REFUSAL, attempts: [attemptOf(1), attemptOf(2, 'cancel')] }),
    context(),
    ['Every RPC node refused it', 'held up too: refused for insufficient_funds'],
  ],
  [
    'rejected_by_node',
    'stuck while it makes way',
    stuck('rejected_by_node', { refusal: REFUSAL }),
    context(),
    ['Drover tried to replace it with an empty transaction', 'exceeds the cap'],
  ],
  [
    'rejected',
    'an empty transaction has its nonce',
    { ...cancelledOnChain(), subState: 'rejected', error: REFUSAL },
    context(),
    ['an empty transaction used nonce 7 in block 100', 'exceeds the cap'],
  ],
  [
    'waiting_in_line',
    'back in line after it made way',
    queued({ attempts: [attemptOf(1), attemptOf(2, 'cancel')] }),
    context({ queueAhead: 3 }),
    ['had nonce 7 before', 'an empty transaction took that nonce'],
  ],
  [
    'nonce_gap',
    'not taken',
    tracking('blocked_by_predecessor', { error: { code: 'nonce_gap', message: 'the node misses a lower nonce' } }),
    context(),
    ['Nonce 7', 'misses a lower nonce', time(T0 + 33_000), 'STUCK'],
  ],
  [
    'blocked_by_predecessor',
    'behind one that is stuck',
    tracking('pending'),
    context({}, { lowestUnmined: lower }),
    ['Nonce 7', 'nonce 5 of tx-0', 'STUCK', 'operator', time(T0 + 33_000)],
  ],
  [
    'blocked_by_reservation',
    'behind a nonce that is reserved',
    tracking('pending'),
    context({}, { lowestReserved: reserved, lowestUnmined: { ...lower, nonce: 6 } }),
    ['Nonce 7', 'nonce 5', 'reservation r-1', 'till (ab12) of tenant shop', time(T0 + 60_000), 'release-reservations'],
  ],
  [
    'blocked_by_reservation',
    'in line behind reservations that hold all places',
    queued(),
    context({}, { inFlight: 1, reserved: 1, lowestReserved: reserved }),
    ['1 of 1 slot is taken by a reservation.', 'nonce 5', 'till (ab12)', 'reservation r-1', time(T0 + 60_000)],
  ],
  [
    'blocked_by_reservation',
    'in line behind a reservation and others',
    queued(),
    context(
      { policy: fast },
      { unmined: 4, inFlight: 4, reserved: 1, window: { size: 4, reason: 'dropped' }, lowestReserved: reserved },
    ),
    ['4 of 4 slots are taken, 1 by a reservation.'],
  ],
  [
    'blocked_by_reservation',
    'behind a reservation whose time is over',
    tracking('pending'),
    context({}, { lowestReserved: { ...reserved, lockedUntil: now - 1_000 } }),
    [`reserved by till (ab12) of tenant shop (reservation r-1) and not used; its time ran out at ${time(now - 1_000)}`],
  ],
  [
    'blocked_by_reservation',
    'behind a nonce that its holder has used: an operator need not wait for an alarm',
    tracking('pending'),
    context({}, { lowestReserved: { ...phantom, alarm: null } }),
    [
      'If no RPC node knows it after 15 min, Drover raises an alarm',
      'An operator can free it now',
      'empty transaction',
    ],
  ],
  [
    'blocked_by_reservation',
    'behind a nonce whose holder named a transaction that nobody knows',
    tracking('pending'),
    context({}, { lowestReserved: phantom }),
    ['Nonce 7', phantom.hash, 'No RPC node knows', 'reservation r-1', 'release-reservations', 'empty transaction'],
  ],
  [
    'blocked_by_reservation',
    'behind a nonce that is being filled',
    tracking('pending'),
    context({}, { lowestReserved: { ...phantom, isFilling: true } }),
    ['taken back from till (ab12)', 'whichever is mined first'],
  ],
  [
    'blocked_by_reservation',
    "behind another tenant's, of which only the nonce and the time are told",
    tracking('pending'),
    context({}, { lowestReserved: { ...reserved, reservationId: null, tenant: null, holder: null } }),
    ['nonce 5', 'another tenant', time(T0 + 60_000)],
  ],
  [
    'suspended',
    'sent',
    tracking('suspended', { suspended: true }),
    context(),
    ['nonce 7', '2 times', time(T0 + 3_000)],
  ],
  ['pending', 'sent', tracking('pending'), context(), ['nonce 7', '19 s', '2 times', time(T0 + 901_000), 'STUCK']],
  ['stale', 'sent', tracking('stale'), context(), ['nonce 7', 'again', time(T0 + 33_000)]],
  [
    'preconfirmed',
    'shown in a block in the making',
    tracking('preconfirmed'),
    context({}, { lowestUnmined: lower }),
    ['nonce 7', 'being built', 'not an inclusion', '2 times', time(T0 + 33_000)],
  ],
  [
    'preconfirmed',
    'and to be cancelled',
    tracking('preconfirmed', { requestedReplacement: 'cancel' }),
    context(),
    ['cancels it if no block includes it'],
  ],
  ['pending', 'at a price that is enough', tracking('pending'), context({ baseFeeWei: 30_000_000_000n }), ['nonce 7']],
  [
    'fee_below_base',
    'sent',
    tracking('stale'),
    context({ baseFeeWei: 30_000_000_001n }),
    ['nonce 7', 'at most 30 gwei', 'asks 30.000000001 gwei', time(T0 + 33_000), 'STUCK'],
  ],
  ['reorged', 'sent', tracking('reorged', { newForks: 2 }), context(), ['nonce 7', '2 reorgs']],
  [
    'no_owner',
    'sent',
    tracking('pending'),
    context({}, { owner: null }),
    ['No node', 'nonce 7', 'sends the bytes again'],
  ],
  [
    'waiting_for_finality',
    'by depth',
    mined({ newForks: 1 }),
    context(),
    ['block 100', '3 confirmations (it needs 12)', 'block 112', 'CONFIRMED', 'been through 1 reorg'],
  ],
  [
    'waiting_for_finality',
    'by tag',
    mined({ inclusion: inclusionIn(100, { succeeded: false }) }),
    context({ finality: { type: 'safe' } }),
    ['reverted', 'FAILED_FINAL', 'marks block 100 as safe'],
  ],
  [
    'waiting_for_finality',
    'of a cancel',
    mined({ attempts: [attemptOf(1, 'cancel')] }),
    context({ finality: { type: 'finalized' } }),
    ['CANCELLED', 'marks block 100 as finalized'],
  ],
  ['waiting_for_finality', 'no head', mined(), context({ head: null }), ['not seen a block yet', 'block 112']],
  [
    'waiting_for_finality',
    'behind',
    mined(),
    context({ head: 98 }),
    ['behind, at block 98', '0 confirmations (it needs 12)'],
  ],
  ['waiting_for_finality', 'held back', mined({ suspended: true }), context(), ['suspended', 'does not send it again']],
  [
    'foreign_nonce',
    'sent, and the one that used its nonce is not final yet',
    tracking('pending'),
    context({}, { usedNonce: 7 }),
    ['counts nonce 7 as used', 'not final yet', 'compares it', 'gets STUCK', 'requeue or close'],
  ],
  [
    'foreign_nonce',
    'sent, and it takes another nonce by itself',
    tracking('pending'),
    context({ policy: FAST }, { usedNonce: 7 }),
    ['counts nonce 7 as used', 'not final yet', 'compares it', 'Drover sends this one again under a new nonce'],
  ],
  [
    'pending',
    'sent, above a nonce that another one used',
    tracking('pending'),
    context({}, { usedNonce: 6, lowestUnmined: { txId: 'a', nonce: 6, state: 'TRACKING' } }),
    ['waiting to be mined'],
  ],
  [
    'foreign_nonce',
    'stuck',
    stuck('foreign_nonce'),
    context({}, { inFlight: 1 }),
    [time(T0 + 8_000), 'no longer be mined with that nonce', '1 of 1 slot', 'requeue it', 'new nonce', 'or close it'],
  ],
  [
    'foreign_nonce',
    'stuck with a nonce of its own choice',
    { ...stuck('foreign_nonce'), intent: { ...stuck('foreign_nonce').intent, exactNonce: 7 } },
    context({}, { inFlight: 1 }),
    ['asked for exactly this nonce', 'close it'],
  ],
  [
    'replaced',
    'closed',
    dropped('CANCELLED', 'replaced', { error: { code: 'replaced', message: 'nonce 7 was used by 0xabc' } }),
    context(),
    ['An operator closed it', 'nonce 7 was used by 0xabc'],
  ],
  [
    'confirmed',
    'by a foreign one that did the same',
    finished('CONFIRMED', { inclusion: inclusionIn(90, { txHash: hashOf(99) }) }),
    context(),
    ['Nonce 7 was used by', hashOf(99), 'did not sign but which does the same', 'block 90'],
  ],
  [
    'bump_refused',
    'sent',
    tracking('pending', { error: { code: 'bump_would_revert', message: 'it would now revert: paused' } }),
    context(),
    ['did not raise the price of nonce 7', 'would now revert: paused', 'sends the same bytes again'],
  ],
  [
    'bump_refused',
    'and refused by a node since',
    refused('underpriced', { error: { code: 'underpriced', message: 'too cheap', unraised: UNAFFORDABLE } }),
    context(),
    ['did not raise the price of nonce 7: the account has too little', 'refused 3 times in a row', 'too cheap'],
  ],
  [
    'waiting_for_funds',
    'and a bump cannot be paid for',
    refused('insufficient_funds', {
      error: { code: 'insufficient_funds', message: 'cannot pay', unraised: UNAFFORDABLE },
    }),
    context(),
    ['refused 3 times in a row', 'cannot pay', 'did not raise the price of nonce 7: the account has too little'],
  ],
  [
    'rejected_by_node',
    'stuck, and a bump cannot be paid for',
    stuck('rejected_by_node', { error: { code: 'underpriced', message: 'too cheap', unraised: UNAFFORDABLE } }),
    context({}, { inFlight: 1 }),
    ['too cheap', 'did not raise its price: the account has too little'],
  ],
  [
    'no_inclusion',
    'stuck',
    stuck('no_inclusion'),
    context({ policy: fast }, { inFlight: 3 }),
    ['nonce 7', '2 times', 'stuck by no_inclusion', '2 other transactions', '1 hash'],
  ],
  [
    'no_inclusion',
    'stuck at a price that is too low',
    stuck('no_inclusion'),
    context({ baseFeeWei: 31_000_000_000n }, { inFlight: 1 }),
    ['at most 30 gwei', 'asks 31 gwei'],
  ],
  [
    'rejected_by_node',
    'stuck and held back',
    stuck('rejected_by_node', { suspended: true }),
    context({}, { inFlight: 1 }),
    ['nonce 7', '2 times', 'sends nothing until an operator resumes it'],
  ],
  [
    'waiting_for_funds',
    'stuck',
    stuck('rejected_by_node', { error: { code: 'insufficient_funds', message: 'cannot pay', reason: 'need 5 wei' } }),
    context({}, { inFlight: 1 }),
    ['cannot pay', 'need 5 wei'],
  ],
  [
    'no_inclusion',
    'stuck with nobody',
    stuck('no_inclusion'),
    context({}, { owner: null, inFlight: 1 }),
    ['No node', 'takes over the signer'],
  ],
  [
    'confirmed',
    'final',
    finished('CONFIRMED'),
    context(),
    ['Nonce 7', 'block 100', '3 confirmations', time(T0 + 5_000)],
  ],
  ['reverted', 'final', finished('FAILED_FINAL'), context(), ['Nonce 7', 'reverted', 'block 100', 'is used']],
  [
    'resolved',
    'by a foreign one',
    finished('CONFIRMED', { subState: 'resolved', inclusion: inclusionIn(90, { txHash: hashOf(99) }) }),
    context(),
    ['nonce 7', hashOf(99), 'did not sign but which does the same', 'block 90'],
  ],
  [
    'fee_above_cap',
    'sent',
    tracking('fee_above_cap', { error: { code: 'fee_above_cap', message: 'no more than 8 is allowed' } }),
    context(),
    ['nonce 7', 'no more than 8 is allowed', 'sends the same bytes again'],
  ],
  [
    'pending',
    'bumped and being cancelled',
    tracking('pending', { attempts: [attemptOf(1), attemptOf(2, 'bump'), attemptOf(3, 'cancel')] }),
    context(),
    ['signed 3 times', 'whichever is mined counts', 'an empty transaction that cancels it'],
  ],
  ['pending', 'to be sped up', tracking('pending', { requestedReplacement: 'speed_up' }), context(), ['being sped up']],
  [
    'rejected',
    'after it had a nonce',
    dropped('CANCELLED', 'rejected', { attempts: [attemptOf(1)], error: { code: 'rejected', message: 'invalid' } }),
    context(),
    ['another transaction used nonce 7', 'invalid'],
  ],
  ['cancelled_on_chain', 'final', cancelledOnChain(), context(), ['nonce 7', 'block 100']],
  ['cancelled', 'final', dropped('CANCELLED', 'cancelled'), context(), ['operator', time(T0 + 5_000)]],
  [
    'rejected',
    'final',
    dropped('CANCELLED', 'rejected', { error: { code: 'reverted', message: 'the call reverts: no' } }),
    context(),
    ['the call reverts: no', 'before it got a nonce'],
  ],
  ['expired', 'final', dropped('EXPIRED', 'expired'), context(), [time(T0 + 60_000)]],
]

test.each(CASES)('%s (%s)', (cause, _, tx, around, mentions) => {
  const explanation = explain(tx, around)
  expect(explanation.cause).toBe(cause)
  const words = `${explanation.summary} ${explanation.nextAction}`
  for (const mention of mentions) expect(words).toContain(mention)
})

test('every cause has a case', () => {
  expect([...new Set(CASES.map(([cause]) => cause))].sort()).toEqual([...CAUSES].sort())
})

describe('blockedBy', () => {
  test.each([
    ['node', queued(), context({}, { owner: null }), { nodeId: null }],
    ['node', mined(), context({}, { owner: { ...owner, live: false } }), { nodeId: 'node-a' }],
    ['lane', queued(), context({}, { paused: true }), queued().intent.lane],
    ['slot', queued(), context({}, { inFlight: 1 }), { inFlight: 1, maxInFlight: 1 }],
    ['transaction', queued(), context({}, { inFlight: 1, lowestUnmined: lower }), lower],
    ['transaction', tracking('stale'), context({}, { lowestUnmined: lower }), lower],
    ['reservation', tracking('stale'), context({}, { lowestReserved: reserved }), reserved],
    ['reservation', queued(), context({}, { inFlight: 1, reserved: 1, lowestReserved: reserved }), reserved],
    [
      'transaction',
      queued(),
      context({}, { inFlight: 2, reserved: 1, lowestReserved: { ...reserved, nonce: 6 }, lowestUnmined: lower }),
      lower,
    ],
    [
      'transaction',
      tracking('stale'),
      context({}, { lowestReserved: { ...reserved, nonce: 6 }, lowestUnmined: lower }),
      lower,
    ],
    ['transaction', stuck('no_inclusion'), context({}, { lowestUnmined: lower }), lower],
    ['transaction', deferred('waiting_for_predecessor'), context({ policy: fast }, { lowestUnmined: lower }), lower],
  ] as const)('names the %s', (type, tx, around, fields) => {
    expect(explain(tx, around).blockedBy).toEqual({ type, ...fields })
  })

  test('is absent if only time or the chain is waited for', () => {
    const itself = { txId: 'tx-1', nonce: 7, state: 'TRACKING' } as const
    for (const tx of [tracking('pending'), mined(), queued(), finished('CONFIRMED')]) {
      expect(explain(tx, context({}, { lowestUnmined: itself }))).not.toHaveProperty('blockedBy')
    }
  })
})

describe('nextActionAt', () => {
  test('is the earlier of the next send and of being called stuck', () => {
    expect(explain(tracking('pending'), context()).nextActionAt).toBe(T0 + 33_000)
    const later = tracking('pending', { nextResubmitAt: T0 + 999_000 })
    expect(explain(later, context()).nextActionAt).toBe(T0 + 901_000)
  })

  test('is never in the past', () => {
    const late = context({ now: T0 + 5_000_000 })
    for (const tx of [deferred('waiting_for_node'), tracking('stale'), stuck('no_inclusion'), allocated()]) {
      expect(explain({ ...tx, intent: { ...tx.intent, validUntil: null } }, late).nextActionAt).toBe(late.now)
    }
  })
})

describe('a fee above its limit: the limit that binds, how to raise it, and a value that is enough', () => {
  const limited = (source: FeeLimit['source']) => ({
    code: 'fee_above_cap',
    message: 'too dear',
    limit: { source, perGas: '1000', enough: '22gwei' },
  })
  const advise = (source: FeeLimit['source']) =>
    explain(deferred('fee_above_cap', { error: limited(source) }), context()).advice

  test.each([
    ['signer_per_gas', `\`drover signer policy ${queued().intent.lane.signer} --max-fee 22gwei\``],
    ['signer', `\`drover signer policy ${queued().intent.lane.signer} --max-tx-fee 22gwei\``],
    ['chain', 'set `maxTxFee` of chain 31337 to 22gwei on every node'],
    ['key', '`drover key create … --max-tx-fee 22gwei`'],
    ['request', '`drover tx cancel tx-1 --reason "…"`'],
  ] as const)('%s', (source, said) => {
    const advice = advise(source)
    expect(advice).toMatch(/^Wait until gas is cheaper, or /)
    expect(advice).toContain(said)
    expect(advice?.match(/22gwei/g)).toHaveLength(1)
  })

  test('one that is out and may not offer more', () => {
    const tx = tracking('fee_above_cap', { error: limited('signer_per_gas') })
    expect(explain(tx, context()).advice).toContain('--max-fee 22gwei')
  })
})

describe('a bump that was refused, or that would help: what to do about it', () => {
  const refusedFor = (code: string) => tracking('pending', { error: { code, message: 'no' } })

  test.each([
    ['bump_unaffordable', STABLE, 'Send funds to 0xa1a1', 'drover tx speed-up tx-1'],
    ['bump_unaffordable', FAST, 'Send funds to 0xa1a1', 'Drover then raises the price by itself'],
    ['bump_would_revert', STABLE, 'cancel it: `drover tx cancel tx-1', ''],
    ['bump_held_by_rule', STABLE, '`drover rules show 0xa1a1', ''],
  ])('%s', (code, policy, ...mentions) => {
    const { advice } = explain(refusedFor(code), context({ policy }))
    for (const mention of mentions) expect(advice).toContain(mention)
  })

  test('a price below that of the next block', () => {
    const around = context({ baseFeeWei: 30_000_000_001n })
    expect(explain(tracking('stale'), around).advice).toContain('Speed it up: `drover tx speed-up tx-1')
    const byItself = explain(tracking('stale'), { ...around, policy: FAST }).advice
    expect(byItself).toContain('Drover raises the price by itself')
    const never = explain(tracking('stale'), { ...around, policy: { ...STABLE, mayReplace: 'never' } }).advice
    expect(never).toContain('drover signer policy 0xa1a1')
  })
})

describe('a node that does not report', () => {
  const silent = { ...owner, address: 'vm:24102', silentSince: T0 }

  test('is named by its machine, and its successor only if there is one', () => {
    const { summary, advice } = explain(queued(), context({}, { owner: silent, isKeyHere: false }))
    expect(summary).toContain('Node vm:24102 (node-a), which runs this signer, has not reported since')
    expect(summary).toContain('if no other node has it, nobody takes over')
    expect(advice).toBe(SILENT_NODE_STEP)
    const here = explain(queued(), context({}, { owner: silent, isKeyHere: true })).summary
    expect(here).toContain('then a node that has the key takes over')
  })

  test('is described in the same words after its lease, with the same advice', () => {
    const { summary, advice } = explain(queued(), context({}, { owner: { ...silent, live: false } }))
    expect(summary).toContain('No node is running this signer. Node vm:24102 (node-a) ran it until its lease ended at')
    expect(advice).toBe(SILENT_NODE_STEP)
  })
})

test('options are the allowed actions, each with what it would do', () => {
  expect(explain(queued(), context()).options).toEqual([
    { action: 'suspend', effect: 'holds it back: it gets no nonce, and transactions behind it go first' },
    { action: 'cancel', effect: 'cancels it now; it has no nonce yet' },
  ])
  const offered = (tx: Transaction, lane: Partial<LaneContext> = {}) =>
    explain(tx, context({ policy: FAST }, lane)).options.map(({ action }) => action)
  expect(offered(stuck('foreign_nonce'))).toEqual(['requeue', 'close'])
  expect(offered(tracking('pending'))).toEqual(['suspend', 'retry', 'cancel', 'speed-up'])
  expect(offered(tracking('pending'), { usedNonce: tracking('pending').nonce })).toEqual(['suspend', 'cancel'])
  expect(explain(finished('CONFIRMED'), context()).options).toEqual([])
})

test('advice on a nonce that another transaction used says what the policy does', () => {
  const adviseUnder = (onForeignNonce: Policy['onForeignNonce']) =>
    explain(tracking('pending'), context({ policy: { ...STABLE, onForeignNonce } }, { usedNonce: 7 })).advice
  expect(adviseUnder('stuck')).toBe(FOREIGN_NOT_FINAL_STEP.replaceAll('<id>', tracking('pending').id))
  expect(adviseUnder('requeue')).toBe(FOREIGN_REQUEUED_STEP)
})

describe('in every situation that can occur', () => {
  const lanes: readonly Partial<LaneContext>[] = [
    {},
    { owner: null },
    { owner: { ...owner, live: false }, inFlight: 1 },
    { paused: true },
    { inFlight: 64 },
    { inFlight: 64, lowestUnmined: lower },
    { inFlight: 2, lowestUnmined: { txId: 'tx-0', nonce: 6, state: 'TRACKING' } },
  ]
  const arounds = lanes.flatMap((lane) => [
    context({}, lane),
    context({ policy: fast, head: null, queueAhead: 2, finality: { type: 'finalized' } }, lane),
    context({ now: T0 + 3_000_000, head: 90, queueAhead: null, finality: { type: 'safe' } }, lane),
  ])
  const met = [...new Map(meetTransactions().map((tx) => [kindOf(tx), tx])).values()]

  /** Transactions of one kind are explained alike: enough to take one of each. */
  function kindOf(tx: Transaction): string {
    const numbers = 'refusals' in tx ? [tx.refusals > 0, tx.submitCount > 0, tx.newForks > 0, tx.error?.code] : []
    const queue = 'retryAt' in tx ? [tx.retryAt === null] : []
    return [tx.state, tx.subState, tx.suspended, tx.attempts.length > 1, ...numbers, ...queue].join()
  }

  test('the walks meet many kinds', () => {
    expect(met.length).toBeGreaterThan(100)
  })

  test('the sentences are complete, and say what they are about', () => {
    for (const tx of met) {
      for (const around of arounds) {
        const { summary, cause, nextAction, options } = explain(tx, around)
        expect(CAUSES).toContain(cause)
        for (const words of [summary, nextAction]) {
          expect(words).toMatch(/^[A-Z0-9].{14,}\.$/s)
          expect(words).not.toMatch(/unknown|undefined|null|NaN|\[object|Invalid Date|\.\.| {2}/i)
        }
        if ('nonce' in tx && tx.nonce !== null)
          expect(`${summary} ${nextAction}`).toMatch(new RegExp(`nonce ${tx.nonce}`, 'i'))
        if (tx.suspended && !('finalAt' in tx)) expect(options.map(({ action }) => action)).toContain('resume')
        for (const { action, effect } of options) {
          expect(OPERATOR_ACTIONS).toContain(action)
          expect(effect).toMatch(/^[a-z].{14,}[^.]$/)
        }
      }
    }
  })

  test('a time is given only for what Drover does by itself, and lies ahead', () => {
    for (const tx of met) {
      for (const around of arounds) {
        const { nextActionAt, nextAction } = explain(tx, around)
        if (nextActionAt !== null) expect(nextActionAt).toBeGreaterThanOrEqual(around.now)
        if (/^(Nothing|Drover sends nothing)/.test(nextAction)) expect(nextActionAt).toBeNull()
        if ('finalAt' in tx) expect(nextAction).toBe('Nothing: this state is final.')
      }
    }
  })
})

test('behind the first of the queue: what to do about that one', () => {
  const advise = (heldBy: LaneProblem) => explain(queued(), context({ queueAhead: 2 }, { heldBy })).advice
  expect(advise(poor)).toContain('`drover tx cancel tx-0 --reason "…"`')
  const limit = { source: 'signer_per_gas', perGas: '1', enough: '90gwei' } as const
  expect(advise({ ...poor, code: 'fee_above_cap', limit })).toContain('--max-fee 90gwei')
})
