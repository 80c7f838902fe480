import { expect, test } from 'vitest'
import { ChainUnavailable } from '../../ports/chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { anyLane } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createAccountWatch } from './account-watch.ts'

/** An account whose balance is answered when the test says so. */
function setUp() {
  const lane = anyLane()
  const asked: { resolve(wei: bigint | null): void; reject(error: Error): void }[] = []
  const account = createAccountWatch({
    chain: { getBalance: async () => 7n, getCode: async () => '0x' },
    balances: { read: () => new Promise((resolve, reject) => asked.push({ resolve, reject })) },
    clock: createManualClock(),
    telemetry: createRecordingTelemetry(),
    lane,
    wake: () => {},
  })
  return { account, asked }
}

test('funds for transactions in flight are not committed twice', async () => {
  const { account, asked } = setUp()
  const reading = account.readBalance(1, () => 30n)
  asked[0]?.resolve(100n)
  await reading
  expect(account.available()).toBe(70n)
  account.commit(20n)
  expect(account.available()).toBe(50n)
})

test('funds committed while the balance is read are not committed twice', async () => {
  const { account, asked } = setUp()
  const reading = account.readBalance(1, () => 30n)
  account.commit(25n)
  asked[0]?.resolve(100n)
  await reading
  expect(account.available()).toBe(45n)
  // The next reading counts it among those in flight.
  const next = account.readBalance(2, () => 55n)
  asked[1]?.resolve(100n)
  await next
  expect(account.available()).toBe(45n)
})

test('without an answer for the head, the latest balance of a node limits sends, but is not reported', async () => {
  const { account, asked } = setUp()
  const reading = account.readBalance(1, () => 3n)
  asked[0]?.resolve(null)
  await reading
  expect([account.available(), account.takeNews()]).toEqual([4n, null])
})

test('an unknown balance limits nothing', async () => {
  const { account, asked } = setUp()
  const reading = account.readBalance(1, () => 3n)
  asked[0]?.reject(new ChainUnavailable('away'))
  await reading
  expect(account.available()).toBeNull()
})
