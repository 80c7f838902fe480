/** Every state of a transaction comes back as it was saved, whatever its fields hold. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AccessList } from '../../../core/chain/access-list.ts'
import type { Confirmation, Finality, Inclusion } from '../../../core/chain/finality.ts'
import type { Fees, WantedFees } from '../../../core/fees/fees.ts'
import type { Hex } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import {
  type Attempt,
  type Intent,
  type Queued,
  SUB_STATES,
  type Transaction,
} from '../../../core/transaction/transaction.ts'
import { acceptOne, acquire, anyIntent, registerLane, toSave, toWrite } from '../samples.ts'
import type { GetStore } from './store.suite.ts'

const bytes = (minLength: number, maxLength = minLength): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength, maxLength }).map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
const amount = fc.bigInt(0n, 2n ** 256n - 1n)
const time = fc.integer({ min: 0, max: Date.UTC(2200, 0) })
const count = fc.nat(1_000_000)
const nonce = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
// Nul and lone surrogates cannot be stored as they are; that has a test of its own.
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll('\0', ''))
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null })

const fees: fc.Arbitrary<Fees> = fc.oneof(
  fc.record({ type: fc.constant('eip1559' as const), maxFeePerGas: amount, maxPriorityFeePerGas: amount }),
  fc.record({ type: fc.constant('legacy' as const), gasPrice: amount }),
)
const finality: fc.Arbitrary<Finality> = fc.oneof(
  fc.record({ type: fc.constant('confirmations' as const), count }),
  fc.record({ type: fc.constantFrom('safe' as const, 'finalized' as const) }),
)
const inclusion: fc.Arbitrary<Inclusion> = fc.record({
  txHash: bytes(32),
  blockNumber: nonce,
  blockHash: bytes(32),
  txIndex: count,
  succeeded: fc.boolean(),
  gasUsed: amount,
  effectiveGasPrice: amount,
  contractAddress: optional(bytes(20)),
})
const confirmation: fc.Arbitrary<Confirmation> = fc.record({ blockNumber: nonce, blockHash: bytes(32) })
const attempt: fc.Arbitrary<Attempt> = fc.record({
  hash: bytes(32),
  raw: bytes(1, 300),
  kind: fc.constantFrom('original', 'bump', 'cancel', 'noop'),
  nonce,
  gasLimit: amount,
  fees,
  createdAt: time,
})

const wantedFees: fc.Arbitrary<WantedFees> = fc.oneof(
  fees,
  fc.record({
    type: fc.constant('eip1559' as const),
    maxFeePerGas: optional(amount),
    maxPriorityFeePerGas: optional(amount),
  }),
  fc.constant({ type: 'legacy' as const, gasPrice: null }),
)
const accessList: fc.Arbitrary<AccessList> = fc.array(
  fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }),
  { maxLength: 3 },
)

const notBefore = fc.oneof(
  count.map((height) => ({ height })),
  time.map((timeMs) => ({ timeMs })),
)

function anyIntentOf(lane: Lane): fc.Arbitrary<Intent> {
  return fc
    .record({
      to: optional(bytes(20)),
      data: bytes(0, 5_000),
      value: amount,
      gasLimit: optional(amount),
      fees: optional(wantedFees),
      maxFeeWei: optional(amount.map((wei) => wei || 1n)),
      speed: fc.constantFrom('slow' as const, 'standard' as const, 'fast' as const),
      priority: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      validUntil: optional(time),
      finality: optional(finality),
      simulate: fc.boolean(),
      simulated: fc.boolean(),
      metadata: fc.dictionary(text, text, { noNullPrototype: true }),
    })
    .chain((intent) =>
      fc
        .record({ accessList, exactNonce: nonce, notBefore }, { requiredKeys: [] })
        .map((more) => anyIntent(lane, { ...intent, ...more })),
    )
}

const changing = {
  subState: fc.constantFrom(...SUB_STATES),
  error: optional(fc.record({ code: text, message: text, reason: text }, { requiredKeys: ['code', 'message'] })),
  suspended: fc.boolean(),
  attempts: fc.uniqueArray(attempt, { maxLength: 3, selector: ({ hash }) => hash }),
}
const signed = {
  ...changing,
  nonce,
  fence: count,
  nodeId: text,
  allocatedAt: time,
  waitingSince: time,
  submittedAt: optional(time),
  lastSubmitAt: optional(time),
  submitCount: count,
  refusals: count,
  nextResubmitAt: time,
  newForks: count,
  requestedReplacement: fc.constantFrom('none', 'speed_up', 'cancel'),
  mayBeHeld: fc.boolean(),
  refusal: optional(fc.record({ code: text, message: text, reason: text, mayPass: fc.boolean() })),
}
const proof = {
  refusal: fc.constant(null),
  inclusion,
  confirmations: fc.array(confirmation, { maxLength: 4 }),
  minedAt: time,
  finalAt: time,
}

/** What a save may change of a queued transaction, by the state it goes to. */
const change = fc.oneof(
  fc.record({ ...changing, state: fc.constant('QUEUED' as const), retryAt: optional(time), prepareFailures: count }),
  fc.record({ ...signed, state: fc.constant('ALLOCATED' as const) }),
  fc.record({
    ...signed,
    state: fc.constant('TRACKING' as const),
    inclusion: optional(inclusion),
    minedAt: optional(time),
  }),
  fc.record({ ...signed, state: fc.constant('STUCK' as const), stuckAt: time }),
  fc.record({ ...signed, ...proof, state: fc.constantFrom('CONFIRMED' as const, 'FAILED_FINAL' as const) }),
  fc.record({ ...signed, ...proof, state: fc.constant('CANCELLED' as const) }),
  fc.record({
    ...changing,
    state: fc.constantFrom('CANCELLED' as const, 'EXPIRED' as const),
    nonce: fc.constant(null),
    finalAt: time,
  }),
)

export function describeRoundTrip(get: GetStore): void {
  describe('round trip', () => {
    test('any intent comes back as it was accepted', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      await fc.assert(
        fc.asyncProperty(anyIntentOf(lane), async (intent) => {
          const queued = await acceptOne(store, lane, intent)
          expect(await store.findTransaction(queued.id)).toEqual(queued)
        }),
        { numRuns: 40 },
      )
    })

    test('any state comes back as it was saved', async () => {
      const { store } = get()
      const states = new Set<string>()
      await fc.assert(
        fc.asyncProperty(change, async (fields) => {
          const lease = await acquire(store, await registerLane(store))
          const queued = await acceptOne(store, lease.lane)
          const tx = apply(queued, fields)
          expect(await store.writeLanes([toWrite(lease, [toSave(queued, tx, 'changed')])])).toEqual([
            { type: 'written', versions: [2] },
          ])
          expect(await store.findTransaction(queued.id)).toEqual({ ...tx, version: 2 })
          states.add(tx.state)
        }),
        { numRuns: 120 },
      )
      expect(states.size).toBe(8)
    })
  })
}

function apply(queued: Queued, fields: typeof change extends fc.Arbitrary<infer T> ? T : never): Transaction {
  const { id, intent, version, createdAt } = queued
  const base = { id, intent, version, createdAt }
  const { error } = fields
  // An absent reason is left out rather than undefined.
  const exact = error && {
    code: error.code,
    message: error.message,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
  }
  return { ...base, ...fields, error: exact } as Transaction
}
