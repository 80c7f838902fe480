/** An operator's amendment: the owner of the lane reads what was changed, and the rest stays as it is. */
import { expect, test } from 'vitest'
import { operate, POLICY } from '../../testing/engine/fast-bench.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'

test('one changed transaction is read again and acted on; the lane is not loaded again', async () => {
  const cluster = await createTestCluster({ policy: POLICY })
  const { store } = await cluster.startNode()
  const ids = await Promise.all([cluster.submit(), cluster.submit(), cluster.submit()])
  await cluster.clock.advance(100)
  const loads = store.calls.get('loadLane')
  await operate(cluster, ids[1] ?? '', 'operator.sped_up')
  await cluster.clock.advance(100)
  expect(store.calls.get('loadLane')).toBe(loads)
  expect((await cluster.find(ids[1] ?? '')).attempts).toHaveLength(2)
  await cluster.mine(5)
  for (const id of ids) expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
})

test('a cancelled queued transaction gets no nonce, and the lane is not loaded again', async () => {
  const cluster = await createTestCluster({ policy: { ...POLICY, maxInFlight: 1 } })
  const { store } = await cluster.startNode()
  const [first, second, third] = [await cluster.submit(), await cluster.submit(), await cluster.submit()]
  await cluster.clock.advance(100)
  const loads = store.calls.get('loadLane')
  await operate(cluster, second, 'operator.cancelled')
  for (let block = 0; block < 8; block++) await cluster.mine()
  expect(store.calls.get('loadLane')).toBe(loads)
  expect(await cluster.find(first)).toMatchObject({ state: 'CONFIRMED', nonce: 0 })
  expect(await cluster.find(second)).toMatchObject({ state: 'CANCELLED', nonce: null })
  expect(await cluster.find(third)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
})

test('an amendment that gives up a nonce loads the lane again', async () => {
  const cluster = await createTestCluster({ policy: POLICY })
  const { store } = await cluster.startNode()
  const id = await cluster.submit()
  await cluster.clock.advance(100)
  const tx = await cluster.find(id)
  if (tx.state !== 'TRACKING') throw new Error(`expected TRACKING, got ${tx.state}`)
  const loads = store.calls.get('loadLane') ?? 0
  const before = { version: tx.version, state: tx.state, attemptCount: tx.attempts.length }
  const { intent, version, createdAt, attempts } = tx
  const kept = { id, intent, version, createdAt, attempts, error: null, suspended: false }
  const dropped = { ...kept, state: 'CANCELLED', subState: 'cancelled', nonce: null, finalAt: createdAt } as const
  const mark = { nonce: tx.nonce, status: 'USED', txId: null } as const
  await cluster.store.amend({ before, tx: dropped, notes: [] }, [mark])
  await cluster.clock.advance(100)
  expect(store.calls.get('loadLane')).toBe(loads + 1)
})
