/** A standby was promoted: a lane goes on only if the chain has seen no more than the database has. */
import { expect, test } from 'vitest'
import { FAST } from '../../core/lane/policy.ts'
import { createTestCluster, type TestCluster } from '../../testing/engine/test-cluster.ts'

/** Every load says that the database was promoted since the cursor last moved. */
function promote({ store }: TestCluster): void {
  const writable = store as { loadLane: TestCluster['store']['loadLane'] }
  const real = writable.loadLane
  writable.loadLane = async (lane) => ({ ...(await real(lane)), isPromotedSince: true })
}

async function pausesOf({ store }: TestCluster) {
  const events = await store.readEvents(0, 1_000)
  return events.flatMap(({ type, cause, detail }) => (type === 'signer.paused' ? [[cause, detail.by]] : []))
}

/** One transaction is confirmed, and the key has sent two more that the database does not know. */
async function startBehind(cluster: TestCluster): Promise<void> {
  const node = await cluster.startNode('node-a')
  await cluster.submit()
  await cluster.clock.advance(100)
  await cluster.mine(5)
  node.kill()
  await cluster.sendForeign(1)
  await cluster.sendForeign(2)
  cluster.chain.mine()
}

test('the chain is past the cursor: the signer is paused and the alarm raised, once, and the drift is told', async () => {
  const cluster = await createTestCluster({ policy: FAST })
  await startBehind(cluster)
  promote(cluster)
  const next = await cluster.startNode('node-b')
  const id = await cluster.submit()
  await cluster.clock.advance(60_000)
  await cluster.mine(3)
  expect(await cluster.find(id)).toMatchObject({ state: 'QUEUED' })
  expect(await cluster.mined()).toHaveLength(3)
  expect(await pausesOf(cluster)).toEqual([['lost_writes', 2]])
  expect(next.telemetry.logs.filter(({ message }) => message.includes('lacked the last writes'))).toHaveLength(1)
  const [status] = await cluster.store.listLaneStatus({ lane: cluster.lane })
  expect(status).toMatchObject({ signer: { paused: true }, health: { counts: { drift: -2 } } })
})

test('the chain is where the cursor is: nothing was lost, and it goes on', async () => {
  const cluster = await createTestCluster({ policy: FAST })
  const node = await cluster.startNode('node-a')
  await cluster.submit()
  await cluster.clock.advance(100)
  await cluster.mine(5)
  node.kill()
  promote(cluster)
  await cluster.startNode('node-b')
  const id = await cluster.submit()
  await cluster.clock.advance(60_000)
  await cluster.mine(5)
  expect((await cluster.find(id)).state).toBe('CONFIRMED')
  expect(await pausesOf(cluster)).toEqual([])
})

test('without a promotion, a signer that others use too follows the chain as before', async () => {
  const cluster = await createTestCluster({ policy: FAST })
  await startBehind(cluster)
  await cluster.startNode('node-b')
  const id = await cluster.submit()
  await cluster.clock.advance(60_000)
  await cluster.mine(5)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 3 })
  expect(await pausesOf(cluster)).toEqual([])
})

test('while the chain does not respond, the lane waits: it cannot know', async () => {
  const cluster = await createTestCluster({ policy: FAST })
  await startBehind(cluster)
  promote(cluster)
  cluster.chain.setFault(({ name }) => (name === 'getCounts' ? 'unavailable' : null))
  await cluster.startNode('node-b')
  const id = await cluster.submit()
  await cluster.clock.advance(60_000)
  expect(await cluster.find(id)).toMatchObject({ state: 'QUEUED' })
  expect(await pausesOf(cluster)).toEqual([])
  cluster.chain.setFault(null)
  await cluster.clock.advance(60_000)
  await cluster.mine(2)
  expect(await pausesOf(cluster)).toEqual([['lost_writes', 2]])
  expect(await cluster.mined()).toHaveLength(3)
})
