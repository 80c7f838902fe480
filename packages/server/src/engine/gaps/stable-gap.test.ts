/** Under `stable` nobody fills a gap but an operator: it is found and told, and stays. */
import { expect, test } from 'vitest'
import { STABLE } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'
import { createFillGaps } from './fill-gaps.ts'

const PHANTOM = `0x${'de'.repeat(32)}` as const

test('a nonce that came back below one that is on its way stays free', async () => {
  const bench = await createReservationBench({ policy: { ...STABLE, maxInFlight: 8 } })
  await bench.startNode()
  const [first, second] = (await bench.reserve(2)).reservations
  await bench.soon(bench.reservations.act(second?.id ?? '', 'me', { type: 'use', hash: PHANTOM }))
  expect(await bench.takeBack('release', { id: first?.id ?? '' })).toEqual(['released'])
  for (let block = 0; block < 10; block++) {
    await bench.mine()
    await bench.clock.advance(5_000)
  }
  const { items } = await bench.store.listTransactions({}, { after: null, limit: 100 })
  expect(items).toEqual([])
  expect((await bench.store.loadLane(bench.lane)).recyclable).toEqual([first?.nonce])
})

test('a nonce left to a foreign transaction that the pools dropped is found, and an operator can fill it', async () => {
  const cluster = await createTestCluster({ policy: { ...STABLE, externalUse: true, maxInFlight: 8 } })
  const { store, clock } = cluster
  await cluster.startNode()
  await cluster.sendForeign(0)
  const id = await cluster.submit()
  await clock.advance(100)
  expect(await cluster.find(id)).toMatchObject({ nonce: 1 })
  cluster.chain.dropPool()
  const mineFor = async (blocks: number): Promise<void> => {
    for (let block = 0; block < blocks; block++) {
      await cluster.mine(1)
      await clock.advance(STABLE.bumpAfterMs / 5)
    }
  }
  await mineFor(20)
  expect(await cluster.mined()).toEqual([])
  expect((await store.loadLane(cluster.lane)).recyclable).toEqual([0])
  const fillGaps = createFillGaps({ store, clock, random: { id: () => '00000000-0000-7000-8000-0000000000f1' } })
  await fillGaps(cluster.lane, { actor: 'ann', reason: 'a gap' })
  await mineFor(20)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
})
