/** The queue and the callers that ask for nonces take turns, and so do tenants; whoever waits too long is named. */
import { expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'

type Bench = Awaited<ReturnType<typeof createReservationBench>>

const STUCK_AFTER_MS = 5_000
const HELD_MS = 4_000

async function ask(bench: Bench, tenant: string, count: number): Promise<void> {
  const { lane, store } = bench
  const items = Array.from({ length: count }, () => ({ id: bench.newId(), lockOwner: 'digest' }))
  const outcome = await store.insertReservations({
    ...{ lane, items, ttlMs: 600_000, label: null, requestId: null, tenant },
    key: { id: tenant, holder: tenant },
  })
  expect(outcome.type).toBe('inserted')
}

async function readHeld({ store, lane }: Bench) {
  return (await store.readLaneRequests(lane)).reservations.filter(({ state }) => state === 'RESERVED')
}

async function release(bench: Bench, ids: readonly string[]): Promise<void> {
  const by = { actor: 'ann', reason: 'mine' }
  await bench.store.orderReservations({ type: 'release', filter: { ids }, cause: 'operator', by })
}

/** One key always has more requests waiting, and gives back what it gets before it is noticed. */
async function rotate(bench: Bench, rounds: number, tenant = 'rotator', watch = async () => {}): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await ask(bench, tenant, 1)
    for (let passed = 0; passed < HELD_MS; passed += 1_000) {
      await bench.clock.advance(1_000)
      await bench.mine()
      await watch()
    }
    const held = await readHeld(bench)
    await release(
      bench,
      held.filter((each) => each.tenant === tenant).map(({ id }) => id),
    )
  }
}

for (const [name, policy] of [
  ['stable', { ...STABLE, stuckAfterMs: STUCK_AFTER_MS }],
  ['fast, one at a time', { ...FAST, maxInFlight: 1, stuckAfterMs: STUCK_AFTER_MS }],
] satisfies [string, Policy][])
  test(`${name}: a queued transaction gets the next place, however many reservations wait`, async () => {
    const bench = await createReservationBench({ policy })
    await bench.startNode()
    await ask(bench, 'rotator', 5)
    await bench.clock.advance(300)
    expect(await readHeld(bench)).toHaveLength(1)
    const [first, second] = [await bench.submit(), await bench.submit()]
    await rotate(bench, 2)
    expect(await bench.cluster.find(first)).not.toMatchObject({ state: 'QUEUED' })
    await rotate(bench, 3)
    expect(await bench.cluster.find(second)).not.toMatchObject({ state: 'QUEUED' })
    const events = await bench.store.readEvents(0, 1_000)
    const granted = events.filter(({ type }) => type === 'reservation.granted')
    expect(granted.length).toBeGreaterThan(2)
  })

test('a tenant with one request does not wait for all requests of another tenant', async () => {
  const bench = await createReservationBench({ policy: STABLE })
  await bench.startNode()
  await ask(bench, 'rotator', 20)
  await bench.clock.advance(300)
  await ask(bench, 'bank', 1)
  await rotate(bench, 1)
  await bench.clock.advance(300)
  expect(await readHeld(bench)).toMatchObject([{ tenant: 'bank' }])
})

test('reservations that one after the other keep a sent transaction waiting raise the alarm and the problem', async () => {
  const policy = { ...STABLE, maxInFlight: 2, stuckAfterMs: STUCK_AFTER_MS }
  const bench = await createReservationBench({ policy })
  const { telemetry } = await bench.startNode()
  await ask(bench, 'rotator', 1)
  await bench.clock.advance(300)
  const id = await bench.submit()
  await bench.clock.advance(300)
  expect(await bench.cluster.find(id)).toMatchObject({ nonce: 1 })
  const seen: unknown[] = []
  await rotate(bench, 6, 'rotator', async () => {
    const [status] = await bench.store.listLaneStatus({ lane: bench.lane })
    seen.push(...(status?.health.problems ?? []))
  })
  expect(await bench.cluster.find(id)).toMatchObject({ state: 'TRACKING' })
  expect(seen).toContainEqual(expect.objectContaining({ code: 'blocked_by_reservation', nonce: 0 }))
  // One wait, reported once, whoever holds the nonce.
  const reports = telemetry.logs.filter(({ fields }) => fields?.problem === 'blocked_by_reservation')
  expect(reports).toMatchObject([{ level: 'warn' }])
  expect(telemetry.valueOf('drover_alarms_total', { cause: 'reservation_not_used' })).toBeGreaterThan(0)
})

test('an old reservation is no problem before somebody has waited for it', async () => {
  const policy = { ...STABLE, stuckAfterMs: STUCK_AFTER_MS }
  const bench = await createReservationBench({ policy })
  const { telemetry } = await bench.startNode()
  await ask(bench, 'shop', 1)
  const problems = async () => (await bench.store.listLaneStatus({ lane: bench.lane }))[0]?.health.problems
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await bench.clock.advance(1_000)
      await bench.mine()
    }
  }
  await wait(4 * STUCK_AFTER_MS)
  expect(await problems()).toEqual([])
  await bench.submit()
  await wait(STUCK_AFTER_MS - 2_000)
  expect(await problems()).toEqual([])
  expect(telemetry.valueOf('drover_alarms_total', { cause: 'reservation_not_used' })).toBe(0)
  await wait(4_000)
  expect(await problems()).toMatchObject([{ code: 'blocked_by_reservation', nonce: 0 }])
  expect(telemetry.valueOf('drover_alarms_total', { cause: 'reservation_not_used' })).toBe(1)
  await release(
    bench,
    (await readHeld(bench)).map(({ id }) => id),
  )
  await wait(2_000)
  expect(await problems()).toEqual([])
})

test('a reservation above a transaction of our own that no block includes is not blamed', async () => {
  const policy = { ...STABLE, maxInFlight: 2, stuckAfterMs: STUCK_AFTER_MS }
  const bench = await createReservationBench({ policy })
  const { telemetry } = await bench.startNode()
  const own = await bench.submit()
  await bench.clock.advance(300)
  await ask(bench, 'shop', 1)
  await bench.clock.advance(300)
  expect(await readHeld(bench)).toMatchObject([{ nonce: 1 }])
  const waiting = await bench.submit()
  for (let passed = 0; passed < 4 * STUCK_AFTER_MS; passed += 1_000) {
    await bench.clock.advance(1_000)
    bench.chain.mine(() => false)
  }
  await bench.clock.advance(1_000)
  expect(await bench.cluster.find(own)).toMatchObject({ state: 'STUCK', nonce: 0 })
  expect(await bench.cluster.find(waiting)).toMatchObject({ state: 'QUEUED' })
  const [status] = await bench.store.listLaneStatus({ lane: bench.lane })
  expect(status?.health.problems).toMatchObject([{ code: 'stuck', nonce: 0 }])
  expect(telemetry.valueOf('drover_alarms_total', { cause: 'reservation_not_used' })).toBe(0)
  expect(await readHeld(bench)).toMatchObject([{ alarm: null }])
})
