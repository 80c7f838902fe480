/** Bytes that were refused for certain are signed again under the nonce that they gave back: the same hash. */
import { expect, test } from 'vitest'
import { FAST, type Policy } from '../../core/lane/policy.ts'
import { makeTransfersDear } from '../../testing/engine/dear-transfers.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'

const POLICY: Policy = { ...FAST, maxInFlight: 200, bumpAfterMs: 10_000 }
const TO = `0x${'ab'.repeat(20)}` as const
const BAD = { to: TO, gasLimit: 20_000n, simulate: false }

test('the same bad intent posted twice does not stop the lane', async () => {
  const cluster = await createTestCluster({ policy: POLICY })
  const node = await cluster.startNode()
  const first = await cluster.submit(BAD)
  await cluster.clock.advance(200)
  expect(await cluster.find(first)).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
  const second = await cluster.submit(BAD)
  const good = await cluster.submit()
  for (let count = 0; count < 30; count++) {
    await cluster.clock.advance(2_000)
    await cluster.mine()
  }
  const refused = node.telemetry.valueOf('drover_lane_reloads_total', { cause: 'refused' })
  expect.soft(refused).toBeLessThan(3)
  expect.soft(await cluster.find(second)).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
  expect(await cluster.find(good)).toMatchObject({ state: 'CONFIRMED' })
})

test('a fill that every node refuses (an empty transfer needs more than 21,000 gas there) does not stop the lane', async () => {
  const cluster = await createTestCluster({ policy: POLICY, chain: { behave: () => ({ type: 'ok', gas: 24_000n }) } })
  const node = await cluster.startNode()
  makeTransfersDear(cluster, 24_000n)
  const { to: _, ...bad } = BAD
  await cluster.submit(bad)
  const good = await cluster.submit()
  for (let count = 0; count < 30; count++) {
    await cluster.clock.advance(2_000)
    // On a market that moves, the bytes differ each time and another fill is made each time.
    await cluster.mine()
  }
  const { items } = await cluster.store.listTransactions({}, { after: null, limit: 10_000 })
  const fills = items.filter(({ intent }) => intent.metadata.purpose === 'gap_fill')
  expect.soft(node.telemetry.valueOf('drover_lane_reloads_total', { cause: 'refused' })).toBeLessThan(3)
  expect.soft(fills.length).toBeLessThan(20)
  expect(await cluster.find(good)).toMatchObject({ state: 'CONFIRMED' })
})

test('the same, on a market that moves: no fill after fill', async () => {
  const cluster = await createTestCluster({ policy: POLICY })
  await cluster.startNode()
  const { chain } = cluster
  makeTransfersDear(cluster, 24_000n)
  const { broadcast } = chain
  let fee = 10n ** 9n
  ;(chain as { broadcast: typeof broadcast }).broadcast = async (raws) => {
    if (fee < 2n * 10n ** 9n) chain.setBaseFee(++fee)
    return await broadcast(raws)
  }
  const { to: _, ...bad } = BAD
  await cluster.submit(bad)
  await cluster.submit()
  await cluster.clock.advance(1_000)
  const { items } = await cluster.store.listTransactions({}, { after: null, limit: 10_000 })
  expect(items.filter(({ intent }) => intent.metadata.purpose === 'gap_fill').length).toBeLessThan(5)
})
