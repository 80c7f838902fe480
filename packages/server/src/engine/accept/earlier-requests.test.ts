import { expect, test } from 'vitest'
import type { Clock } from '../../ports/clock.ts'
import { type RequestKey, StoreUnavailable } from '../../ports/store.ts'
import { createEarlierRequests } from './earlier-requests.ts'

const KEY: RequestKey = { lane: { chainId: 1, signer: `0x${'11'.repeat(20)}` }, tenant: '', requestId: 'a' }

/** Runs everything in the order of its time, which moves only by that. */
function createHurriedClock(): Clock {
  let now = 0
  return {
    now: () => now,
    monotonic: () => now,
    schedule: (delayMs, run) => {
      const at = now + delayMs
      const timer = setTimeout(() => {
        now = Math.max(now, at)
        run()
      }, delayMs / 100)
      return () => clearTimeout(timer)
    },
  }
}

test('requests of the same moment are one look-up', async () => {
  const asked: number[] = []
  const findRequests = async (keys: readonly RequestKey[]) => {
    asked.push(keys.length)
    return keys.map(() => null)
  }
  const find = createEarlierRequests({ clock: createHurriedClock(), store: { findRequests } })
  expect(await Promise.all([find(KEY), find({ ...KEY, requestId: 'b' }), find({ ...KEY, requestId: 'c' })])).toEqual([
    null,
    null,
    null,
  ])
  expect(asked).toEqual([3])
})

test('a database that comes back in time causes no error; otherwise the error names it', async () => {
  let failures = 3
  const findRequests = async (keys: readonly RequestKey[]) => {
    if (failures-- > 0) throw new StoreUnavailable('away')
    return keys.map(() => null)
  }
  const find = createEarlierRequests({ clock: createHurriedClock(), store: { findRequests } })
  expect(await find(KEY)).toBeNull()
  failures = Number.POSITIVE_INFINITY
  await expect(find(KEY)).rejects.toMatchObject({ code: 'database_unavailable' })
})

test('what is not an outage is not hidden', async () => {
  const findRequests = async () => {
    throw new TypeError('a bug')
  }
  const find = createEarlierRequests({ clock: createHurriedClock(), store: { findRequests } })
  await expect(find(KEY)).rejects.toThrow('a bug')
})
