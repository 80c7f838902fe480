import { setMaxListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import type { Gone } from './gone.ts'
import { HEALTH_CHECKS, PUBLIC } from './tenant-pool.ts'
import { createWorkTurns } from './work-turns.ts'

const STAYS: Gone = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined }

function create(capacity?: () => number) {
  const clock = createManualClock()
  const turns = createWorkTurns(clock, capacity)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const begin = async (tenant: string, gone = new AbortController().signal): Promise<void> => {
    const end = await turns.begin(tenant, { gone })
    if (end === null) return
    begun.push(tenant)
    ends.push(end)
  }
  /** The thread was busy: timers fire so much too late. */
  const beLate = async (times = 1): Promise<void> => {
    for (let left = times; left > 0; left--) {
      clock.freeze(200)
      await clock.advance(1)
    }
  }
  const count = (tenant: string) => begun.filter((name) => name === tenant).length
  const flood = (tenant: string, requests: number) => {
    for (let index = 0; index < requests; index++) void begin(tenant).catch(() => undefined)
    return clock.settle()
  }
  /** Ends what is in work, again and again, as long as this takes. */
  const work = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 10) {
      for (const end of ends.splice(0)) end()
      if (passed % 2_000 === 0) await begin('other')
      await clock.advance(10)
    }
  }
  return { clock, turns, begin, beLate, flood, count, ends, work }
}

/** One with little to do, and one with a long line, on a thread that was late for a while. */
async function createCrowd(capacity?: () => number) {
  const crowd = create(capacity)
  await crowd.begin('other')
  await crowd.flood('flood', 900)
  await crowd.beLate(20)
  return crowd
}

test('a tenant that is alone waits for nothing, however late the thread is', async () => {
  const { turns, beLate, flood, count } = create()
  await flood('one', 300)
  turns.spend('one', 5_000)
  await beLate()
  await flood('one', 300)
  expect(turns.spendWhenDue('one', 5_000)).toBeNull()
  expect(count('one')).toBe(600)
})

test('with several there, few of one tenant are in work at a time', async () => {
  const { begin, flood, count } = create()
  await begin('other')
  await flood('flood', 60)
  expect(count('flood')).toBe(16)
})

test('a tenant that asks for more than others gets its share of time; one that asks for little never waits [G12]', async () => {
  const { work, count, begin, turns } = await createCrowd()
  await work(500)
  const before = count('flood')
  turns.spend('other', 50)
  const others = count('other')
  await begin('other')
  expect(count('other')).toBe(others + 1)
  await work(500)
  const started = count('flood') - before
  // Two milliseconds each, of half a second a share that begins with a fifth and grows to three.
  expect(started).toBeGreaterThan(50)
  expect(started).toBeLessThan(100)
})

test('what a tenant used while others asked for far more is not held against it once they are gone [G12]', async () => {
  const { clock, turns, begin, beLate, count, ends } = create()
  const gone = new AbortController()
  setMaxListeners(1_000, gone.signal)
  await begin('other')
  for (let index = 0; index < 900; index++) void begin('flood', gone.signal)
  for (let second = 0; second < 6; second++) {
    await begin('other')
    turns.spend('other', 250)
    for (const end of ends.splice(0)) end()
    await beLate(4)
    await clock.advance(100)
  }
  gone.abort()
  const before = count('other')
  for (let request = 0; request < 20; request++) {
    void begin('other')
    await clock.advance(100)
    for (const end of ends.splice(0)) end()
  }
  expect(count('other')).toBe(before + 20)
})

test('what work costs besides counts too', async () => {
  const cheap = await createCrowd()
  const dear = await createCrowd()
  await cheap.work(500)
  dear.turns.spend('flood', 100)
  await dear.work(500)
  expect(dear.count('flood')).toBeLessThan(cheap.count('flood') - 10)
})

test('the pieces of long work go on in the share of their tenant', async () => {
  const { turns, clock, work } = await createCrowd()
  let done = 0
  for (let piece = 0; piece < 100; piece++) {
    void Promise.resolve(turns.spendWhenDue('flood', 2)).then(() => {
      done += 1
    })
  }
  await clock.settle()
  expect(done).toBeLessThan(10)
  expect(turns.spendWhenDue('other', 2)).toBeNull()
  await work(10_000)
  expect(done).toBe(100)
})

test('the share is one of what the machine gives', async () => {
  const whole = await createCrowd()
  const tenth = await createCrowd(() => 0.1)
  await whole.work(500)
  await tenth.work(500)
  expect(tenth.count('flood')).toBeLessThan(whole.count('flood'))
})

test('while the thread keeps up the share grows until the line is empty, and a node at rest has no timers', async () => {
  const { clock, work, count } = await createCrowd()
  await work(9_000)
  expect(count('flood')).toBe(900)
  await clock.advance(16_000)
  expect(clock.waiting()).toBe(0)
})

test('a turn ends by itself: longer work is waiting for something else', async () => {
  const { clock, count, turns } = await createCrowd()
  const before = count('flood')
  await clock.advance(600)
  expect(count('flood')).toBeGreaterThan(before)
  expect(turns.isCrowded()).toBe(true)
})

test('the line of one tenant is bounded', async () => {
  const { turns, flood, clock } = await createCrowd()
  await flood('flood', 400)
  const { signal: gone } = new AbortController()
  await expect(turns.begin('flood', { gone })).rejects.toMatchObject({
    code: 'tenant_limit',
    details: { limit: 1_000, retryAfterMs: 1_000 },
  })
  // What is bounded elsewhere waits instead: a stream does not end because its tenant sends much.
  let isRefused = false
  turns.begin('flood', { gone, isBounded: true }).catch(() => {
    isRefused = true
  })
  await clock.settle()
  expect(isRefused).toBe(false)
})

test('who has waited for long is told to come back; a stream waits on', async () => {
  const { turns, clock } = await createCrowd(() => 0.001)
  const { signal: gone } = new AbortController()
  const outcomes: string[] = []
  turns.begin('flood', { gone }).catch((error: { readonly code: string }) => outcomes.push(error.code))
  turns.begin('flood', { gone, isBounded: true }).catch(() => outcomes.push('stream refused'))
  await clock.advance(9_000)
  expect(outcomes).toEqual([])
  // Those who came before are told first.
  await clock.advance(6_000)
  expect(outcomes).toEqual(['tenant_limit'])
})

test('while tenants are held back, refusals of one tenant are told one by one; those of others do not wait for them', async () => {
  const { turns, clock } = await createCrowd()
  const told: string[] = []
  const refuse = (tenant: string) => void turns.untilRefusal(tenant, STAYS).then(() => told.push(tenant))
  for (let times = 0; times < 100; times++) refuse('flood')
  refuse('other')
  await clock.advance(1_010)
  expect(told.toSorted()).toEqual(['flood', 'other'])
  await clock.advance(200)
  expect(told).toHaveLength(12)
  await clock.advance(2_000)
  expect(told).toHaveLength(101)
})

test('while the thread is on time, the first refusals are told at once and the rest one by one; a tenant alone never waits', async () => {
  const { turns, clock, begin } = create()
  const told: string[] = []
  const refuse = (tenant: string) => void turns.untilRefusal(tenant, STAYS).then(() => told.push(tenant))
  await begin('flood')
  for (let times = 0; times < 100; times++) refuse('flood')
  await clock.settle()
  expect(told.splice(0)).toHaveLength(100)
  await begin('other')
  // Until nobody has to be held back.
  await clock.advance(8_000)
  for (let times = 0; times < 100; times++) refuse('flood')
  refuse('other')
  await clock.settle()
  expect(told.filter((tenant) => tenant === 'flood')).toHaveLength(11)
  expect(told).toContain('other')
  await clock.advance(1_000)
  expect(told).toHaveLength(62)
})

test('a tenant that does nothing but get refused is still told one by one', async () => {
  const { turns, clock, begin } = create()
  const told: number[] = []
  await begin('flood')
  for (let passed = 0; passed < 60_000; passed += 1_000) {
    await begin('other')
    for (let times = 0; times < 100; times++) void turns.untilRefusal('flood', STAYS).then(() => told.push(passed))
    await clock.advance(1_000)
  }
  expect(told.length).toBeLessThan(5_000)
})

test('a refusal does not wait for a client that has gone', async () => {
  const { turns, clock } = await createCrowd()
  const gone = new AbortController()
  let isOver = false
  void turns.untilRefusal('flood', gone.signal).then(() => {
    isOver = true
  })
  await clock.settle()
  expect(isOver).toBe(false)
  gone.abort()
  await clock.settle()
  expect(isOver).toBe(true)
})

test('a client that disconnects leaves the queue and takes no turn', async () => {
  const { turns, begin, count, work } = await createCrowd(() => 0.001)
  const gone = new AbortController()
  setMaxListeners(1_000, gone.signal)
  for (let index = 0; index < 80; index++) void begin('flood', gone.signal).catch(() => undefined)
  gone.abort()
  const before = count('flood')
  await work(11_000)
  expect(count('flood') - before).toBeLessThan(40)
  expect(await turns.begin('flood', { gone: gone.signal })).toBeNull()
})

test('what a request will take counts before the next one starts', async () => {
  const { turns, begin, clock } = create()
  await begin('other')
  await begin('big')
  await clock.advance(10)
  let started = 0
  for (let times = 0; times < 20; times++) void turns.begin('big', { gone: STAYS, ms: 100 }).then(() => (started += 1))
  await clock.settle()
  expect(started).toBe(1)
})

test('callers without a key are held back for a single tenant, and hold back nobody', async () => {
  const { flood, work, count, turns, clock, begin } = create()
  await begin('one')
  await flood(PUBLIC, 900)
  await clock.advance(10)
  await flood('one', 900)
  expect([count('one'), turns.isCrowded(), turns.shareOf('one')]).toEqual([901, false, 1])
  expect(turns.shareOf(PUBLIC)).toBeLessThan(1)
  expect(count(PUBLIC)).toBeLessThan(20)
  await begin(HEALTH_CHECKS)
  expect(count(HEALTH_CHECKS)).toBe(1)
  await work(1_000)
  await flood(PUBLIC, 1_000)
  await expect(turns.begin(PUBLIC, { gone: STAYS })).rejects.toMatchObject({ code: 'overloaded' })
  expect(count(PUBLIC)).toBeGreaterThan(20)
  expect(count(PUBLIC)).toBeLessThan(900)
})

test('a tenant may use the whole thread while no other is active, then a part of it, which shrinks while the thread is late', async () => {
  const { turns, begin, beLate, clock } = create()
  const shares = () => [turns.shareOf('one'), turns.shareOf('other'), turns.shareOf('third'), turns.shareOf(PUBLIC)]
  expect(shares()).toEqual([1, 1, 1, 1])
  await begin('one')
  expect(shares()).toEqual([1, 0.25, 0.25, 0.25])
  await begin('other')
  expect(shares()).toEqual([0.25, 0.25, 0.25, 0.25])
  await clock.advance(10_000)
  expect(shares()).toEqual([1, 1, 1, 1])
  await beLate(20)
  expect(turns.shareOf('one')).toBeLessThan(0.3)
})

test('who needs no key leaves all of the thread to everybody', async () => {
  const { turns, begin } = create()
  await turns.begin(null, { gone: STAYS })
  expect([turns.shareOf(null), turns.shareOf(PUBLIC)]).toEqual([1, 1])
  // A key was made meanwhile.
  await begin('one')
  expect([turns.shareOf('one'), turns.shareOf(PUBLIC)]).toEqual([1, 0.25])
})

test('callers without a key wait for nothing while there is no tenant, and do not make heavy tenants look light', async () => {
  const { flood, count, begin, clock } = create()
  await flood(PUBLIC, 300)
  expect(count(PUBLIC)).toBe(300)
  await begin('other')
  await flood(PUBLIC, 900)
  await flood('flood', 900)
  await clock.advance(10)
  expect(count('flood')).toBeLessThan(20)
})

test('too many refusals of callers without a key are not sent at all', async () => {
  const { turns, begin, clock } = create()
  await begin('one')
  const sent: boolean[] = []
  for (let times = 0; times < 10_000; times++)
    void turns.untilRefusal(PUBLIC, STAYS).then((isSent) => sent.push(isSent))
  await clock.settle()
  // The first few are sent at once: a wrong key should be known soon.
  expect(sent.filter((isSent) => isSent)).toHaveLength(11)
  expect(sent.filter((isSent) => !isSent).length).toBeGreaterThan(9_000)
  await clock.advance(20_000)
  expect(sent).toHaveLength(10_000)
})

test('of many that rest without knowing how long they will take, few go on at once', async () => {
  const { turns, begin, clock } = await createCrowd()
  await begin('other')
  let goneOn = 0
  for (let times = 0; times < 100; times++)
    void turns.spendWhenDue('flood', 0)?.then(() => {
      goneOn += 1
    })
  await clock.advance(1_000)
  expect(goneOn).toBeGreaterThan(0)
  expect(goneOn).toBeLessThan(50)
})

test('health checks cost little: those of a load balancer do not wait behind a flood of them', async () => {
  const { begin, flood, count, ends, clock } = create()
  await begin('one')
  await flood(HEALTH_CHECKS, 100)
  for (let passed = 0; passed < 1_000; passed += 10) {
    for (const end of ends.splice(0)) end()
    clock.freeze(40)
    await clock.advance(10)
  }
  expect(count(HEALTH_CHECKS)).toBe(100)
})

test('what passed while a tenant was alone gives a newcomer no larger share', async () => {
  const { begin, flood, count, ends, clock } = create()
  for (let passed = 0; passed < 60_000; passed += 5_000) {
    await begin('one')
    await begin(HEALTH_CHECKS)
    for (const end of ends.splice(0)) end()
    await clock.advance(5_000)
  }
  await begin('one')
  await flood('flood', 900)
  for (let passed = 0; passed < 1_000; passed += 10) {
    for (const end of ends.splice(0)) end()
    await clock.advance(10)
  }
  expect(count('flood')).toBeLessThan(300)
})
