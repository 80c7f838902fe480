import { expect, test } from 'vitest'
import { createReach } from './reach.ts'

test('since when nothing was answered is kept until something is', async () => {
  let [now, status] = [100, 200]
  const reach = createReach({
    now: () => now,
    fetch: async () => {
      if (status === 0) throw new TypeError('Failed to fetch')
      return new Response('', { status })
    },
  })
  const ask = () => reach.fetch('/v1/events').catch(() => {})
  await ask()
  expect(reach.lostSince()).toBeNull()
  for (const [at, next] of [
    [200, 0],
    [300, 503],
  ] as const) {
    ;[now, status] = [at, next]
    await ask()
    expect(reach.lostSince()).toBe(200)
  }
  status = 200
  await ask()
  expect(reach.lostSince()).toBeNull()
})

test('a request that was called off says nothing', async () => {
  const reach = createReach({ now: () => 1, fetch: () => Promise.reject(new DOMException('', 'AbortError')) })
  await reach.fetch('/', { signal: AbortSignal.abort() }).catch(() => {})
  expect(reach.lostSince()).toBeNull()
})
