import { setMaxListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createWorkTurns } from './work-turns.ts'

function create() {
  const clock = createManualClock()
  const turns = createWorkTurns(clock)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const begin = async (tenant: string, gone = new AbortController().signal): Promise<void> => {
    const end = await turns.begin(tenant, { gone })
    if (end === null) return
    begun.push(tenant)
    ends.push(end)
  }
  /** The thread was busy: timers fire so much too late. */
  const beLate = async (): Promise<void> => {
    clock.freeze(200)
    await clock.advance(1)
  }
  const count = (tenant: string) => begun.filter((name) => name === tenant).length
  const flood = (tenant: string, requests: number) => {
    for (let index = 0; index < requests; index++) void begin(tenant)
    return clock.settle()
  }
  return { clock, turns, begin, beLate, flood, count, ends }
}

test('a tenant that is alone waits for nothing, however late the thread is', async () => {
  const { beLate, flood, count } = create()
  await flood('one', 300)
  await beLate()
  await flood('one', 300)
  expect(count('one')).toBe(600)
})

test('while the thread keeps up nobody waits', async () => {
  const { clock, begin, flood, count } = create()
  await begin('other')
  await clock.advance(500)
  await flood('flood', 60)
  expect(count('flood')).toBe(60)
})

test('when the thread is late a flood waits in its own line, and another tenant goes on at once [G12]', async () => {
  const { begin, beLate, flood, count, ends, clock } = create()
  await begin('other')
  await begin('flood')
  for (let times = 0; times < 8; times++) await beLate()
  const before = count('flood')
  await flood('flood', 100)
  // Two at a time, and those of before have had their time.
  expect(count('flood') - before).toBe(2)
  await begin('other')
  expect(count('other')).toBe(2)
  ends[ends.length - 2]?.()
  await clock.settle()
  expect(count('flood') - before).toBe(3)
})

test('a turn ends by itself: who takes longer waits for something else', async () => {
  const { begin, beLate, flood, count, clock } = create()
  await begin('other')
  await begin('flood')
  for (let times = 0; times < 8; times++) await beLate()
  await flood('flood', 10)
  const before = count('flood')
  await clock.advance(260)
  expect(count('flood')).toBeGreaterThan(before)
})

test('the line of one tenant is bounded', async () => {
  const { turns, begin, beLate, flood, clock } = create()
  await begin('other')
  await begin('flood')
  for (let times = 0; times < 8; times++) await beLate()
  await flood('flood', 1_002)
  const { signal: gone } = new AbortController()
  await expect(turns.begin('flood', { gone })).rejects.toMatchObject({
    code: 'tenant_limit',
    details: { limit: 1_000 },
  })
  // What is bounded elsewhere waits instead: a stream does not end because its tenant sends much.
  let isRefused = false
  turns.begin('flood', { gone, isBounded: true }).catch(() => {
    isRefused = true
  })
  await clock.settle()
  expect(isRefused).toBe(false)
})

test('who goes away gives up the place in line and takes no turn', async () => {
  const { turns, begin, beLate, flood, count, ends, clock } = create()
  await begin('other')
  await begin('flood')
  for (let times = 0; times < 8; times++) await beLate()
  await flood('flood', 2)
  const before = count('flood')
  const gone = new AbortController()
  setMaxListeners(1_000, gone.signal)
  for (let index = 0; index < 1_000; index++) void begin('flood', gone.signal)
  gone.abort()
  await clock.settle()
  void begin('flood')
  ends.at(-1)?.()
  await clock.settle()
  expect(count('flood')).toBe(before + 1)
  expect(await turns.begin('flood', { gone: gone.signal })).toBeNull()
})

test('when the thread keeps up again the line is let in, and a node at rest has no timers', async () => {
  const { clock, begin, beLate, flood, count, ends } = create()
  await begin('other')
  await begin('flood')
  for (let times = 0; times < 8; times++) await beLate()
  await flood('flood', 300)
  await clock.advance(5_000)
  expect(count('flood')).toBe(301)
  for (const end of ends) end()
  await clock.advance(6_000)
  expect(clock.waiting()).toBe(0)
})
