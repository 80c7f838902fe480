/** A gap that cannot be filled yet gets one empty transaction, however long that waits. */
import { expect, test } from 'vitest'
import { FAST, type Policy } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'

const PHANTOM = `0x${'de'.repeat(32)}` as const
type Bench = Awaited<ReturnType<typeof createReservationBench>>

async function fillsOf({ store }: Bench) {
  const { items } = await store.listTransactions({}, { after: null, limit: 100 })
  return items.filter(({ intent }) => intent.priority === 1_000_000)
}

async function setUp(change: Partial<Policy> = {}) {
  const bench = await createReservationBench({ policy: { ...FAST, maxInFlight: 8, ...change } })
  await bench.startNode()
  return bench
}

test('a nonce taken from its holder, without funds', async () => {
  const bench = await setUp()
  const reserved = await bench.lend()
  await bench.soon(bench.reservations.act(reserved.id, 'me', { type: 'use', hash: PHANTOM }))
  bench.chain.setBalance(bench.lane.signer, 0n)
  await bench.mine()
  expect(await bench.takeBack()).toEqual(['filled'])
  for (let count = 0; count < 5; count++) {
    await bench.submit()
    await bench.clock.advance(500)
    await bench.mine()
  }
  expect(await fillsOf(bench)).toMatchObject([{ state: 'QUEUED', subState: 'waiting_for_funds' }])
  bench.chain.setBalance(bench.lane.signer, 10n ** 21n)
  for (let block = 0; block < 10; block++) {
    await bench.mine()
    await bench.clock.advance(500)
  }
  expect(await fillsOf(bench)).toMatchObject([{ state: 'CONFIRMED', nonce: reserved.nonce }])
})

test('a gap, while its fee is above the cap of the signer', async () => {
  const gwei = 10n ** 9n
  const bench = await setUp({ maxTxFeeWei: 40n * gwei * 21_000n })
  const [first, second] = (await bench.reserve(2)).reservations
  await bench.soon(bench.reservations.act(second?.id ?? '', 'me', { type: 'use', hash: PHANTOM }))
  bench.chain.setBaseFee(100n * gwei)
  await bench.mine()
  expect(await bench.takeBack('release', { id: first?.id ?? '' })).toEqual(['released'])
  for (let block = 0; block < 6; block++) {
    await bench.mine()
    await bench.clock.advance(500)
  }
  expect(await fillsOf(bench)).toMatchObject([{ state: 'QUEUED', subState: 'fee_above_cap' }])
  bench.chain.setBaseFee(gwei)
  for (let block = 0; block < 10; block++) {
    await bench.mine()
    await bench.clock.advance(500)
  }
  expect(await fillsOf(bench)).toMatchObject([{ state: 'CONFIRMED', nonce: 0 }])
})
