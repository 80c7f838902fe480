/** Conditions are asked for beside the loop: whatever a call does, only its own timer, or its tenant, waits for it. */
import { describe, expect, test } from 'vitest'
import type { Condition, Fire } from '../../../core/timer/timer.ts'
import { ChainUnavailable, type ViewCall, type ViewOutcome } from '../../../ports/chain.ts'
import { createTimerScene, LANE, type TimerScene, TTL_MS } from '../../../testing/engine/timer-scene.ts'
import { anyHash, anyLabel, anySpec } from '../../../testing/store/sample-timers.ts'
import { createRecordingTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createUpstreamPace } from '../../tenants/upstream-pace.ts'

const { chainId: CHAIN_ID } = LANE
const MINUTE = 60_000
const MET: ViewOutcome = { type: 'value', data: `0x${'00'.repeat(31)}01` }
const NOT_MET: ViewOutcome = { type: 'value', data: `0x${'00'.repeat(32)}` }
const UNKNOWN: ViewOutcome = { type: 'unknown', message: 'the RPC nodes do not agree' }

type View = (call: ViewCall, height: number) => ViewOutcome | Promise<ViewOutcome>

/** The data tells one condition from another. */
function when(data: `0x${string}`): Condition {
  return { to: `0x${'dd'.repeat(20)}`, data, comparison: 'gt', value: 0n, isSigned: false }
}

async function setUp(view: View, more: Partial<Parameters<typeof createTimerScene>[1]> = {}, deliverAt = 0) {
  const scene = await createTimerScene(deliverAt, { view, ...more })
  for (let count = 0; count < 20; count++) scene.chain.mine()
  await scene.look()
  const node = scene.startNode()
  await scene.clock.advance(50)
  return { ...scene, node }
}

let targets = 0

/** Fires every so many blocks, or once, at the next. Returns its id once it is set. */
async function set(
  scene: TimerScene,
  tenant: string,
  condition: Condition | null,
  everyBlocks: number | 'once' = 1,
): Promise<string> {
  const id = () => `${anyHash().slice(2, 10)}-0000-4000-8000-${anyHash().slice(2, 14)}`
  const timerId = id()
  targets += 1
  const target = `0x${targets.toString(16).padStart(40, '0')}` as const
  const schedule =
    everyBlocks === 'once'
      ? ({ type: 'timeout', dueHeight: scene.chain.head().number + 1 } as const)
      : ({ type: 'interval', everyBlocks } as const)
  const spec = anySpec(LANE, { schedule, target, bid: 0n, when: condition })
  const command = { type: 'set', timerId, spec, label: anyLabel({ tenant }) } as const
  await scene.timers.insertCommands(CHAIN_ID, [{ id: id(), command }], 10_000)
  await scene.clock.advance(20)
  expect(await scene.timers.findTimer(timerId)).toMatchObject({ state: 'ACTIVE' })
  return timerId
}

async function mine(scene: TimerScene, blocks = 1): Promise<void> {
  for (let count = 0; count < blocks; count++) {
    scene.chain.mine()
    await scene.look()
  }
}

/** Oldest first. */
async function firesOf(scene: TimerScene, id: string): Promise<readonly Fire[]> {
  return (await scene.timers.listFires(id, { before: null, limit: 10_000 })).toReversed()
}

const statesOf = async (scene: TimerScene, id: string) =>
  (await firesOf(scene, id)).map(({ state, skipReason }) => skipReason ?? state)

describe('calls', () => {
  test('a condition that never ends delays no block, no command and no fire of another tenant [G12]', async () => {
    const scene = await setUp(({ data }) => (data === '0x01' ? new Promise(() => {}) : MET))
    const endless = await set(scene, 'heavy', when('0x01'))
    const others = [await set(scene, 'shop', null), await set(scene, 'shop', when('0x02'))]
    await mine(scene, 3)
    expect((await scene.timers.readTip(CHAIN_ID))?.height).toBe(scene.chain.head().number)
    for (const id of others) expect(await statesOf(scene, id)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
    expect(await statesOf(scene, endless)).toEqual(['OBSERVED', 'OBSERVED', 'OBSERVED'])
    expect((await firesOf(scene, endless)).map(({ condition }) => condition)).toEqual([null, null, null])
    // Answered although a call is under way.
    await set(scene, 'shop', null)
  })

  test('a condition that the nodes do not agree on holds up only its own timer, and goes on when they do [G12]', async () => {
    let doAgree = false
    const asked: number[] = []
    const scene = await setUp(({ data }) => {
      if (data !== '0x01') return MET
      asked.push(scene.clock.monotonic())
      return doAgree ? MET : UNKNOWN
    })
    const disputed = await set(scene, 'shop', when('0x01'))
    const others = [await set(scene, 'shop', when('0x02')), await set(scene, 'shop', null)]
    await mine(scene, 3)
    for (const id of others) expect(await statesOf(scene, id)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
    expect(await statesOf(scene, disputed)).toEqual(['OBSERVED', 'OBSERVED', 'OBSERVED'])
    // Later and later, and later fires of the timer not at all.
    await scene.clock.advance(20_000)
    expect(asked.length).toBeLessThan(10)
    doAgree = true
    await scene.clock.advance(MINUTE)
    expect(await statesOf(scene, disputed)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
  })

  test('a condition that is asked along with one that fails is answered all the same', async () => {
    const calls: number[] = []
    const scene = await setUp(({ data }) => (data === '0x01' ? UNKNOWN : MET), {
      chain: (chain) => ({
        ...chain,
        readAgreedViews: (asked) => {
          calls.push(asked.length)
          return chain.readAgreedViews(asked)
        },
      }),
    })
    const [failing, fine] = [await set(scene, 'shop', when('0x01')), await set(scene, 'shop', when('0x02'))]
    await mine(scene)
    expect(await statesOf(scene, fine)).toEqual(['QUEUED'])
    expect(await statesOf(scene, failing)).toEqual(['OBSERVED'])
    await scene.clock.advance(10_000)
    // The first time together, then alone.
    expect(calls).toEqual([2, ...calls.slice(1).map(() => 1)])
    expect(calls.length).toBeGreaterThan(2)
  })
})

test('fires of one timer keep their order, whichever condition is known first', async () => {
  let isOpen = false
  const order: number[] = []
  const saved: string[] = []
  const heights = new Map<string, number>()
  const scene = await setUp((_call, height) => (height === 21 && !isOpen ? UNKNOWN : MET), {
    store: (timers) => ({
      ...timers,
      writeBlocks: (write) => {
        for (const { deliverId } of write.handOffs) order.push(heights.get(deliverId) ?? -1)
        return timers.writeBlocks(write)
      },
      saveConditions: (lease, results) => {
        for (const { deliverId } of results) saved.push(deliverId)
        return timers.saveConditions(lease, results)
      },
    }),
  })
  const timer = await set(scene, 'shop', when('0x01'))
  scene.chain.mine()
  scene.chain.mine()
  await mine(scene)
  for (const { deliverId, height } of await firesOf(scene, timer)) heights.set(deliverId, height)
  expect([...heights.values()]).toEqual([21, 22, 23])
  expect(saved).toEqual([])
  isOpen = true
  await scene.clock.advance(MINUTE)
  expect(order).toEqual([21, 22, 23])
  expect(await statesOf(scene, timer)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
})

test('a condition that is not met, or fails, skips the fire with its outcome; the counter says so', async () => {
  const telemetry = createRecordingTelemetry()
  const answers: Readonly<Record<string, ViewOutcome>> = {
    '0x01': NOT_MET,
    '0x02': { type: 'reverted', reason: 'no' },
    '0x03': { type: 'pruned' },
    '0x04': { type: 'too_large' },
    '0x05': MET,
  }
  const scene = await setUp(({ data }) => answers[data] ?? UNKNOWN, { telemetry }, 3)
  const ids: string[] = []
  for (const data of Object.keys(answers)) ids.push(await set(scene, 'shop', when(data as `0x${string}`), 4))
  ids.push(await set(scene, 'shop', null, 4))
  await mine(scene, 4)
  const states = await Promise.all(ids.map((id) => statesOf(scene, id)))
  expect(states.flat()).toEqual([
    ...['condition_not_met', 'condition_failed', 'condition_failed', 'condition_failed', 'OBSERVED', 'OBSERVED'],
  ])
  const [, reverted, , large, met] = await Promise.all(ids.map(async (id) => (await firesOf(scene, id))[0]))
  expect(reverted?.condition).toMatchObject({ outcome: 'failed', message: 'The call reverted: no' })
  expect(large?.condition).toMatchObject({ outcome: 'failed', message: expect.stringContaining('64 KiB') })
  expect(met?.condition).toEqual({ outcome: 'met', value: 1n, message: null })
  await mine(scene, 3)
  expect(await statesOf(scene, ids[4] ?? '')).toEqual(['QUEUED'])
  const countOf = (result: string) => telemetry.valueOf('drover_timer_fires_total', { chainId: CHAIN_ID, result })
  expect(['fired', 'condition_not_met', 'condition_failed'].map(countOf)).toEqual([2, 1, 3])
})

test('a fire whose condition is met is handed over without another block', async () => {
  let answer = (_: ViewOutcome): void => {}
  const scene = await setUp(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  const timer = await set(scene, 'shop', when('0x01'))
  await mine(scene)
  expect(await statesOf(scene, timer)).toEqual(['OBSERVED'])
  answer(MET)
  await scene.clock.advance(20)
  expect(await statesOf(scene, timer)).toEqual(['QUEUED'])
  expect((await scene.timers.readTip(CHAIN_ID))?.height).toBe(scene.chain.head().number)
})

test('after a takeover, the conditions of fires that wait are asked for again [G9]', async () => {
  let isStuck = true
  const scene = await setUp(() => (isStuck ? new Promise(() => {}) : MET), {}, 2)
  const timer = await set(scene, 'shop', when('0x01'), 3)
  await mine(scene, 3)
  expect(await statesOf(scene, timer)).toEqual(['OBSERVED'])
  scene.node.kill()
  isStuck = false
  scene.startNode()
  await scene.clock.advance(TTL_MS * 2)
  expect((await firesOf(scene, timer))[0]?.condition).toMatchObject({ outcome: 'met' })
  await mine(scene, 2)
  expect(await statesOf(scene, timer)).toEqual(['QUEUED'])
})

test('a reorg forgets what waits; the same fire at another block is asked for again [G10]', async () => {
  const asked = new Map<string, (outcome: ViewOutcome) => void>()
  const scene = await setUp(({ blockHash }) => new Promise((resolve) => void asked.set(blockHash, resolve)), {}, 1)
  const timer = await set(scene, 'shop', when('0x01'), 2)
  await mine(scene, 2)
  const [before] = await firesOf(scene, timer)
  scene.chain.reorg(1, { length: 1 })
  scene.chain.mine()
  await scene.look()
  const [after, ...others] = await firesOf(scene, timer)
  expect(others).toEqual([])
  expect(after?.fireKey).toBe(before?.fireKey)
  expect(after?.blockHash).not.toBe(before?.blockHash)
  // The answer for the dropped block says nothing about the other one.
  asked.get(before?.blockHash ?? '')?.(NOT_MET)
  await scene.clock.advance(20)
  expect(await statesOf(scene, timer)).toEqual(['OBSERVED'])
  asked.get(after?.blockHash ?? '')?.(MET)
  await scene.clock.advance(20)
  expect(await statesOf(scene, timer)).toEqual(['QUEUED'])
})

describe('no answer', () => {
  test('a condition without an answer skips its fire only after minutes in which the chain went on', async () => {
    const telemetry = createRecordingTelemetry()
    const scene = await setUp(() => UNKNOWN, { telemetry })
    const timer = await set(scene, 'shop', when('0x01'), 'once')
    await mine(scene)
    await scene.clock.advance(30 * MINUTE)
    expect(await statesOf(scene, timer)).toEqual(['OBSERVED'])
    for (let minute = 0; minute < 8; minute++) {
      await mine(scene)
      await scene.clock.advance(MINUTE)
    }
    const [fire] = await firesOf(scene, timer)
    expect(fire).toMatchObject({ state: 'SKIPPED', skipReason: 'condition_failed' })
    expect(fire?.condition?.message).toBe('The RPC nodes did not answer this call: the RPC nodes do not agree')
    const warnings = telemetry.logs.filter(({ message }) => message.includes('wait for a condition'))
    expect(warnings[0]).toMatchObject({ level: 'warn', fields: { tenant: 'shop', error: UNKNOWN.message } })
    // One a minute at most.
    expect(warnings.length).toBeLessThanOrEqual(40)
  })

  test('a condition skips nothing in an outage, however long', async () => {
    let isAway = false
    let hasBeenAway = false
    const scene = await setUp(() => MET, {
      store: (timers) => ({
        ...timers,
        // The block of the fire is the last that is read.
        writeBlocks: async (write) => {
          isAway ||= !hasBeenAway && write.fires.length > 0
          hasBeenAway ||= isAway
          return await timers.writeBlocks(write)
        },
      }),
      chain: (chain) =>
        new Proxy(chain, {
          get: (of, name) => {
            if (!isAway) return Reflect.get(of, name)
            return () => Promise.reject(new ChainUnavailable('no node responds'))
          },
        }),
    })
    const timer = await set(scene, 'shop', when('0x01'), 2)
    await mine(scene, 6)
    expect(isAway).toBe(true)
    expect(await statesOf(scene, timer)).toEqual(['OBSERVED'])
    await scene.clock.advance(60 * MINUTE)
    expect(await statesOf(scene, timer)).toEqual(['OBSERVED'])
    isAway = false
    await scene.clock.advance(2 * MINUTE)
    expect(await statesOf(scene, timer)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
  })
})

test('past a thousand fires of a tenant that wait for their conditions, the next are skipped; others are not [G12]', async () => {
  const telemetry = createRecordingTelemetry()
  const scene = await setUp(({ data }) => (data === '0x01' ? new Promise(() => {}) : MET), { telemetry })
  const many = await Promise.all(Array.from({ length: 50 }, () => set(scene, 'heavy', when('0x01'))))
  const other = await set(scene, 'shop', when('0x02'))
  await mine(scene, 22)
  const fires = (await Promise.all(many.map((id) => firesOf(scene, id)))).flat()
  expect(fires.filter(({ state }) => state === 'OBSERVED')).toHaveLength(1_000)
  const skipped = fires.filter(({ state }) => state === 'SKIPPED')
  expect(skipped).toHaveLength(100)
  expect(telemetry.valueOf('drover_timer_fires_waiting', { chainId: CHAIN_ID })).toBe(1_000)
  expect(skipped[0]?.condition?.message).toBe('Over 1,000 fires of this tenant already wait for their conditions.')
  expect(new Set(skipped.map(({ skipReason }) => skipReason))).toEqual(new Set(['condition_failed']))
  expect(await statesOf(scene, other)).toEqual(Array(22).fill('QUEUED'))
})

test('a tenant with slow conditions is held to its pace while others ask the same node [G12]', async () => {
  const SLOW_MS = 400
  let busyMs = 0
  const asked: number[] = []
  const scene = await setUp(
    async ({ data }) => {
      if (data !== '0x01') return MET
      busyMs += SLOW_MS
      await new Promise<void>((resolve) => void scene.clock.schedule(SLOW_MS, resolve))
      return MET
    },
    {
      paceOf: (clock) => createUpstreamPace({ clock, distanceMs: () => 1 }),
      chain: (chain) => ({
        ...chain,
        readAgreedViews: (calls) => {
          if (calls.some(({ data }) => data === '0x01')) asked.push(calls.length)
          return chain.readAgreedViews(calls)
        },
      }),
    },
  )
  const quick = await set(scene, 'shop', when('0x02'))
  for (let count = 0; count < 20; count++) await set(scene, 'heavy', when('0x01'))
  const startedAt = scene.clock.monotonic()
  for (let second = 0; second < 60; second++) {
    await mine(scene)
    await scene.clock.advance(1_000)
  }
  expect(await statesOf(scene, quick)).toEqual(Array(80 - 20).fill('QUEUED'))
  // One call at a time, and most of the time none.
  expect(asked.slice(-5)).toEqual([1, 1, 1, 1, 1])
  expect(busyMs / (scene.clock.monotonic() - startedAt)).toBeLessThan(0.4)
})
