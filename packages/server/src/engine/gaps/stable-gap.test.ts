/** Under `stable` nobody fills a gap but an operator: it is told, and stays. */
import { expect, test } from 'vitest'
import { STABLE } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'

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
