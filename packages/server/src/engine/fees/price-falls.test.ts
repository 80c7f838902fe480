/** What waits for a price, or for money that a lower price makes enough, goes on with the block that brings it. */
import { expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import { createTestCluster, type TestCluster } from '../../testing/engine/test-cluster.ts'

const GWEI = 10n ** 9n
const PLAIN = { gasLimit: 21_000n, simulate: false }
const PRESETS: readonly Policy[] = [STABLE, { ...FAST, externalUse: false }]

/** The price of the next block, seen by all. */
async function mineAt(cluster: TestCluster, wei: bigint): Promise<void> {
  cluster.chain.setBaseFee(wei)
  await cluster.mine(1)
}

test.each(PRESETS)('$preset: its own offer, the cap, and the balance', async (policy) => {
  const cluster = await createTestCluster({ policy: { ...policy, maxInFlight: 8 } })
  await cluster.startNode()
  await mineAt(cluster, 40n * GWEI)
  const fees = { type: 'eip1559', maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI } as const
  const waits: readonly [Partial<Policy>, Parameters<TestCluster['submit']>[0], bigint][] = [
    [{}, { ...PLAIN, fees }, 10n ** 21n],
    [{ maxFeePerGasWei: 5n * GWEI }, PLAIN, 10n ** 21n],
    [{ maxTxFeeWei: 21_000n * 5n * GWEI }, PLAIN, 10n ** 21n],
    [{}, PLAIN, 21_000n * 5n * GWEI],
  ]
  for (const [change, intent, balance] of waits) {
    await cluster.store.updateSigner(cluster.lane, { policy: { ...policy, maxInFlight: 8, ...change } }, NOTE)
    cluster.chain.setBalance(cluster.lane.signer, balance)
    await mineAt(cluster, 40n * GWEI)
    const id = await cluster.submit(intent)
    await cluster.clock.advance(20_000)
    expect(await cluster.find(id)).toMatchObject({ state: 'QUEUED', retryAt: expect.any(Number) })
    await mineAt(cluster, GWEI)
    expect(await cluster.find(id)).toMatchObject({ nonce: expect.any(Number) })
    await cluster.mine(5)
    expect((await cluster.find(id)).state).toBe('CONFIRMED')
  }
})

const NOTE = { type: 'signer.changed', cause: 'operator', detail: {} }

test('several that wait for different reasons continue together, as far as the funds last', async () => {
  const policy = { ...FAST, externalUse: false }
  const cluster = await createTestCluster({ policy })
  await cluster.startNode()
  await mineAt(cluster, 40n * GWEI)
  const fees = { type: 'eip1559', maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI } as const
  const offering = await cluster.submit({ ...PLAIN, fees })
  await cluster.clock.advance(100)
  cluster.chain.setBalance(cluster.lane.signer, 21_000n * 10n * GWEI)
  await mineAt(cluster, 40n * GWEI)
  const poor = await cluster.submit(PLAIN)
  await cluster.clock.advance(100)
  expect(await cluster.find(poor)).toMatchObject({ subState: 'waiting_for_funds' })
  await mineAt(cluster, GWEI)
  await cluster.clock.advance(100)
  for (const id of [offering, poor]) expect(await cluster.find(id)).toMatchObject({ nonce: expect.any(Number) })
})
