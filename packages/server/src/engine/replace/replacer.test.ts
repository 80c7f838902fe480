/** Replacements while the price cannot be read. */
import { expect, test } from 'vitest'
import { operate, POLICY } from '../../testing/engine/fast-bench.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'

async function setUp() {
  const cluster = await createTestCluster({ policy: POLICY })
  await cluster.startNode()
  const id = await cluster.submit()
  await cluster.clock.advance(100)
  const kinds = async () => (await cluster.find(id)).attempts.map(({ kind }) => kind)
  return { cluster, id, kinds }
}

test('what could not be read is asked for again, although no block comes', async () => {
  const { cluster, id, kinds } = await setUp()
  cluster.chain.setFault(({ name }) => (name === 'getFeeMarket' ? 'unavailable' : null))
  // What was read at an older head does not count.
  cluster.chain.mine(() => false)
  await cluster.clock.advance(500)
  await operate(cluster, id, 'operator.cancelled')
  expect(await kinds()).toEqual(['original'])
  cluster.chain.setFault(null)
  await cluster.clock.advance(6_000)
  expect(await kinds()).toEqual(['original', 'cancel'])
})

test('what was not ordered and is paid well enough is left alone', async () => {
  const { cluster, kinds } = await setUp()
  for (let block = 0; block < 10; block++) {
    await cluster.clock.advance(2_000)
    cluster.chain.mine(() => false)
  }
  await cluster.clock.advance(200)
  expect(await kinds()).toEqual(['original'])
})
