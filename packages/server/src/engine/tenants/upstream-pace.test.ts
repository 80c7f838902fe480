import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createUpstreamPace } from './upstream-pace.ts'

function create(hasOthers: boolean, distanceMs = 0) {
  const clock = createManualClock()
  const pace = createUpstreamPace({ clock, hasOthers: () => hasOthers, distanceMs: () => distanceMs })
  /** One request that takes the node so long; answers the rest after it. */
  const ask = async (tenant: string, ms: number) => {
    const { restMs } = await pace.run(tenant, async () => clock.freeze(ms))
    return restMs
  }
  return { clock, pace, ask }
}

test('a tenant begins with a few calls, and gets more while they are answered quickly', async () => {
  const { pace, ask } = create(true)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([4, 1])
  for (let times = 0; times < 6; times++) expect(await ask('a', 5)).toBe(0)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 4])
  expect(pace.callsOf('b')).toBe(4)
})

test('slow calls go one at a time, with a rest after each that leaves the node to others', async () => {
  const { pace, ask } = create(true)
  for (let times = 0; times < 3; times++) await ask('a', 400)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
  expect(await ask('a', 400)).toBe(3_600)
  expect(await ask('a', 60_000)).toBe(5_000)
})

test('slow calls after many quick ones are few at once, soon', async () => {
  const { pace, ask } = create(true)
  for (let times = 0; times < 6; times++) await ask('a', 5)
  await ask('a', 8 * 40)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
})

test('whoever goes on with slow calls rests longer, until time has passed', async () => {
  const { clock, pace, ask } = create(true)
  const rests: number[] = []
  for (let times = 0; times < 4; times++) rests.push(await ask('a', 200))
  expect(rests).toEqual([600, 600, 1_800, 1_800])
  expect(await ask('b', 200)).toBe(600)
  for (let times = 0; times < 6; times++) await ask('a', 1)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
  await clock.advance(60_000)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([2, 1])
  expect(await ask('a', 200)).toBe(600)
})

test('a node that is far away is not a slow one', async () => {
  const { pace, ask } = create(true, 150)
  for (let times = 0; times < 6; times++) expect(await ask('a', 160)).toBe(0)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 4])
  for (let times = 0; times < 8; times++) await ask('b', 550)
  expect([pace.callsOf('b'), pace.requestsOf('b')]).toEqual([1, 1])
  expect(await ask('b', 550)).toBe(3_600)
})

test('a node that never answers soon is slow, not far away', async () => {
  const { pace, ask } = create(true, 500)
  for (let times = 0; times < 8; times++) await ask('a', 500)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
  expect(await ask('a', 500)).toBe(1_800)
})

test('a tenant that is alone soon has all, and keeps some where its calls are slow; it never rests', async () => {
  const { pace, ask } = create(false)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 2])
  for (let times = 0; times < 4; times++) await ask('a', 5)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([100, Number.POSITIVE_INFINITY])
  for (let times = 0; times < 8; times++) expect(await ask('a', 2_000)).toBe(0)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 2])
})

test('the memory of tenants is bounded', async () => {
  const { pace, ask } = create(true)
  await ask('first', 5)
  for (let index = 0; index < 1_000; index++) await ask(`tenant ${index}`, 5)
  expect(pace.callsOf('first')).toBe(4)
  expect(pace.callsOf('tenant 999')).toBe(8)
})
