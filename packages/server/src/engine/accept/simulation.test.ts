import { expect, onTestFinished, test, vi } from 'vitest'
import type { Intent } from '../../core/transaction/transaction.ts'
import type { Call, Chain } from '../../ports/chain.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { queued } from '../../testing/core/sample-transactions.ts'
import { timerClock as clock } from '../../testing/engine/timer-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createUpstreamPace, type UpstreamPace } from '../tenants/upstream-pace.ts'
import { createSimulation } from './simulation.ts'

const { intent } = queued()
const PASSED = { type: 'passed' }
const SKIPPED = { type: 'skipped' }

interface SetUpOptions {
  readonly balance?: bigint
  readonly estimate?: Chain['estimate']
  readonly headOf?: () => null
  readonly pace?: UpstreamPace
}

function setUp(options: SetUpOptions = {}) {
  const batches: (readonly Call[])[] = []
  const telemetry = createRecordingTelemetry()
  const { chainId, signer } = intent.lane
  const fake = createFakeChain({
    chainId,
    balances: { [signer]: options.balance ?? 10n ** 18n },
    behave: ({ data }) =>
      data === '0xdead'
        ? { type: 'reverted', reason: 'Paused', data: '0x1234', gas: 1n }
        : { type: 'ok', gas: 21_000n },
  })
  const estimate: Chain['estimate'] = (calls, head) => {
    batches.push(calls)
    return (options.estimate ?? fake.estimate)(calls, head)
  }
  const simulate = createSimulation({
    chains: new Map([[chainId, { ...fake, estimate }]]),
    clock,
    telemetry,
    simulationTimeoutMs: 1_000,
    headOf: options.headOf ?? (() => fake.head()),
    paceOf: () => options.pace,
  })
  const tryOut = (change: Partial<Intent> = {}, tenant: string | null = null) =>
    simulate({ ...intent, ...change }, tenant)
  return { tryOut, batches, telemetry }
}

test('calls that come together go to the chain as one batch, and each gets its own verdict', async () => {
  const { tryOut, batches } = setUp()
  const verdicts = await Promise.all([tryOut({ value: 1n }), tryOut({ data: '0xdead' }), tryOut({ value: 3n })])
  expect(verdicts).toMatchObject([PASSED, { error: { code: 'transaction_rejected' } }, PASSED])
  expect(batches.map((calls) => calls.map((call) => call.value))).toEqual([[1n, 5n, 3n]])
})

test('a certain revert is reported with its reason, missing funds as missing funds', async () => {
  expect(await setUp().tryOut({ data: '0xdead' })).toMatchObject({
    type: 'refused',
    error: {
      code: 'transaction_rejected',
      details: { outcome: 'reverted', reason: 'Paused', revertData: '0x1234' },
    },
  })
  const poor = await setUp({ balance: 1n }).tryOut()
  expect(poor).toMatchObject({ type: 'refused', error: { details: { outcome: 'insufficient_funds' } } })
})

test('a missing answer says nothing against that call', async () => {
  const { tryOut, telemetry } = setUp({ estimate: async () => [{ type: 'ok', gas: 1n }] })
  expect(await Promise.all([tryOut(), tryOut()])).toEqual([{ ...PASSED, gas: 1n }, SKIPPED])
  expect(telemetry.logs).toMatchObject([{ level: 'warn', message: 'accepted without simulation' }])
})

test('a node that refuses to run one call in words that prove nothing does not refuse it', async () => {
  const { tryOut, telemetry } = setUp({ estimate: async () => [{ type: 'unknown', message: 'header not found' }] })
  expect(await tryOut()).toEqual(SKIPPED)
  expect(telemetry.logs).toMatchObject([{ level: 'warn', fields: { error: 'header not found' } }])
})

test('a failure counts only at the head that is followed: before there is one, nobody is turned away', async () => {
  const { tryOut, telemetry } = setUp({ headOf: () => null })
  expect(await tryOut({ data: '0xdead' })).toEqual(SKIPPED)
  expect(telemetry.logs).toMatchObject([{ level: 'warn', message: 'accepted without simulation' }])
})

test('a silent node delays nobody for long', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { tryOut, telemetry } = setUp({ estimate: () => new Promise(() => {}) })
  const verdict = tryOut()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await verdict).toEqual(SKIPPED)
  expect(telemetry.logs).toMatchObject([{ message: 'accepted without simulation' }])
})

test('a bug is not reported as an unreachable node', async () => {
  const { tryOut } = setUp({ estimate: () => Promise.reject(new TypeError('bug')) })
  await expect(tryOut()).rejects.toBeInstanceOf(TypeError)
})

test('calls that take a node long are few at a time, and delay nobody but their own tenant [G12]', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const pace = createUpstreamPace({ clock, distanceMs: () => 0 })
  await pace.run('other', async () => {})
  let heavy = 0
  const { tryOut, batches } = setUp({
    pace,
    estimate: async (calls) => {
      const slow = calls.filter(({ data }) => data === '0xbeef').length
      heavy += slow
      if (slow > 0) await new Promise((resolve) => clock.schedule(slow * 100, () => resolve(null)))
      return calls.map(() => ({ type: 'ok', gas: 1n }))
    },
  })
  const burning = Array.from({ length: 150 }, (_, value) => tryOut({ data: '0xbeef', value: BigInt(value) }, 'burner'))
  await vi.advanceTimersByTimeAsync(20)
  const other = tryOut({ value: 7n }, 'other')
  await vi.advanceTimersByTimeAsync(5)
  // While the node is still busy with the first few of the others.
  expect(await other).toEqual({ ...PASSED, gas: 1n })
  expect(batches.map(({ length }) => length)).toEqual([4, 1])
  await vi.advanceTimersByTimeAsync(1_000)
  const outcomes = await Promise.all(burning)
  // The rest is accepted without a simulation, and reached no node.
  expect(outcomes.filter(({ type }) => type === 'skipped').length).toBe(150 - 4)
  expect(heavy).toBe(4)
})
