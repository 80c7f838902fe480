import { beforeEach, expect, test } from 'vitest'
import type { TimerSpec } from '../../core/timer/timer.ts'
import type { TimerCommand } from '../../core/timer/timer-command.ts'
import type { AgreedReads } from '../../ports/chain.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import { createTimerScene, LANE, type TimerScene } from '../../testing/engine/timer-scene.ts'
import { anyHash, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import { endOf } from './end-timer.ts'

const { chainId } = LANE
const schedule = { type: 'cron', line: '* * * * *', timeMs: 0, dueHeight: 17 } as const
const anyId = () => `${anyHash().slice(2, 10)}-0000-4000-8000-${anyHash().slice(2, 14)}`

let isAway: boolean
let scene: TimerScene

beforeEach(async () => {
  isAway = false
  // Blocks to give to the kernel are read, but the one that a time is converted from is not.
  const withoutTimes = (chain: AgreedReads): AgreedReads => ({
    ...chain,
    readAgreedBlocks: async (heights) => {
      if (isAway && heights[0] === scene.chain.head().number && (await spent()).length > 0)
        throw new ChainUnavailable('RPC nodes do not respond')
      return await chain.readAgreedBlocks(heights)
    },
  })
  scene = await createTimerScene(0, { chain: withoutTimes })
  for (let count = 0; count < 15; count++) scene.chain.mine()
  await scene.look()
})

const spent = () => scene.timers.listBetweenTimes(chainId, 10)

async function mine(count: number): Promise<void> {
  for (let done = 0; done < count; done++) {
    scene.chain.mine()
    await scene.look()
  }
}

async function ask(command: TimerCommand): Promise<void> {
  await scene.timers.insertCommands(chainId, [{ id: anyId(), command }], 1_000)
  await scene.clock.advance(50)
}

async function setTimer(change: Partial<TimerSpec> = {}): Promise<string> {
  const timerId = anyId()
  await ask({ type: 'set', timerId, spec: anySpec(LANE, { schedule, bid: 0n, ...change }), label: anyLabel() })
  return timerId
}

const firesOf = async (id: string) => (await scene.timers.listFires(id, { before: null, limit: 10 })).toReversed()

test('after each fire the next time is set, once', async () => {
  scene.startNode()
  const id = await setTimer()
  await mine(2)
  const next = await scene.timers.findTimer(id)
  expect(next).toMatchObject({ state: 'ACTIVE', fireCount: 1, spec: { schedule: { type: 'cron', line: '* * * * *' } } })
  expect(next?.dueHeight).toBeGreaterThan(17)
  const commands = (await scene.timers.loadTimers(chainId)).commands
  expect(commands.map(({ command }) => command.type)).toEqual(['set', 'reschedule'])
})

test('the next times of all that fired are asked for together', async () => {
  let inserts = 0
  const insertCommands = scene.timers.insertCommands
  const ids = []
  scene.startNode()
  for (const digits of ['01', '02', '03']) ids.push(await setTimer({ target: `0x${digits.repeat(20)}` }))
  scene.timers.insertCommands = (...args) => {
    inserts += 1
    return insertCommands(...args)
  }
  await mine(2)
  for (const id of ids) expect((await scene.timers.findTimer(id))?.dueHeight).toBeGreaterThan(17)
  expect(inserts).toBe(1)
})

test('a chain that cannot be read loses no time: it is set once the chain can be read', async () => {
  scene.startNode()
  const id = await setTimer()
  isAway = true
  await mine(2)
  expect(await scene.timers.findTimer(id)).toMatchObject({ state: 'ACTIVE', dueHeight: null, fireCount: 1 })
  isAway = false
  await scene.clock.advance(10_000)
  await mine(1)
  expect(await scene.timers.findTimer(id)).toMatchObject({ state: 'ACTIVE', fireCount: 1 })
})

test('a node that takes over sets the time that its predecessor did not', async () => {
  const first = scene.startNode()
  const id = await setTimer()
  isAway = true
  await mine(2)
  first.kill()
  isAway = false
  scene.startNode()
  await scene.clock.advance(10_000)
  await mine(1)
  expect(await scene.timers.findTimer(id)).toMatchObject({ state: 'ACTIVE', fireCount: 1 })
})

test('times that passed while nobody looked are not made up', async () => {
  const first = scene.startNode()
  const id = await setTimer()
  first.kill()
  for (let count = 0; count < 200; count++) scene.chain.mine()
  scene.startNode()
  await scene.clock.advance(10_000)
  await scene.look()
  await scene.clock.advance(10_000)
  const timer = await scene.timers.findTimer(id)
  expect(timer).toMatchObject({ state: 'ACTIVE', fireCount: 1 })
  expect(timer?.dueHeight).toBeGreaterThan(scene.chain.head().number)
})

const WATCHED = `0x${'ee'.repeat(20)}` as const
const EPOCH = 64

/** Fires at block 70; a reorg drops that block, and a watch takes the only place in the block that is there instead. */
async function loseFire(): Promise<string> {
  scene.startNode()
  await setTimer({ schedule: { type: 'watch', keys: [`${WATCHED}01`] }, target: `0x${'01'.repeat(20)}` })
  await ask({ type: 'params', change: { maxFiresPerBlock: 1 } })
  await mine(EPOCH - scene.chain.head().number)
  const id = await setTimer({ schedule: { ...schedule, dueHeight: 70 }, target: `0x${'02'.repeat(20)}` })
  await mine(70 - scene.chain.head().number)
  const next = await scene.timers.findTimer(id)
  expect(next).toMatchObject({ state: 'ACTIVE', fireCount: 1 })
  expect(next?.dueHeight).toBeGreaterThan(71)
  expect(await firesOf(id)).toMatchObject([{ height: 70 }])
  scene.chain.reorg(1, { length: 0 })
  scene.chain.mineLogs([{ address: WATCHED, topics: [`0x${'ab'.repeat(32)}`] }])
  await scene.look()
  expect((await firesOf(id)).filter(({ isOrphaned }) => !isOrphaned)).toEqual([])
  return id
}

test('a fire that a reorg dropped comes later on the new branch, although the next time was set [G10]', async () => {
  const id = await loseFire()
  const before = await scene.timers.findTimer(id)
  await mine(1)
  expect(await firesOf(id)).toMatchObject([{ height: 71, isOrphaned: false, fireSeq: 0 }])
  const after = await scene.timers.findTimer(id)
  expect(after).toMatchObject({ state: 'ACTIVE', fireCount: 1, kernelId: before?.kernelId })
  await mine((after?.dueHeight ?? 0) - scene.chain.head().number)
  expect((await firesOf(id)).map(({ height }) => height)).toEqual([71, after?.dueHeight])
})

test.each(['cancel', 'pause'] as const)('%s ends a dropped fire too', async (type) => {
  const id = await loseFire()
  const timer = await scene.timers.findTimer(id)
  if (timer === null) throw new Error('there is no timer')
  await ask(endOf(timer, type))
  await mine(3)
  expect((await firesOf(id)).filter(({ isOrphaned }) => !isOrphaned)).toEqual([])
})
