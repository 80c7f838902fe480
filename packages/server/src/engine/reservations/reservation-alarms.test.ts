/** A reservation that never ends is named, once, in the events, the log and the metrics. */
import { expect, test } from 'vitest'
import { FAST } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'

const PHANTOM = `0x${'de'.repeat(32)}` as const
const STUCK_AFTER_MS = 10_000
const policy = { ...FAST, maxInFlight: 2, stuckAfterMs: STUCK_AFTER_MS }
type Bench = Awaited<ReturnType<typeof createReservationBench>>

/** The chain makes blocks all the while. */
async function wait(bench: Bench, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    bench.chain.mine()
    await bench.clock.advance(1_000)
  }
}

async function alarmsOf({ store }: Bench) {
  return (await store.readEvents(0, 1_000)).filter(({ type }) => type === 'reservation.stuck')
}

test('a hash that no node knows raises one alarm after stuckAfter; a known hash ends it', async () => {
  const bench = await createReservationBench({ policy })
  const { telemetry } = await bench.startNode()
  const reserved = await bench.lend()
  await bench.soon(bench.reservations.act(reserved.id, 'me', { type: 'use', hash: PHANTOM }))
  await wait(bench, STUCK_AFTER_MS - 2_000)
  expect(await alarmsOf(bench)).toEqual([])
  await wait(bench, 4_000)
  const detail = { reservationId: reserved.id, nonce: reserved.nonce, hash: PHANTOM }
  expect(await alarmsOf(bench)).toMatchObject([{ cause: 'unknown_hash', detail }])
  expect(telemetry.valueOf('drover_alarms_total', { cause: 'reservation_unknown_hash' })).toBe(1)
  expect(telemetry.logs.filter(({ message }) => message === 'a reserved nonce blocks a signer')).toMatchObject([
    { level: 'warn', fields: detail },
  ])
  expect(await bench.find(reserved.id)).toMatchObject({ alarm: { cause: 'unknown_hash' } })
  expect((await bench.store.listLaneStatus({ lane: bench.lane }))[0]).toMatchObject({
    stuckReserved: 1,
    lowestReserved: { alarm: 'unknown_hash' },
  })
  await wait(bench, 3 * STUCK_AFTER_MS)
  expect(await alarmsOf(bench)).toHaveLength(1)
  const fees = { type: 'eip1559', maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } as const
  const call = {
    chainId: bench.lane.chainId,
    nonce: reserved.nonce,
    to: bench.lane.signer,
    value: 0n,
    data: '0x',
  } as const
  const real = await bench.signer.sign(bench.lane.signer, { ...call, gasLimit: 21_000n, fees })
  await bench.chain.broadcast([real])
  await bench.soon(bench.reservations.act(reserved.id, 'me', { type: 'use', hash: real.hash }))
  await bench.clock.advance(1_000)
  expect(await bench.find(reserved.id)).toMatchObject({ alarm: null })
  expect(await alarmsOf(bench)).toHaveLength(1)
})

test('a reservation that is extended repeatedly is reported once others wait for it, not before', async () => {
  const bench = await createReservationBench({ policy })
  await bench.startNode()
  const reserved = await bench.lend()
  for (let round = 0; round < 3; round++) {
    await wait(bench, STUCK_AFTER_MS)
    await bench.soon(bench.reservations.act(reserved.id, 'me', { type: 'extend', ttlMs: 60_000 }))
  }
  expect(await alarmsOf(bench)).toEqual([])
  await bench.submit()
  await wait(bench, 2 * STUCK_AFTER_MS)
  expect(await alarmsOf(bench)).toMatchObject([{ cause: 'not_used', detail: { reservationId: reserved.id } }])
})

test('a chain that makes no blocks is not the fault of a holder', async () => {
  const bench = await createReservationBench({ policy, chainSettings: { standingAfterMs: 5_000 } })
  await bench.startNode()
  const reserved = await bench.lend()
  await bench.soon(bench.reservations.act(reserved.id, 'me', { type: 'use', hash: PHANTOM }))
  await bench.clock.advance(10 * STUCK_AFTER_MS)
  expect(await alarmsOf(bench)).toEqual([])
})
