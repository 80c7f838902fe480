import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFakeChain } from '../chain/fake-chain.ts'
import { STABLE } from '../core/policy.ts'
import type { Queued, Transaction } from '../core/transaction.ts'
import type { Call, Chain } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import { type NewTransaction, type Notice, type SignerRecord, StoreUnavailable } from '../ports/store.ts'
import { createRecordingTelemetry } from '../telemetry/recording-telemetry.ts'
import { type AcceptRequest, createAccept, createKnownSigners, digestRequest } from './accept.ts'
import type { IntakeOutcome } from './intake.ts'

const SIGNER = `0x${'11'.repeat(20)}` as const
const STRANGER = `0x${'99'.repeat(20)}` as const
const TARGET = `0x${'22'.repeat(20)}` as const
const NOW = 1_000_000

const REQUEST: AcceptRequest = {
  ...{ chainId: 1, from: SIGNER, to: TARGET, data: '0x', value: 0n, gasLimit: null, fees: null, speed: null },
  ...{ priority: null, validUntil: null, requestId: null, finality: null, simulate: null, metadata: {} },
}

/** Time stands still: what is due within moments runs after the current turn, deadlines never come. */
const clock: Clock = {
  now: () => NOW,
  monotonic: () => 0,
  schedule(delayMs, run) {
    if (delayMs > 100) return () => {}
    const timer = setImmediate(run)
    return () => clearImmediate(timer)
  },
}

function queued({ id, intent }: NewTransaction): Queued {
  return {
    ...{ id, intent, version: 1, state: 'QUEUED', subState: 'accepted', error: null, suspended: false, createdAt: 0 },
    ...{ attempts: [], retryAt: null, prepareFailures: 0 },
  }
}

function record(chainId: number): SignerRecord {
  return { lane: { chainId, signer: SIGNER }, policy: STABLE, label: null, paused: false, createdAt: 0 }
}

interface SetUpOptions {
  readonly reverts?: boolean
  readonly balance?: bigint
  readonly chainIds?: readonly number[]
  readonly clock?: Clock
  readonly silent?: boolean
  readonly onEstimate?: () => void
}

/** One chain, one signer, and an intake that keeps what it is given; every call to the chain is counted. */
function setUp(options: SetUpOptions = {}) {
  const batches: (readonly Call[])[] = []
  const stored: NewTransaction[] = []
  const telemetry = createRecordingTelemetry()
  const chains = new Map<number, Chain>()
  const fakes = (options.chainIds ?? [1]).map((chainId) =>
    createFakeChain({
      chainId,
      balances: { [SIGNER]: options.balance ?? 10n ** 18n },
      behave: () =>
        options.reverts === true
          ? { type: 'reverted', reason: 'Paused', data: '0x1234', gas: 1n }
          : { type: 'ok', gas: 21_000n },
    }),
  )
  for (const fake of fakes) {
    const estimate: Chain['estimate'] = (calls) => {
      batches.push(calls)
      options.onEstimate?.()
      if (options.silent === true) return new Promise(() => {})
      return fake.estimate(calls)
    }
    chains.set(fake.chainId, { ...fake, estimate })
  }
  const state = { earlier: null as Transaction | null, lookups: 0, outcome: null as IntakeOutcome | null }
  const accept = createAccept({
    chains,
    ...{ clock: options.clock ?? clock, telemetry },
    store: {
      listTransactions: async () => {
        state.lookups += 1
        return { items: state.earlier === null ? [] : [state.earlier], next: null }
      },
    },
    signers: {
      find: async (lane) => (lane.signer === SIGNER && chains.has(lane.chainId) ? record(lane.chainId) : null),
      peek: () => null,
      close() {},
    },
    intake: {
      submit: async (item) => {
        stored.push(item)
        return state.outcome ?? { type: 'inserted', transaction: queued(item) }
      },
    },
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
      ...{ speed: 'standard', priority: 0, simulate: true, requestId: null },
    })
    expect(batches).toHaveLength(1)
    expect(telemetry.valueOf('drover_transactions_accepted_total', { result: 'accepted' })).toBe(1)
  })

  test('requests that come together are simulated by one call', async () => {
    const { accept, batches } = setUp()
    await Promise.all([1n, 2n, 3n].map((value) => accept({ ...REQUEST, value })))
    expect(batches.map((calls) => calls.map((call) => call.value))).toEqual([[1n, 2n, 3n]])
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

test('a node that is silent holds nobody up for long', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const ticking: Clock = {
    ...{ now: () => Date.now(), monotonic: () => Date.now() },
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
  }
  const { accept, telemetry } = setUp({ clock: ticking, silent: true })
  const accepting = accept(REQUEST)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await accepting).toMatchObject({ type: 'accepted' })
  expect(telemetry.logs).toMatchObject([{ message: 'accepted without simulation' }])
})

describe('refusal leaves nothing behind', () => {
  test('a certain revert, with its reason', async () => {
    const { accept, stored, telemetry } = setUp({ reverts: true })
    await expect(accept(REQUEST)).rejects.toMatchObject({
      code: 'transaction_rejected',
      details: { reason: 'Paused', outcome: 'reverted', revertData: '0x1234' },
    })
    expect(stored).toEqual([])
    expect(telemetry.valueOf('drover_transactions_accepted_total', { result: 'transaction_rejected' })).toBe(1)
  })

  test('an account that cannot pay', async () => {
    const { accept, stored } = setUp({ balance: 1n })
    await expect(accept({ ...REQUEST, value: 2n })).rejects.toMatchObject({
      code: 'transaction_rejected',
      details: { outcome: 'insufficient_funds' },
    })
    expect(stored).toEqual([])
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

  test('the same body gets the first answer, without a call to the chain, though it would revert now', async () => {
    const { accept, state, stored, batches } = setUp({ reverts: true })
    state.earlier = await acceptFirst(keyed)
    expect(await accept({ ...keyed })).toEqual({ type: 'existing', transaction: state.earlier })
    expect([stored, batches]).toEqual([[], []])
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
    state.earlier = { ...(await acceptFirst(late)) }
    const digest = digestRequest({ ...late, validUntil: NOW })
    state.earlier = { ...state.earlier, intent: { ...state.earlier.intent, requestDigest: digest } }
    expect(await accept({ ...late, validUntil: NOW })).toMatchObject({ type: 'existing' })
  })

  test('another body is a conflict that names the transaction', async () => {
    const { accept, state, stored } = setUp()
    state.earlier = await acceptFirst(keyed)
    await expect(accept({ ...keyed, value: 1n })).rejects.toMatchObject({
      code: 'idempotency_conflict',
      details: { field: 'requestId', transactionId: 'id-0' },
    })
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

  test('without simulation the insert alone decides, so nothing is looked up', async () => {
    const { accept, state } = setUp()
    await accept({ ...keyed, simulate: false })
    expect(state.lookups).toBe(0)
  })
})

describe('the digest of a request', () => {
  test('does not depend on the order of fields or on the request id', () => {
    const a = digestRequest({ ...REQUEST, metadata: { a: '1', b: '2' }, requestId: 'x' })
    const reversed = Object.fromEntries(
      Object.entries({ ...REQUEST, requestId: 'y' }).reverse(),
    ) as unknown as AcceptRequest
    expect(digestRequest({ ...reversed, metadata: { b: '2', a: '1' } })).toBe(a)
    expect(a).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('depends on everything else', () => {
    const changes: Partial<AcceptRequest>[] = [
      { chainId: 2 },
      { from: STRANGER },
      { to: null },
      { data: '0x00' },
      { value: 1n },
      { gasLimit: 1n },
      { fees: { type: 'legacy', gasPrice: 1n } },
      { speed: 'fast' },
      { priority: 1 },
      { validUntil: 1 },
      { finality: { type: 'safe' } },
      { simulate: false },
      { metadata: { a: '1' } },
    ]
    const digests = [{}, ...changes].map((change) => digestRequest({ ...REQUEST, ...change }))
    expect(new Set(digests).size).toBe(changes.length + 1)
  })
})

describe('known signers', () => {
  function setUpSigners(...registered: SignerRecord[]) {
    let signers: readonly SignerRecord[] = registered
    let reads = 0
    let fails = false
    let time = 0
    const listeners = new Set<(notice: Notice) => void>()
    const telemetry = createRecordingTelemetry()
    const known = createKnownSigners({
      clock: { ...clock, monotonic: () => time },
      telemetry,
      store: {
        listSigners: async () => {
          reads += 1
          if (fails) throw new StoreUnavailable('down')
          return signers
        },
        listen(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
    })
    return {
      ...{ known, listeners, telemetry },
      reads: () => reads,
      register: (...records: SignerRecord[]) => {
        signers = records
      },
      breakStore: () => {
        fails = true
      },
      advance: (ms: number) => {
        time += ms
      },
    }
  }
  const lane = { chainId: 1, signer: SIGNER }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('one that is not known is looked up before it is refused, and then remembered', async () => {
    const { known, register, reads } = setUpSigners()
    expect(await known.find(lane)).toBeNull()
    const readsBefore = reads()
    register(record(1))
    expect(await known.find(lane)).toEqual(record(1))
    expect(await known.find(lane)).toEqual(record(1))
    expect(reads()).toBe(readsBefore + 1)
    expect(known.peek(lane)).toEqual(record(1))
  })

  test('they are read at the start, before anybody asks', async () => {
    const { known } = setUpSigners(record(1))
    await turn()
    expect(known.peek(lane)).toEqual(record(1))
  })

  test('one registered while a read is under way is not refused by that read', async () => {
    const { known, register } = setUpSigners()
    const early = known.find(lane)
    register(record(1))
    const late = known.find(lane)
    await early
    expect(await late).toEqual(record(1))
  })

  test('they are read anew on notice and when they grow old, behind the answer', async () => {
    const { known, register, listeners, advance, reads } = setUpSigners()
    register(record(1))
    await known.find(lane)
    const readsBefore = reads()
    register({ ...record(1), paused: true })
    for (const listener of listeners) listener({ type: 'nodes.changed' })
    await turn()
    expect(known.peek(lane)?.paused).toBe(true)
    register(record(1))
    advance(5_001)
    expect((await known.find(lane))?.paused).toBe(true)
    await turn()
    expect(known.peek(lane)?.paused).toBe(false)
    expect(reads()).toBe(readsBefore + 2)
    known.close()
    expect(listeners.size).toBe(0)
  })

  test('a store that is down leaves those that are known, and says so; the unknown cannot be told', async () => {
    const { known, register, breakStore, advance, telemetry } = setUpSigners()
    register(record(1))
    await known.find(lane)
    breakStore()
    advance(5_001)
    expect(await known.find(lane)).toEqual(record(1))
    await turn()
    expect(telemetry.logs).toMatchObject([{ level: 'warn' }])
    await expect(known.find({ chainId: 1, signer: STRANGER })).rejects.toBeInstanceOf(StoreUnavailable)
  })
})
