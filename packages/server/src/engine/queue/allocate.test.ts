import { describe, expect, test } from 'vitest'
import { limitOf } from '../../core/fees/fee-limit.ts'
import { type Policy, STABLE } from '../../core/lane/policy.ts'
import type { Queued, TxError, TxId } from '../../core/transaction/transaction.ts'
import type { Signer, UnsignedTransaction } from '../../ports/signer.ts'
import { allocated, deferred, queued, T0 } from '../../testing/core/sample-transactions.ts'
import { anyHash } from '../../testing/store/samples.ts'
import { createLaneDraft, type LaneDraft } from '../lane/lane-draft.ts'
import { createLedger } from '../lane/ledger.ts'
import { allocateNonces } from './allocate.ts'
import type { Preparation } from './prepare.ts'

const LEASE = { lane: queued().intent.lane, nodeId: 'node-a', fence: 3 }
const FEES = { type: 'eip1559', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n } as const
const ERROR = { code: 'x', message: 'x' }
const NOW = T0 + 1_000

function ready(id: TxId, change: Partial<Queued> = {}): Preparation {
  return { type: 'ready', tx: queued({ id, ...change }), gasLimit: 21_000n, fees: FEES }
}

type Found = Parameters<typeof createLedger>[0]

interface Given {
  readonly ledger?: Partial<Found>
  readonly policy?: Partial<Policy>
  readonly chainCount?: number
  readonly available?: bigint
  readonly chainMaxFeeWei?: bigint
  readonly brokenAt?: number
  /** What the same draft did before. */
  readonly meanwhile?: (draft: LaneDraft) => void
}

async function allocate(preparations: readonly Preparation[], given: Given = {}) {
  const policy = { ...STABLE, maxInFlight: 10, ...given.policy }
  const ledger = createLedger({ cursor: 5, inFlight: [], recyclable: [], ...given.ledger })
  const draft = createLaneDraft(ledger, policy)
  given.meanwhile?.(draft)
  const signed: UnsignedTransaction[] = []
  const signer: Signer = {
    addresses: () => [],
    sign: async (_, transaction) => {
      if (signed.length === given.brokenAt) throw new Error('the vault is sealed')
      signed.push(transaction)
      return { raw: '0x02', hash: anyHash() }
    },
  }
  let available = given.available ?? null
  const funds = {
    available: () => available,
    commit: (wei: bigint) => {
      if (available !== null) available -= wei
    },
  }
  const { chainCount } = given
  const context = {
    lease: LEASE,
    ledger,
    policy,
    now: NOW,
    retryMs: 500,
    signer,
    funds,
    chainMaxFeeWei: given.chainMaxFeeWei ?? 10n ** 18n,
    counts: chainCount === undefined ? null : { latest: 0, pending: chainCount },
    slots: Number(policy.maxInFlight) - ledger.inFlight.size,
    highest: [...ledger.inFlight.values()].at(-1)?.nonce ?? null,
  }
  const result = await allocateNonces(draft, preparations, context)
  const saves = draft.toWrite(LEASE).saves.map(({ tx }) => [tx.id, tx.state, 'nonce' in tx ? tx.nonce : null])
  return { result, saves, write: draft.toWrite(LEASE), signed }
}

describe('which nonce', () => {
  test('the cursor, then one after the other, all in one write with the cursor behind them', async () => {
    const { saves, write } = await allocate([ready('a'), ready('b')])
    expect(saves).toEqual([
      ['a', 'ALLOCATED', 5],
      ['b', 'ALLOCATED', 6],
    ])
    expect(write.cursor).toEqual({ expected: 5, next: 7 })
    expect(write.nonces).toMatchObject([
      { nonce: 5, status: 'RESERVED', txId: 'a' },
      { nonce: 6, status: 'RESERVED', txId: 'b' },
    ])
  })

  test('a free one first, the lowest before the others, and the cursor stays', async () => {
    const { saves, write } = await allocate([ready('a'), ready('b'), ready('c')], { ledger: { recyclable: [4, 2] } })
    expect(saves.map(([, , nonce]) => nonce)).toEqual([2, 4, 5])
    expect(write.cursor).toEqual({ expected: 5, next: 6 })
  })

  test('a lane without a cursor begins where the chain is', async () => {
    const { saves, write } = await allocate([ready('a')], { ledger: { cursor: null }, chainCount: 12 })
    expect(saves).toEqual([['a', 'ALLOCATED', 12]])
    expect(write.cursor).toEqual({ expected: null, next: 13 })
  })

  test.each([
    { externalUse: false, chainCount: 9, nonce: 5 },
    { externalUse: true, chainCount: 9, nonce: 9 },
    { externalUse: true, chainCount: 3, nonce: 5 },
  ])('with externalUse $externalUse and the chain at $chainCount it is $nonce', async (given) => {
    const { externalUse, chainCount, nonce } = given
    const { saves } = await allocate([ready('a')], { policy: { externalUse }, chainCount })
    expect(saves).toEqual([['a', 'ALLOCATED', nonce]])
  })
})

describe('order', () => {
  test('a certain failure ends one, and the next takes its nonce', async () => {
    const rejected: Preparation = { type: 'rejected', tx: queued({ id: 'a' }), error: ERROR }
    const { saves } = await allocate([rejected, ready('b')])
    expect(saves).toEqual([
      ['a', 'CANCELLED', null],
      ['b', 'ALLOCATED', 5],
    ])
  })

  test('an uncertain one holds the line with a pause that doubles; none overtakes it', async () => {
    const deferred: Preparation = {
      type: 'deferred',
      tx: queued({ id: 'a', prepareFailures: 3 }),
      subState: 'waiting_for_node',
      error: ERROR,
    }
    const { saves, result } = await allocate([ready('z'), deferred, ready('b')])
    expect(saves.map(([id, state]) => [id, state])).toEqual([
      ['z', 'ALLOCATED'],
      ['a', 'QUEUED'],
    ])
    expect(result.holdUntil).toBe(NOW + 500 * 8)
  })

  test('the pause never exceeds a minute', async () => {
    const deferred: Preparation = {
      type: 'deferred',
      tx: queued({ id: 'a', prepareFailures: 1_000 }),
      subState: 'waiting_for_funds',
      error: ERROR,
    }
    expect((await allocate([deferred])).result.holdUntil).toBe(NOW + 60_000)
  })

  test('what the account cannot pay, gas at the highest price and the value, takes no nonce', async () => {
    const one = ready('a')
    const cost = one.tx.intent.value + 21_000n * 10n
    expect((await allocate([one], { available: cost })).saves).toEqual([['a', 'ALLOCATED', 5]])
    const { result, saves, write } = await allocate([one, ready('b')], { available: cost - 1n })
    expect(saves).toEqual([['a', 'QUEUED', null]])
    expect(write.saves[0]?.tx).toMatchObject({ subState: 'waiting_for_funds', error: { code: 'insufficient_funds' } })
    expect(result).toMatchObject({ allocated: 0, leastUnfunded: cost })
  })

  test('where policy says so, those behind that can be paid for go first; what is promised is not promised again', async () => {
    const policy = { onDeferral: 'pass_over' } as const
    const { intent } = queued()
    const cost = intent.value + 21_000n * 10n
    const dear = ready('a', { intent: { ...intent, value: cost } })
    const { saves } = await allocate([dear, ready('b'), ready('c')], { policy, available: cost })
    expect(saves).toEqual([
      ['a', 'QUEUED', null],
      ['b', 'ALLOCATED', 5],
      ['c', 'QUEUED', null],
    ])
  })

  test.each([
    ['hold', []],
    ['pass_over', [['b', 'ALLOCATED', 5]]],
  ] as const)(
    'a price above the cap at the last check is not signed: it waits and is reported (%s) [G11]',
    async (onDeferral, behind) => {
      const dear = ready('a', { intent: { ...queued().intent, maxFeeWei: 21_000n * 10n - 1n } })
      const { saves, write, result, signed } = await allocate([dear, ready('b')], { policy: { onDeferral } })
      expect(saves).toEqual([['a', 'QUEUED', null], ...behind])
      expect(write.saves[0]?.tx).toMatchObject({ subState: 'fee_above_cap', error: { code: 'tx_fee_above_cap' } })
      expect(signed).toHaveLength(behind.length)
      expect(result.signingError).toMatchObject({ message: expect.stringContaining('maxTxFee of the API key') })
    },
  )

  test('tried early, still above the same cap of the whole transaction, with another estimate of its gas: no news', async () => {
    const error = (feeWei: bigint, gas: bigint) => {
      const limit = limitOf({ perGasWei: feeWei / gas, feeWei, source: 'chain' }, 10n ** 15n, gas)
      return { code: 'tx_fee_above_cap', message: `for ${gas} gas`, limit }
    }
    // Ten seconds into its pause of five minutes.
    const tx = deferred('fee_above_cap', { error: error(10n ** 18n, 100_000n), retryAt: NOW + 290_000 })
    const tryEarly = async (again: TxError) => {
      const found: Preparation = { type: 'deferred', tx, subState: 'fee_above_cap', error: again }
      return (await allocate([found], { policy: { onDeferral: 'pass_over' } })).saves
    }
    expect(await tryEarly(error(10n ** 18n, 100_001n))).toEqual([])
    expect(await tryEarly(error(2n * 10n ** 18n, 200_000n))).toHaveLength(1)
  })

  test('a key that cannot sign uses no nonce; those before it are kept', async () => {
    const { saves, write, result } = await allocate([ready('a'), ready('b')], { brokenAt: 1 })
    expect(saves).toEqual([
      ['a', 'ALLOCATED', 5],
      ['b', 'QUEUED', null],
    ])
    expect(write.cursor).toEqual({ expected: 5, next: 6 })
    expect(result).toMatchObject({ holdUntil: NOW + 500, signingError: expect.any(Error) })
    // Its own words may quote what it was called with.
    const message = 'signing failed; the log has the details'
    expect(result.unsigned).toEqual({ txId: 'b', message })
    expect(write.saves[1]?.tx).toMatchObject({
      subState: 'waiting_for_key',
      error: { code: 'key_unavailable', message },
    })
  })

  test('what is past its deadline expires and takes no nonce', async () => {
    const late = queued({ id: 'a', intent: { ...queued().intent, validUntil: NOW } })
    const { saves, signed } = await allocate([{ type: 'ready', tx: late, gasLimit: 21_000n, fees: FEES }, ready('b')])
    expect(saves).toEqual([
      ['a', 'EXPIRED', null],
      ['b', 'ALLOCATED', 5],
    ])
    expect(signed).toHaveLength(1)
  })

  test.each([
    ['expired', (draft: LaneDraft, tx: Queued) => draft.apply(tx, { type: 'deadline.passed', at: T0 + 60_000 })],
    [
      'suspended',
      (draft: LaneDraft, tx: Queued) =>
        draft.apply(tx, { type: 'operator.suspended', at: NOW, by: { actor: 'ann', reason: 'drill' } }),
    ],
  ] as const)('what is %s since it was prepared takes no nonce; the next has it', async (_, overtake) => {
    const overtaken = queued({ id: 'a' })
    const preparations = [{ ...ready('a'), tx: overtaken }, ready('b')]
    const meanwhile = (draft: LaneDraft) => overtake(draft, overtaken)
    const { saves, write } = await allocate(preparations, { ledger: { recyclable: [2] }, meanwhile })
    expect(saves.slice(1)).toEqual([['b', 'ALLOCATED', 2]])
    expect(write).toMatchObject({ cursor: null, nonces: [{ nonce: 2, txId: 'b' }] })
    const alone = await allocate([{ ...ready('a'), tx: overtaken }], { meanwhile })
    expect(alone.write).toMatchObject({ cursor: null, nonces: [] })
  })

  test('never more in flight than policy allows', async () => {
    const inFlight = [allocated({ id: 'x', nonce: 4 })]
    const { saves } = await allocate([ready('a'), ready('b')], { ledger: { inFlight }, policy: { maxInFlight: 2 } })
    expect(saves).toEqual([['a', 'ALLOCATED', 5]])
  })
})

describe('a nonce that the caller chose', () => {
  const exact = (id: TxId, exactNonce: number): Preparation => ready(id, { intent: { ...queued().intent, exactNonce } })
  const errorOf = (write: Awaited<ReturnType<typeof allocate>>['write'], id: TxId) =>
    write.saves.find(({ tx }) => tx.id === id)?.tx.error

  test('is kept where it is the next one', async () => {
    const { saves, signed } = await allocate([exact('a', 5), ready('b'), exact('c', 7)])
    expect(saves).toEqual([
      ['a', 'ALLOCATED', 5],
      ['b', 'ALLOCATED', 6],
      ['c', 'ALLOCATED', 7],
    ])
    expect(signed.map(({ nonce }) => nonce)).toEqual([5, 6, 7])
  })

  test.each<[string, number, Partial<Found>, string, RegExp]>([
    ['was given out before', 4, {}, 'nonce_too_low', /^nonce too low: next nonce 5, tx nonce 4;/],
    ['is not the next one', 6, {}, 'nonce_too_high', /^nonce too high: next nonce 5, tx nonce 6;/],
    ['is above one that came back', 5, { recyclable: [3] }, 'nonce_too_high', /next nonce 3, tx nonce 5/],
    ['is below one that came back', 2, { recyclable: [3] }, 'nonce_too_low', /next nonce 3, tx nonce 2/],
  ])('ends the transaction where it %s, and the next one goes on', async (_name, nonce, ledger, code, message) => {
    const { saves, write, signed } = await allocate([exact('a', nonce), ready('b')], { ledger })
    expect(saves[0]).toEqual(['a', 'CANCELLED', null])
    expect(errorOf(write, 'a')).toEqual({ code, message: expect.stringMatching(message) })
    expect(saves[1]).toEqual(['b', 'ALLOCATED', ledger.recyclable?.[0] ?? 5])
    expect(signed).toHaveLength(1)
  })

  test('may be one that came back', async () => {
    const { saves } = await allocate([exact('a', 3), exact('b', 5)], { ledger: { recyclable: [3] } })
    expect(saves).toEqual([
      ['a', 'ALLOCATED', 3],
      ['b', 'ALLOCATED', 5],
    ])
  })

  test('that is gone does not hold the line for other reasons', async () => {
    const { tx } = exact('a', 4)
    const deferred: Preparation = { type: 'deferred', tx, subState: 'waiting_for_funds', error: ERROR }
    const { saves, result } = await allocate([deferred, ready('b')])
    expect(saves).toEqual([
      ['a', 'CANCELLED', null],
      ['b', 'ALLOCATED', 5],
    ])
    expect(result.holdUntil).toBeNull()
  })

  test('waits for room like any other', async () => {
    const { saves } = await allocate([ready('a'), exact('b', 6)], { policy: { maxInFlight: 1 } })
    expect(saves).toEqual([['a', 'ALLOCATED', 5]])
  })
})

test('an access list is signed along', async () => {
  const accessList = [{ address: `0x${'aa'.repeat(20)}`, storageKeys: [anyHash()] }] as const
  const { signed } = await allocate([ready('a', { intent: { ...queued().intent, accessList } })])
  expect(signed).toMatchObject([{ accessList }])
})
