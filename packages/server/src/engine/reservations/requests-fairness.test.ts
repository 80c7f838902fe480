/** A steady queue does not keep a caller from a nonce; and what was cancelled is not sent again. */
import { expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import { transition } from '../../core/transaction/transition.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'
import { createReservations } from './reserve.ts'

const BY = { actor: 'ann', reason: 'drill' }

for (const [name, policy] of [
  ['fast', { ...FAST, maxInFlight: 2 }],
  ['stable', STABLE],
] as const)
  for (const latencyMs of [0, 30])
    test(`${name}, ${latencyMs} ms: a request for a nonce is answered although the queue is never empty`, async () => {
      const cluster = await createTestCluster({ policy })
      const { store, clock, lane, chain } = cluster
      if (latencyMs > 0) {
        const real = chain.getTransactionCount
        ;(chain as { getTransactionCount: typeof real }).getTransactionCount = async (address, tag) => {
          const count = await real(address, tag)
          await new Promise<void>((resolve) => void clock.schedule(latencyMs, resolve))
          return count
        }
      }
      await cluster.startNode()
      let ids = 0
      const random = { id: () => `01890a5d-0000-7000-8000-${(++ids).toString().padStart(12, '0')}` }
      const reservations = createReservations({ store, clock, random, chains: new Map([[lane.chainId, chain]]) })
      for (let count = 0; count < 300; count++) await cluster.submit()
      await clock.advance(500)
      const asked = reservations.reserve({
        lane,
        count: 1,
        ttlMs: 600_000,
        label: null,
        requestId: null,
        lockOwner: 'me',
      })
      asked.catch(() => {})
      let blocks = 0
      for (; blocks < 100; blocks++) {
        await clock.advance(2_000)
        await cluster.mine()
        const [row] = (await store.readLaneRequests(lane)).reservations
        if (row?.state === 'RESERVED') break
      }
      reservations.close()
      expect(blocks).toBeLessThan(20)
    })

test('what was cancelled is not sent again while its cancellation cannot be signed', async () => {
  const policy: Policy = { ...FAST, bumpAfterMs: 10_000, resubmitIntervalMs: 10_000 }
  const cluster = await createTestCluster({ policy })
  await cluster.startNode()
  const id = await cluster.submit()
  await cluster.clock.advance(100)
  const original = (await cluster.find(id)).attempts[0]?.hash
  // The market cannot be read, so no cancellation is signed; the pool is lost.
  cluster.chain.setFault(({ name }) => (name === 'getFeeMarket' ? 'unavailable' : null))
  const tx = await cluster.find(id)
  const step = transition(tx, { type: 'operator.cancelled', at: cluster.clock.now(), by: BY }, policy)
  const { version, state, attempts } = tx
  await cluster.store.amend(
    { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes },
    [],
  )
  cluster.chain.dropPool()
  await cluster.clock.advance(100)
  const sentBefore = cluster.sent.filter(({ hash }) => hash === original).length
  for (let count = 0; count < 8; count++) {
    await cluster.clock.advance(2_000)
    cluster.chain.mine(() => false)
  }
  expect(cluster.sent.filter(({ hash }) => hash === original).length).toBe(sentBefore)
})
