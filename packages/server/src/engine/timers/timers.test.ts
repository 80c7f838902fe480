import { expect, test } from 'vitest'
import type { KernelId } from '../../core/timer/timer.ts'
import type { StoredCommand } from '../../core/timer/timer-command.ts'
import type { Call } from '../../ports/chain.ts'
import type { NewCommand, TimerStore } from '../../ports/timer-store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createTimerScene, LANE as SCENE_LANE } from '../../testing/engine/timer-scene.ts'
import { anyHash, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import { describeQueue } from './describe-queue.ts'
import { createHostState } from './host-state.ts'
import { createTimers } from './timers.ts'

const LANE = { chainId: 7, signer: `0x${'11'.repeat(20)}` } as const
const CRON = { type: 'cron', line: '* * * * *', timeMs: 0, dueHeight: 9 } as const

/** A node that refuses what is about an old kernel id, and timers that get a new one with each of the first requests. */
function setUp(
  schedule: typeof CRON | { readonly type: 'interval'; readonly everyBlocks: number },
  moves: number,
  dueHeight: number | null = 9,
) {
  let kernelId: KernelId = anyHash()
  const asked: StoredCommand[] = []
  const store = {
    findTimer: async () => ({ id: 't', kernelId, state: 'ACTIVE', dueHeight, spec: anySpec(LANE, { schedule }) }),
    readQueue: async () => ({ queue: describeQueue(createHostState(LANE.chainId)), tip: { height: 0 } }),
    insertCommands: async (chainId: number, [{ id, command }]: readonly [NewCommand]) => {
      if (asked.length < moves) kernelId = anyHash()
      const isOld = 'kernelId' in command && command.kernelId !== kernelId
      const answer = isOld
        ? ({ type: 'refused', code: 'ERR_TIMER_NOT_FOUND', message: 'the timer was resumed meanwhile' } as const)
        : ({ type: 'accepted', kernelId } as const)
      asked.push({ id, chainId, command, answer })
      return [{ type: 'inserted' }]
    },
    findCommands: async (ids: readonly string[]) => ids.map((id) => asked.find((each) => each.id === id) ?? null),
  }
  const timers = createTimers({
    store: store as never,
    notices: { listen: () => () => {} } as never,
    signers: { find: async () => null },
    chains: new Map([[LANE.chainId, { chain: {} as never, blockTimeMs: 12_000 }]]),
    clock: createManualClock(),
    random: { id: () => `id-${asked.length}` },
    maxPerTenant: 10,
    maxPerSigner: 10,
    viewOf: () => ({ head: { number: 20, timestamp: 1_700_000_000 } }) as never,
  })
  return { timers, asked }
}

test('a timer by cron that fires while it is cancelled is cancelled all the same', async () => {
  const { timers, asked } = setUp(CRON, 2)
  await timers.cancel('t')
  expect(asked.map(({ answer }) => answer?.type)).toEqual(['refused', 'refused', 'accepted'])
})

test('an update that meets the next time of a timer by cron changes it all the same', async () => {
  const { timers, asked } = setUp(CRON, 2)
  await timers.update('t', { gasLimit: 5n })
  expect(asked.map(({ command, answer }) => [command.type, answer?.type])).toEqual([
    ['update', 'refused'],
    ['update', 'refused'],
    ['update', 'accepted'],
  ])
})

test('an update between two times sets the next one, with the new terms', async () => {
  const { timers, asked } = setUp(CRON, 0, null)
  await timers.update('t', { gasLimit: 5n })
  const [{ command } = { command: null }] = asked
  expect(command).toMatchObject({ type: 'reschedule', isNext: false, spec: { gasLimit: 5n } })
  expect(command).toMatchObject({ spec: { schedule: { type: 'cron', timeMs: 1_700_000_040_000 } } })
})

test('parameters that do not fit the current ones are refused, and nothing is stored', async () => {
  const { timers, asked } = setUp(CRON, 0)
  await expect(timers.changeParams(null, { minGasLimitPerTimer: '10000001' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('eighth'),
  })
  expect(asked).toEqual([])
})

test('one that never stays as it is, or that somebody else changed, is refused', async () => {
  const restless = setUp(CRON, 100)
  await expect(restless.timers.cancel('t')).rejects.toMatchObject({ code: 'action_forbidden' })
  expect(restless.asked.length).toBe(5)
  const changed = setUp({ type: 'interval', everyBlocks: 2 }, 1)
  await expect(changed.timers.pause('t')).rejects.toMatchObject({ code: 'action_forbidden' })
  expect(changed.asked.length).toBe(1)
})

/** Timers over a store in memory, with a node that runs them, and how often each of its calls was made. */
async function setUpScene() {
  const calls: Record<string, number> = {}
  const counted = (of: TimerStore): TimerStore =>
    new Proxy(of, {
      get: (target, name) => {
        const call = Reflect.get(target, name) as (...args: unknown[]) => unknown
        return (...args: unknown[]) => {
          calls[String(name)] = (calls[String(name)] ?? 0) + 1
          return call(...args)
        }
      },
    })
  const scene = await createTimerScene(0, { store: counted })
  for (let count = 0; count < 20; count++) scene.chain.mine()
  await scene.look()
  scene.startNode()
  let ids = 0
  const timers = createTimers({
    store: counted(scene.timers),
    notices: scene.timers,
    signers: { find: async () => ({}) as never },
    chains: new Map([[SCENE_LANE.chainId, { chain: {} as never, blockTimeMs: 12_000 }]]),
    clock: scene.clock,
    random: { id: () => `01890a5d-ac96-774b-8000-${(++ids).toString().padStart(12, '0')}` },
    maxPerTenant: 10_000,
    maxPerSigner: 10_000,
    viewOf: () => ({ head: { number: 20, timestamp: 1_700_000_000 } }) as never,
  })
  const create = (n: number) => {
    const spec = anySpec(SCENE_LANE, { bid: 0n, target: `0x${(n + 1).toString(16).padStart(40, '0')}` })
    const { requestDigest: digest, ...label } = anyLabel({ requestId: `request ${n}` })
    return timers.create({ ...spec, ...label, digest, schedule: { type: 'interval', blocks: 5 } })
  }
  return { scene, create, calls }
}

test('creates that come together are stored, answered and read together', async () => {
  const { scene, create, calls } = await setUpScene()
  await scene.clock.advance(50)
  for (const name of Object.keys(calls)) delete calls[name]
  const all = Promise.all(Array.from({ length: 100 }, (_, n) => create(n)))
  await scene.clock.advance(500)
  expect(new Set((await all).map(({ timer }) => timer.id)).size).toBe(100)
  const { insertCommands = 0, writeCommands = 0, findTimers = 0, findTimersByRequest = 0, findTimer = 0 } = calls
  expect({ insertCommands, writeCommands, findTimersByRequest, findTimer }).toEqual({
    insertCommands: 1,
    writeCommands: 1,
    findTimersByRequest: 1,
    findTimer: 0,
  })
  expect(findTimers).toBeLessThanOrEqual(2)
  expect(Object.values(calls).reduce((sum, n) => sum + n, 0)).toBeLessThan(20)
})

test('gas is estimated for the call as it will be sent; too low a balance is named in the error', async () => {
  const estimated: Call[] = []
  const estimate = async ([call]: readonly Call[]) => {
    if (call !== undefined) estimated.push(call)
    return [{ type: 'insufficient_funds', message: 'the value is 5 wei, but the balance is 1 wei' } as const]
  }
  const timers = createTimers({
    store: { findTimersByRequest: async () => [null], countTimers: async () => 0 } as never,
    notices: { listen: () => () => {} } as never,
    signers: { find: async () => ({}) as never },
    chains: new Map([[LANE.chainId, { chain: { estimate }, blockTimeMs: 12_000 }]]),
    clock: createManualClock(),
    random: { id: () => 'id' },
    maxPerTenant: 10,
    maxPerSigner: 10,
    viewOf: () => null,
  })
  const { requestDigest: digest, ...label } = anyLabel()
  const wanted = { ...anySpec(LANE, { data: '0x01' }), ...label, digest, gasLimit: null }
  const schedule = { type: 'interval', blocks: 5 } as const
  await expect(timers.create({ ...wanted, schedule, appendDeliverId: true })).rejects.toMatchObject({
    details: { field: 'gasLimit' },
    message: expect.stringContaining('the signer has too little: the value is 5 wei'),
  })
  await expect(timers.create({ ...wanted, schedule, appendDeliverId: false })).rejects.toThrow()
  expect(estimated.map(({ data }) => data)).toEqual([`0x01${'ff'.repeat(32)}`, '0x01'])
})
