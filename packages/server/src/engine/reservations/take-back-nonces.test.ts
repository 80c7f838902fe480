/** A signer that reservations hold up goes on after one order, and nothing is executed twice. */
import { describe, expect, test } from 'vitest'
import { FAST, STABLE } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'
import { signWithNonce } from '../../testing/engine/sign-with-nonce.ts'

const PHANTOM = `0x${'de'.repeat(32)}` as const
type Bench = Awaited<ReturnType<typeof createReservationBench>>

async function use(bench: Bench, id: string, hash: `0x${string}` = PHANTOM): Promise<void> {
  await bench.soon(bench.reservations.act(id, 'me', { type: 'use', hash }))
}

const signWith = (bench: Bench, nonce: number) => signWithNonce(bench, nonce, 7n)

async function mineOn({ mine, clock }: Bench, blocks = 6): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await mine()
    await clock.advance(500)
  }
}

async function fillsOf({ store }: Bench) {
  const { items } = await store.listTransactions({}, { after: null, limit: 100 })
  return items.filter(({ intent }) => intent.priority === 1_000_000)
}

for (const [name, policy] of [
  ['stable', STABLE],
  ['fast', { ...FAST, maxInFlight: 3 }],
] as const) {
  describe(`${name}, all places reserved`, () => {
    const places = name === 'stable' ? 1 : 3

    async function freeze(hash: `0x${string}` | null) {
      const bench = await createReservationBench({ policy })
      const node = await bench.startNode()
      const held = (await bench.reserve(places)).reservations
      if (hash !== null) for (const { id } of held) await use(bench, id, hash)
      const waiting = await bench.submit()
      await bench.clock.advance(500)
      expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'QUEUED' })
      return { bench, node, held, waiting }
    }

    test('and not used: one order, and what waits takes the lowest nonce', async () => {
      const { bench, held, waiting } = await freeze(null)
      expect(await bench.takeBack()).toEqual(held.map(() => 'released'))
      await mineOn(bench)
      expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'CONFIRMED', nonce: 0 })
      expect((await bench.mined()).map(({ nonce }) => nonce)).toEqual([0])
      expect(await bench.takeBack()).toEqual([])
    })

    test('and used by transactions that nobody knows: one order, and what waits comes after the fills', async () => {
      const { bench, held, waiting } = await freeze(PHANTOM)
      expect(await bench.takeBack()).toEqual(held.map(() => 'filled'))
      expect(await bench.takeBack()).toEqual(held.map(() => 'left'))
      await mineOn(bench, 12)
      expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'CONFIRMED', nonce: places })
      const nonces = Array.from({ length: places + 1 }, (_, index) => index)
      expect((await bench.mined()).map(({ nonce }) => nonce)).toEqual(nonces)
      for (const { id } of held)
        expect(await bench.find(id)).toMatchObject({ state: 'USED', result: 'foreign', finalAt: expect.any(Number) })
      expect(await fillsOf(bench)).toMatchObject(held.map(() => ({ state: 'CONFIRMED' })))
      expect((await bench.store.readLaneRequests(bench.lane)).reservations).toEqual([])
      expect((await bench.store.loadLane(bench.lane)).recyclable).toEqual([])
    })

    test('and filled on order though not used', async () => {
      const { bench, held, waiting } = await freeze(null)
      expect(await bench.takeBack('fill')).toEqual(held.map(() => 'filled'))
      await mineOn(bench, 12)
      expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'CONFIRMED', nonce: places })
      for (const { id } of held) expect(await bench.find(id)).toMatchObject({ state: 'USED', result: 'foreign' })
    })

    test('the node that was to fill them dies: the next one does', async () => {
      const { bench, node, held, waiting } = await freeze(PHANTOM)
      const ids = held.map(({ id }) => id)
      const by = { actor: 'ann', reason: 'frozen' }
      await bench.store.orderReservations({ type: 'fill', filter: { ids }, cause: 'operator', by })
      node.kill()
      await bench.startNode('node-b')
      await bench.clock.advance(20_000)
      await mineOn(bench, 12)
      expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'CONFIRMED', nonce: places })
      expect((await bench.mined()).map(({ nonce }) => nonce)).toEqual(
        Array.from({ length: places + 1 }, (_, index) => index),
      )
    })
  })

  test(`${name}: a transaction that turns up after all counts, and the fill ends without harm`, async () => {
    const bench = await createReservationBench({ policy })
    await bench.startNode()
    const reserved = await bench.lend()
    const { raw, hash } = await signWith(bench, reserved.nonce)
    await use(bench, reserved.id, hash)
    bench.chain.setFault(({ name: call }) => (call === 'broadcast' ? 'unavailable' : null))
    expect(await bench.takeBack()).toEqual(['filled'])
    await bench.clock.advance(500)
    bench.chain.setFault(() => null)
    bench.chain.dropPool()
    await bench.chain.broadcast([{ raw, hash }])
    await bench.mine()
    const waiting = await bench.submit()
    for (let round = 0; round < 8; round++) {
      await mineOn(bench, 2)
      await bench.clock.advance(30_000)
    }
    expect(await bench.find(reserved.id)).toMatchObject({
      state: 'USED',
      result: 'succeeded',
      inclusion: { txHash: hash },
    })
    expect(await fillsOf(bench)).toMatchObject([{ state: 'CANCELLED' }])
    expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    expect((await bench.mined()).map((tx) => [tx.nonce, tx.hash === hash])).toEqual([
      [0, true],
      [1, false],
    ])
  })
}

test('a transaction that a node knows is left alone; one of another nonce does not count as known', async () => {
  const bench = await createReservationBench({ policy: { ...FAST, maxInFlight: 4 } })
  await bench.startNode()
  const [known, wrong] = [await bench.lend(), await bench.lend()]
  const [right, other] = [await signWith(bench, known.nonce), await signWith(bench, 9)]
  await use(bench, known.id, right.hash)
  await use(bench, wrong.id, other.hash)
  await bench.chain.broadcast([right, other])
  expect(await bench.takeBack()).toEqual(['left', 'filled'])
})

test('only those of one tenant, or of one key', async () => {
  const bench = await createReservationBench({ policy: { ...FAST, maxInFlight: 12 } })
  await bench.startNode()
  const ask = (tenant: string, key: string) =>
    bench.soon(bench.reservations.reserve({ ...bench.asked, tenant, key: { id: key, holder: `${tenant} (${key})` } }))
  await ask('a', 'k1')
  await ask('a', 'k2')
  await ask('b', 'k3')
  expect(await bench.takeBack('release', { keyId: 'k2' })).toEqual(['released'])
  expect(await bench.takeBack('release', { tenant: 'a' })).toEqual(['released'])
  const { reservations } = await bench.store.readLaneRequests(bench.lane)
  expect(reservations).toMatchObject([{ tenant: 'b', state: 'RESERVED' }])
})

test('without an answer of any RPC node nothing is taken that may be on its way', async () => {
  const bench = await createReservationBench({ policy: STABLE })
  await bench.startNode()
  const reserved = await bench.lend()
  await use(bench, reserved.id)
  bench.chain.setFault(() => 'unavailable')
  await expect(bench.takeBack()).rejects.toMatchObject({ code: 'chain_unavailable' })
})
