import { describe, expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { STABLE } from '../../core/lane/policy.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import type { Call, Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DeletedRequest, NewTransaction, SignerRecord } from '../../ports/store.ts'
import { toQueued } from '../../store/rules/queued-transaction.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { plainRequest } from '../../testing/engine/plain-request.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createAccept } from './accept.ts'
import { type AcceptRequest, digestRequest, formIntent } from './accept-request.ts'
import type { IntakeOutcome } from './intake.ts'

const SIGNER = `0x${'11'.repeat(20)}` as const
const STRANGER = `0x${'99'.repeat(20)}` as const
const TARGET = `0x${'22'.repeat(20)}` as const
const NOW = 1_000_000

const REQUEST = plainRequest(SIGNER, TARGET)

/** Time stands still: what is due within so many milliseconds runs after the current turn, deadlines never come. */
function createStillClock(momentMs: number): Clock {
  return {
    now: () => NOW,
    monotonic: () => 0,
    schedule(delayMs, run) {
      if (delayMs > momentMs) return () => {}
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    },
  }
}

function record(chainId: number): SignerRecord {
  return { lane: { chainId, signer: SIGNER }, policy: STABLE, label: null, paused: false, createdAt: 0 }
}

interface SetUpOptions {
  readonly reverts?: boolean
  readonly chainIds?: readonly number[]
  readonly onEstimate?: () => void
  /** The node never answers, and callers lose their patience. */
  readonly isSilent?: boolean
  readonly hasRules?: boolean
}

/** One chain, one signer, and an intake that keeps what it is given; every call to the chain is counted. */
function setUp(options: SetUpOptions = {}) {
  const batches: (readonly Call[])[] = []
  const stored: NewTransaction[] = []
  const telemetry = createRecordingTelemetry()
  const clock = createStillClock(options.isSilent ? 100 : 10)
  const chains = new Map<number, Chain>()
  const fakes = (options.chainIds ?? [1]).map((chainId) =>
    createFakeChain({
      chainId,
      balances: { [SIGNER]: 10n ** 18n },
      behave: () =>
        options.reverts === true
          ? { type: 'reverted', reason: 'Paused', data: '0x1234', gas: 1n }
          : { type: 'ok', gas: 21_000n },
    }),
  )
  for (const fake of fakes) {
    const estimate: Chain['estimate'] = (calls, head) => {
      batches.push(calls)
      options.onEstimate?.()
      if (options.isSilent) return new Promise(() => {})
      return fake.estimate(calls, head)
    }
    chains.set(fake.chainId, { ...fake, estimate })
  }
  const state = {
    earlier: null as Transaction | DeletedRequest | null,
    lookups: 0,
    outcome: null as IntakeOutcome | null,
  }
  const accept = createAccept({
    maxTxFeeOf: () => 10n ** 18n,
    chains,
    clock,
    telemetry,
    simulationTimeoutMs: 5_000,
    headOf: (chainId) => fakes.find((fake) => fake.chainId === chainId)?.head() ?? null,
    store: {
      findRequests: async (keys) => {
        state.lookups += keys.length
        return keys.map(() => state.earlier)
      },
    },
    signers: {
      find: async (lane) => (lane.signer === SIGNER && chains.has(lane.chainId) ? record(lane.chainId) : null),
    },
    intake: {
      submit: async (item) => {
        stored.push(item)
        return state.outcome ?? { type: 'inserted', transaction: toQueued(item, 0) }
      },
    },
    rules: { binds: () => options.hasRules === true, countsGas: () => false },
    random: { id: () => `id-${stored.length}`, fraction: () => 0 },
  })
  return { accept, batches, stored, state, telemetry, fakes }
}

describe('acceptance', () => {
  test('a request becomes an intent with its defaults filled in, simulated once', async () => {
    const { accept, stored, batches, telemetry } = setUp()
    const accepted = await accept({ ...REQUEST, chainId: null })
    expect(accepted).toMatchObject({ type: 'accepted', transaction: { id: 'id-0', state: 'QUEUED' } })
    expect(stored[0]?.intent).toMatchObject({
      lane: { chainId: 1, signer: SIGNER },
      speed: 'standard',
      priority: 0,
      simulate: true,
      requestId: null,
    })
    expect(batches).toHaveLength(1)
    expect(telemetry.valueOf('drover_transactions_accepted_total', { result: 'accepted' })).toBe(1)
  })

  test('simulate: false asks nothing of the chain', async () => {
    const { accept, batches, stored } = setUp({ reverts: true })
    await accept({ ...REQUEST, simulate: false })
    expect(batches).toHaveLength(0)
    expect(stored[0]?.intent.simulate).toBe(false)
  })

  test('a node that cannot simulate does not turn the caller away', async () => {
    const { accept, stored, fakes, telemetry } = setUp()
    fakes[0]?.setFault(() => 'unavailable')
    expect(await accept(REQUEST)).toMatchObject({ type: 'accepted' })
    expect(stored).toHaveLength(1)
    expect(telemetry.logs).toMatchObject([{ level: 'warn', message: 'accepted without simulation' }])
  })
})

describe('refusal leaves nothing behind', () => {
  test("the caller's own fees above a cap, by the field; but a repeat gets its first answer", async () => {
    const { accept, stored, batches, state } = setUp()
    const perGas = 10n ** 18n / 21_000n
    const offer = (maxFeePerGas: bigint) => ({ type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: 1n }) as const
    const dear = { ...REQUEST, fees: offer(perGas + 1n), requestId: 'one' }
    await expect(accept(dear)).rejects.toMatchObject({
      code: 'transaction_rejected',
      details: { field: 'fees.maxFeePerGas', outcome: 'fee_above_cap' },
    })
    const legacy = { type: 'legacy', gasPrice: perGas } as const
    await expect(accept({ ...REQUEST, gasLimit: 21_001n, fees: legacy })).rejects.toMatchObject({
      details: { field: 'fees.gasPrice' },
    })
    const byKey = { ...REQUEST, fees: offer(10n), maxFeeWei: 21_000n * 9n }
    await expect(accept(byKey)).rejects.toThrow('maxTxFee of the API key')
    expect([stored, batches]).toEqual([[], []])
    expect(await accept({ ...REQUEST, fees: offer(perGas), maxFeeWei: 10n ** 20n })).toMatchObject({ type: 'accepted' })
    expect(stored[0]?.intent.maxFeeWei).toBe(10n ** 20n)
    const intent = formIntent(dear, { chainId: 1, signer: SIGNER }, { speed: 'standard', simulate: true })
    state.earlier = toQueued({ id: 'first', intent }, 0)
    expect(await accept(dear)).toMatchObject({ type: 'existing' })
  })

  test('a certain revert, with its reason', async () => {
    const { accept, stored, telemetry } = setUp({ reverts: true })
    await expect(accept(REQUEST)).rejects.toMatchObject({
      code: 'transaction_rejected',
      details: { reason: 'Paused', outcome: 'reverted', revertData: '0x1234' },
    })
    expect(stored).toEqual([])
    expect(telemetry.valueOf('drover_transactions_accepted_total', { result: 'transaction_rejected' })).toBe(1)
  })

  test.each([
    ['an unknown signer', { from: STRANGER }, 'unknown_signer', 'from'],
    ['an unknown chain', { chainId: 5 }, 'unknown_chain', 'chainId'],
    ['a deadline that has passed', { validUntil: NOW }, 'invalid_request', 'validUntil'],
  ])('%s', async (_, change, code, field) => {
    const { accept, stored, batches } = setUp()
    await expect(accept({ ...REQUEST, ...change })).rejects.toMatchObject({ code, details: { field } })
    expect([stored, batches]).toEqual([[], []])
  })

  test('no chain named where there are several', async () => {
    const { accept } = setUp({ chainIds: [1, 10] })
    const refused = accept({ ...REQUEST, chainId: null })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('1, 10') })
  })

  test('a signer that the database no longer knows', async () => {
    const { accept, state } = setUp()
    state.outcome = { type: 'unknown_signer' }
    await expect(accept(REQUEST)).rejects.toMatchObject({ code: 'unknown_signer' })
  })
})

describe('a request id that was used before', () => {
  const keyed = { ...REQUEST, requestId: 'order-17' }

  async function acceptFirst(request: AcceptRequest): Promise<Transaction> {
    return (await setUp().accept(request)).transaction
  }

  test('the same body gets the first answer, though it would revert now', async () => {
    const { accept, state, stored } = setUp({ reverts: true })
    state.earlier = await acceptFirst(keyed)
    expect(await accept({ ...keyed })).toEqual({ type: 'existing', transaction: state.earlier })
    expect(stored).toEqual([])
  })

  test('the same body gets the first answer, though no place is left to simulate it', async () => {
    const { accept, state, stored } = setUp({
      onEstimate: () => {
        throw new AppError('queue_full', 'Too many requests are waiting.')
      },
    })
    await expect(accept({ ...keyed })).rejects.toMatchObject({ code: 'queue_full' })
    state.earlier = await acceptFirst(keyed)
    expect(await accept({ ...keyed })).toEqual({ type: 'existing', transaction: state.earlier })
    expect(stored).toEqual([])
  })

  test('the same body gets the first answer without waiting for a node that does not respond', async () => {
    const { accept, state, stored } = setUp({ isSilent: true })
    state.earlier = await acceptFirst(keyed)
    expect(await accept({ ...keyed })).toEqual({ type: 'existing', transaction: state.earlier })
    expect(stored).toEqual([])
  })

  test('a twin that was accepted while this one was simulated is its answer, not the revert', async () => {
    const first = await acceptFirst(keyed)
    const { accept, state } = setUp({
      reverts: true,
      onEstimate: () => {
        state.earlier = first
      },
    })
    expect(await accept(keyed)).toEqual({ type: 'existing', transaction: first })
  })

  test('the same body gets it even after its deadline', async () => {
    const { accept, state } = setUp()
    const late = { ...keyed, validUntil: NOW + 1, simulate: false }
    const first = await acceptFirst(late)
    const digest = digestRequest({ ...late, validUntil: NOW })
    state.earlier = { ...first, intent: { ...first.intent, requestDigest: digest } }
    expect(await accept({ ...late, validUntil: NOW })).toMatchObject({ type: 'existing' })
  })

  test.each([
    ['where spending rules would charge it', { hasRules: true }, {}],
    ['where its nonce would have to wait its turn', {}, { exactNonce: 5 }],
  ])('the same body gets the first answer before it is inserted, %s', async (_, options, own) => {
    const request = { ...keyed, simulate: false, ...own }
    const { accept, state, stored } = setUp(options)
    state.earlier = await acceptFirst(request)
    expect(await accept(request)).toEqual({ type: 'existing', transaction: state.earlier })
    expect(stored).toEqual([])
  })

  test('another body is a conflict that names the transaction', async () => {
    const { accept, state, stored } = setUp({ reverts: true })
    state.earlier = await acceptFirst(keyed)
    await expect(accept({ ...keyed, value: 1n })).rejects.toMatchObject({
      code: 'idempotency_conflict',
      details: { field: 'requestId', transactionId: 'id-0' },
    })
    expect(stored).toEqual([])
  })

  test('the same body gets the answer of a deleted transaction, though it would revert now; another is a conflict', async () => {
    const { accept, state, stored } = setUp({ reverts: true })
    const { id, intent } = await acceptFirst(keyed)
    state.earlier = { state: 'DELETED', id, requestDigest: intent.requestDigest }
    await expect(accept(keyed)).rejects.toMatchObject({ code: 'transaction_deleted', details: { transactionId: id } })
    await expect(accept({ ...keyed, value: 1n })).rejects.toMatchObject({ code: 'idempotency_conflict' })
    expect(stored).toEqual([])
  })

  test('what the insert finds counts just the same', async () => {
    const { accept, state } = setUp()
    const transaction = await acceptFirst(keyed)
    state.outcome = { type: 'existing', transaction }
    expect(await accept(keyed)).toEqual({ type: 'existing', transaction })
    state.outcome = { type: 'conflict', transactionId: 'id-9' }
    await expect(accept(keyed)).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  test.each([[true], [false]])(
    'the insert recognises it, so nothing else is looked up (simulate: %s)',
    async (simulate) => {
      const { accept, state } = setUp()
      await accept({ ...keyed, simulate })
      expect(state.lookups).toBe(0)
    },
  )
})

describe('a price that can never be mined', () => {
  const free = { ...REQUEST, fees: { type: 'legacy', gasPrice: 0n } as const }

  test.each([[true], [false]])('is refused at once (simulate: %s)', async (simulate) => {
    const { accept, stored } = setUp()
    await expect(accept({ ...free, simulate })).rejects.toMatchObject({
      code: 'transaction_rejected',
      details: { field: 'fees', reason: expect.stringMatching(/^max fee per gas less than block base fee/) },
    })
    expect(stored).toHaveLength(0)
  })

  test('is left to the lane where the market cannot be read', async () => {
    const { accept, stored, fakes } = setUp()
    fakes[0]?.setFault(({ name }) => (name === 'getFeeMarket' ? 'unavailable' : null))
    await accept(free)
    expect(stored).toHaveLength(1)
  })
})

test('what is refused in advance is not, where it repeats an earlier request', async () => {
  const { accept, state, stored } = setUp()
  const keyed = { ...REQUEST, requestId: 'order-17', exactNonce: 3 }
  const { transaction } = await accept(keyed)
  const refusal = new AppError('transaction_rejected', 'nonce too low')
  await expect(accept({ ...keyed, refusal })).rejects.toBe(refusal)
  state.earlier = transaction
  expect(await accept({ ...keyed, refusal })).toEqual({ type: 'existing', transaction })
  expect(stored).toHaveLength(1)
})
