import { expect, test } from 'vitest'
import type { TimerHolder } from '../../ports/timer-store.ts'
import { createTimerLimits } from './timer-limits.ts'

const owner = `0x${'11'.repeat(20)}` as const

function setUp(stored: { tenant: number; owner: number }, countMs = 0) {
  let now = 0
  const asked: TimerHolder[] = []
  const check = createTimerLimits({
    store: {
      countTimers: async (_, of) => {
        asked.push(of)
        now += countMs
        return 'tenant' in of ? stored.tenant : stored.owner
      },
    },
    clock: { now: () => now },
    maxPerTenant: 10,
    maxPerSigner: 5,
  })
  const elapse = (ms: number) => {
    now += ms
  }
  return { check: () => check(7, { tenant: 'shop', owner }), asked, elapse, stored }
}

test('many requests in a row cost one count, and the limit holds', async () => {
  const { check, asked } = setUp({ tenant: 0, owner: 0 })
  for (let made = 0; made < 5; made++) await check()
  expect(asked).toEqual([{ tenant: 'shop' }, { owner }])
})

test('at the limit every request is counted, so a timer that was cancelled makes room at once', async () => {
  const { check, stored } = setUp({ tenant: 3, owner: 5 })
  await expect(check()).rejects.toMatchObject({ code: 'timer_limit', message: expect.stringContaining(owner) })
  stored.owner = 4
  await check()
})

test('an old count is made again', async () => {
  const { check, asked, elapse, stored } = setUp({ tenant: 0, owner: 0 })
  await check()
  stored.tenant = 10
  await check()
  elapse(10_000)
  await expect(check()).rejects.toMatchObject({ message: expect.stringContaining('maxTimersPerTenant') })
  expect(asked).toHaveLength(3)
})

test('requests that come together share a count, and the limit holds', async () => {
  const { check, asked } = setUp({ tenant: 0, owner: 0 })
  const all = await Promise.allSettled(Array.from({ length: 100 }, check))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  expect(asked.length).toBeLessThan(8)
})

test('a count that takes long is used for longer: counting takes one percent of the time at most', async () => {
  const { check, asked, elapse } = setUp({ tenant: 0, owner: 0 }, 1_000)
  await check()
  elapse(90_000)
  await check()
  expect(asked).toHaveLength(2)
  elapse(10_000)
  await check()
  expect(asked).toHaveLength(4)
})

test('after a count that failed the next request counts again', async () => {
  let isAway = true
  const check = createTimerLimits({
    store: {
      countTimers: async () => {
        if (isAway) throw new Error('away')
        return 0
      },
    },
    clock: { now: () => 0 },
    maxPerTenant: 1,
    maxPerSigner: 1,
  })
  await expect(check(7, { tenant: '', owner })).rejects.toThrow('away')
  isAway = false
  await check(7, { tenant: '', owner })
})

test('what is about to be stored counts, however often it is counted meanwhile', async () => {
  const { check, elapse, stored } = setUp({ tenant: 0, owner: 0 })
  const made: (() => void)[] = []
  let refused = 0
  for (let wave = 0; wave < 8; wave++) {
    elapse(10_000)
    await check().then(
      (close) => made.push(close),
      () => {
        refused += 1
      },
    )
  }
  expect([made.length, refused]).toEqual([5, 3])
  // Stored, or given up: now the store says how many there are.
  for (const close of made) close()
  stored.owner = 4
  await check()
})
