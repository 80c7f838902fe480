import { expect, test } from 'vitest'
import type { TimerHolder } from '../../ports/timer-store.ts'
import { createTimerLimits } from './timer-limits.ts'

const owner = `0x${'11'.repeat(20)}` as const

function setUp(stored: { tenant: number; owner: number }) {
  let now = 0
  const asked: TimerHolder[] = []
  const check = createTimerLimits({
    store: {
      countTimers: async (_, of) => {
        asked.push(of)
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
