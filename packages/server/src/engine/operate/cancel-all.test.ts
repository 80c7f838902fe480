/** `cancel all, then reset` on whole lanes: what it meets on its way, and what must not happen meanwhile. */
import { expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'

const BUSY: Policy = { ...FAST, maxInFlight: 8, onForeignNonce: 'stuck' }
type Bench = Awaited<ReturnType<typeof createReservationBench>>

async function order({ store, lane, clock }: Bench): Promise<string> {
  const id = '01890a5d-1111-7000-8000-000000000001'
  await store.insertReset({ id, lane, actor: 'ann', reason: 'clean start', cancelsFirst: true })
  await clock.advance(300)
  return id
}

async function mineOn({ mine, clock }: Bench, blocks = 8): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await mine()
    await clock.advance(500)
  }
}

async function setUp(policy: Policy = BUSY) {
  const bench = await createReservationBench({ policy })
  return { bench, node: await bench.startNode() }
}

test('everything in flight is cancelled, queued transactions wait, then continue from the nonce of the chain', async () => {
  const { bench } = await setUp()
  const ids = [await bench.submit(), await bench.submit(), await bench.submit()]
  await bench.clock.advance(300)
  const reset = await order(bench)
  const later = await bench.submit()
  await bench.clock.advance(300)
  expect(await bench.cluster.find(later)).toMatchObject({ state: 'QUEUED' })
  await mineOn(bench)
  for (const id of ids) expect(await bench.cluster.find(id)).toMatchObject({ state: 'CANCELLED' })
  expect(await bench.store.findReset(reset)).toMatchObject({ state: 'DONE', toNonce: 3 })
  await mineOn(bench)
  expect(await bench.cluster.find(later)).toMatchObject({ state: 'CONFIRMED', nonce: 3 })
})

test('a gap that cannot be filled yet does not keep the database busy', async () => {
  const { bench, node } = await setUp()
  await bench.submit()
  const [reserved] = (await bench.reserve(1)).reservations
  await bench.submit()
  await bench.clock.advance(300)
  // Somebody's transaction waits under the nonce that comes back: it can be neither used nor filled.
  await bench.sendForeign(reserved?.nonce ?? -1)
  await bench.takeBack('release')
  const read = () => node.store.calls.get('readQueue') ?? 0
  const before = read()
  node.store.setFault((call) => (call === 'readQueue' && read() - before > 50 ? 'unavailable' : null))
  await order(bench)
  await bench.submit()
  await bench.clock.advance(1_000)
  expect(read() - before).toBeLessThan(10)
})

for (const [name, policy] of [
  ['fast', BUSY],
  ['stable', { ...STABLE, maxInFlight: 4 }],
] as const) {
  test(`${name}: it goes on under another owner, at every step`, async () => {
    const { bench, node } = await setUp(policy)
    const ids = [await bench.submit(), await bench.submit()]
    await bench.clock.advance(300)
    node.kill()
    const reset = await order(bench)
    const second = await bench.startNode('node-b')
    await bench.clock.advance(20_000)
    second.kill()
    await bench.startNode('node-c')
    await bench.clock.advance(40_000)
    await mineOn(bench, 12)
    for (const id of ids) expect(await bench.cluster.find(id)).toMatchObject({ state: 'CANCELLED' })
    expect(await bench.store.findReset(reset)).toMatchObject({ state: 'DONE' })
  })
}

const PHANTOM = `0x${'de'.repeat(32)}` as const

for (const [name, policy] of [
  ['fast', BUSY],
  ['stable', { ...STABLE, maxInFlight: 4 }],
] as const) {
  test.each(['nobody', 'another owner'])(
    `${name}: nonces that are being taken back, and %s comes in between`,
    async (who) => {
      const { bench, node } = await setUp(policy)
      const first = await bench.submit()
      await bench.clock.advance(300)
      const [used, unused] = [await bench.lend(), await bench.lend()]
      await bench.soon(bench.reservations.act(used.id, 'me', { type: 'use', hash: PHANTOM }))
      const last = await bench.submit()
      await bench.clock.advance(300)
      if (who === 'another owner') node.kill()
      expect(await bench.takeBack()).toEqual(['filled', 'released'])
      const reset = await order(bench)
      if (who === 'another owner') {
        await bench.startNode('node-b')
        await bench.clock.advance(40_000)
      }
      expect(await bench.store.findReset(reset)).toMatchObject({ state: 'CANCELLING' })
      await mineOn(bench, 16)
      expect(await bench.store.findReset(reset)).toMatchObject({ state: 'DONE', toNonce: 4 })
      for (const id of [first, last]) expect(await bench.cluster.find(id)).toMatchObject({ state: 'CANCELLED' })
      expect((await bench.mined()).map(({ nonce }) => nonce)).toEqual([0, used.nonce, unused.nonce, 3])
      expect((await bench.store.readLaneRequests(bench.lane)).reservations).toEqual([])
    },
  )
}
