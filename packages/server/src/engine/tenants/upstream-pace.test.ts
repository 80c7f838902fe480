import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createUpstreamPace } from './upstream-pace.ts'

function create(hasOthers: boolean, distanceMs = 0) {
  const clock = createManualClock()
  const pace = createUpstreamPace({ clock, distanceMs: () => distanceMs })
  /** One request that takes the node so long; answers the rest after it. */
  const ask = async (tenant: string | null, ms: number) => {
    // Somebody else with ordinary calls.
    if (hasOthers) await pace.run('someone', async () => clock.freeze(distanceMs + 1))
    const { restMs } = await pace.run(tenant, async () => clock.freeze(ms))
    return restMs
  }
  return { clock, pace, ask, begin: () => (hasOthers ? pace.run('someone', async () => clock.freeze(1)) : null) }
}

test('a tenant begins with a few calls, and gets more while they are answered quickly', async () => {
  const { pace, ask, begin } = create(true)
  await begin()
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([4, 1])
  for (let times = 0; times < 6; times++) expect(await ask('a', 5)).toBe(0)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 4])
  expect(pace.callsOf('b')).toBe(4)
})

test('slow calls go one at a time, with a rest after each that leaves the node to others', async () => {
  const { pace, ask } = create(true)
  for (let times = 0; times < 2; times++) await ask('a', 400)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
  expect(await ask('a', 400)).toBe(1_200)
  expect(await ask('a', 10_000)).toBe(5_000)
})

test('slow calls after many quick ones are few at once, soon', async () => {
  const { pace, ask } = create(true)
  for (let times = 0; times < 6; times++) await ask('a', 5)
  await ask('a', 8 * 40)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
})

/** Slow calls, until the tenant has used much of the node's time. */
async function useMuch(ask: (tenant: string, ms: number) => Promise<number>): Promise<void> {
  for (let times = 0; times < 7; times++) expect(await ask('a', 50)).toBe(times < 6 ? 150 : 2_250)
}

test('whoever goes on with slow calls has one request at a time, and rests longer, until time has passed', async () => {
  const { clock, pace, ask } = create(true)
  await useMuch(ask)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
  const began: string[] = []
  const slow = (name: string, ms: number) =>
    pace.run('a', async () => {
      began.push(name)
      clock.freeze(ms)
    })
  const all = Promise.all([slow('first', 25), slow('second', 50), pace.run('a', async () => void began.push('third'))])
  await clock.settle()
  expect(began).toEqual(['first'])
  // The slower it was, the longer others may have waited for it.
  await clock.advance(25 * 9 * 2.5)
  expect(began).toEqual(['first', 'second'])
  await clock.advance(50 * 9 * 5)
  expect(began).toEqual(['first', 'second', 'third'])
  await all
  await clock.advance(60_000)
  expect(await ask('a', 50)).toBe(150)
})

test('an answer that does not come counts as slow, and the line goes on', async () => {
  const { clock, pace, ask } = create(true)
  await useMuch(ask)
  const lost = pace.run('a', async () => {
    clock.freeze(50)
    throw new Error('no answer')
  })
  await expect(lost).rejects.toThrow('no answer')
  const next = pace.run('a', async () => 'here')
  await clock.advance(2_250)
  expect(await next).toEqual({ answer: 'here', restMs: 0 })
})

test('a node that pauses for a moment makes nobody slow', async () => {
  const { clock, pace, begin } = create(true)
  await begin()
  const answers: (() => void)[] = []
  const held = () => pace.run('a', () => new Promise<void>((resolve) => void answers.push(resolve)))
  const all = [held(), held(), held(), held()]
  clock.freeze(2_000)
  for (const answer of answers) answer()
  await Promise.all(all)
  const began: number[] = []
  const both = [pace.run('a', async () => void began.push(1)), pace.run('a', async () => void began.push(2))]
  await Promise.all(both)
  expect(began).toEqual([1, 2])
})

test('a node that is far away is not a slow one', async () => {
  const { pace, ask } = create(true, 150)
  for (let times = 0; times < 6; times++) expect(await ask('a', 160)).toBe(0)
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 4])
  for (let times = 0; times < 2; times++) await ask('b', 550)
  expect([pace.callsOf('b'), pace.requestsOf('b')]).toEqual([1, 1])
  expect(await ask('b', 550)).toBe(1_200)
})

test('on a node that is slow for everybody, nobody is held back', async () => {
  const { clock, pace } = create(false)
  for (let times = 0; times < 20; times++) {
    for (const tenant of ['a', 'b']) {
      const { restMs } = await pace.run(tenant, async () => clock.freeze(80 + times))
      expect(restMs).toBe(0)
    }
  }
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([8, 4])
})

test('whoever begins while a slow request of another is with the node is not blamed', async () => {
  const { clock, pace, ask } = create(true)
  await ask('victim', 1)
  for (let times = 0; times < 20; times++) {
    const answers: (() => void)[] = []
    const held = (tenant: string) => pace.run(tenant, () => new Promise<void>((resolve) => void answers.push(resolve)))
    const slow = held('burner')
    await clock.settle()
    clock.freeze(10)
    const victim = held('victim')
    await clock.settle()
    clock.freeze(90)
    for (const answer of answers) answer()
    expect((await victim).restMs).toBe(0)
    await slow
    await clock.advance(5_000)
  }
  expect(pace.requestsOf('burner')).toBe(1)
  expect(pace.callsOf('victim')).toBeGreaterThanOrEqual(4)
})

test('without a tenant there is no pace', async () => {
  const { pace, ask } = create(true)
  for (let times = 0; times < 10; times++) expect(await ask(null, 500)).toBe(0)
  expect([pace.callsOf(null), pace.requestsOf(null), pace.hasOthers(null)]).toEqual([
    100,
    Number.POSITIVE_INFINITY,
    false,
  ])
})

test('a request that had nothing to ask says nothing about the tenant', async () => {
  const { pace, ask } = create(true)
  for (let times = 0; times < 3; times++) await ask('a', 400)
  for (let times = 0; times < 10; times++)
    await pace.run(
      'a',
      async () => {},
      () => false,
    )
  expect([pace.callsOf('a'), pace.requestsOf('a')]).toEqual([1, 1])
})

test('others count for 15 s after they asked', async () => {
  const { clock, pace, ask } = create(true)
  await ask('a', 1)
  expect(pace.hasOthers('a')).toBe(true)
  await clock.advance(15_000)
  expect(pace.hasOthers('a')).toBe(false)
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
