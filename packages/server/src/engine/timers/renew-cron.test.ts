import { beforeEach, expect, test } from 'vitest'
import type { AgreedReads } from '../../ports/chain.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import { createTimerScene, LANE, type TimerScene } from '../../testing/engine/timer-scene.ts'
import { anyHash, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'

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

async function setTimer(): Promise<string> {
  const command = {
    type: 'set',
    timerId: anyId(),
    spec: anySpec(LANE, { schedule, bid: 0n }),
    label: anyLabel(),
  } as const
  await scene.timers.insertCommand({ id: anyId(), chainId, command }, 1_000)
  await scene.clock.advance(50)
  return command.timerId
}

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

test('a chain that cannot be read loses no time: it is set once the chain can be read', async () => {
  scene.startNode()
  const id = await setTimer()
  isAway = true
  await mine(2)
  expect(await scene.timers.findTimer(id)).toMatchObject({ state: 'DONE', fireCount: 1 })
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
