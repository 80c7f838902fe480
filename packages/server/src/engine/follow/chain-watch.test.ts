import { describe, expect, onTestFinished, test } from 'vitest'
import type { ChainHealth } from '../../core/chain/chain-health.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createBlockFollower } from './block-follower.ts'
import { createChainWatch } from './chain-watch.ts'

const SETTINGS = { unreachableAfterMs: 7_500, quietAfterMs: 60_000, standingAfterMs: 20_000, blockTimeMs: 12_000 }

/** `earlyMs`: timers end this much too soon, as those of Node.js do now and then. */
async function setUp({ earlyMs = 0, pollIntervalMs = 1_000 } = {}) {
  const manual = createManualClock()
  const clock = {
    ...manual,
    schedule: (delayMs: number, run: () => void) => manual.schedule(Math.max(0, delayMs - earlyMs), run),
  }
  const telemetry = createRecordingTelemetry()
  const chain = createFakeChain({ chainId: 1 })
  for (let count = 0; count < 20; count++) chain.mine()
  const follower = createBlockFollower({
    chain,
    clock,
    telemetry,
    settings: { windowSize: 40, initialDepth: 5, pollIntervalMs, wantsTags: () => false },
  })
  onTestFinished(() => follower.stop())
  /** `others`: since when something of another node has waited for a block; null: nothing has. */
  const state = { waiting: false, others: null as number | null, asked: 0 }
  const watch = createChainWatch({
    chain,
    follower,
    clock,
    telemetry,
    settings: SETTINGS,
    isWaiting: () => state.waiting,
    othersWaitMs: async () => {
      state.asked++
      return state.others === null ? null : clock.now() - state.others
    },
  })
  onTestFinished(watch.stop)
  const changes: ChainHealth['state'][] = []
  watch.onChange(({ state: next }) => changes.push(next))
  follower.start()
  await clock.settle()
  return { clock, telemetry, chain, watch, state, changes }
}

test('a chain without blocks is healthy while nothing waits', async () => {
  const { clock, watch, changes, telemetry } = await setUp()
  await clock.advance(3_600_000)
  expect(watch.health().state).toBe('ok')
  expect(changes).toEqual(['ok'])
  expect(telemetry.valueOf('drover_chain_state', { chainId: 1, state: 'ok' })).toBe(1)
})

test('a stalled chain is reported in time, though the follower hardly looks while no blocks come', async () => {
  const { clock, state, changes, telemetry } = await setUp({ pollIntervalMs: 12_000 })
  state.waiting = true
  await clock.advance(SETTINGS.standingAfterMs + 4_000)
  expect(changes).toEqual(['ok', 'standing'])
  expect(telemetry.valueOf('drover_chain_state', { chainId: 1, state: 'standing' })).toBe(1)
})

test('a stalled chain is reported once, and time counts again from the next block', async () => {
  const { clock, watch, state, chain, changes, telemetry } = await setUp()
  expect(watch.movingSince()).toBe(0)
  state.waiting = true
  await clock.advance(60_000)
  expect(watch.health()).toMatchObject({ state: 'standing', message: expect.stringContaining('no block for 60 s') })
  expect(watch.movingSince()).toBeNull()
  expect(telemetry.logs.filter(({ level }) => level === 'warn')).toHaveLength(1)
  chain.mine()
  await clock.settle()
  expect(watch.movingSince()).toBe(clock.now())
  expect(changes).toEqual(['ok', 'standing', 'ok'])
})

test('a stalled chain is reported by a node that waits for nothing, while another one does', async () => {
  const { clock, watch, state, chain, changes } = await setUp()
  await clock.advance(19_000)
  // Nobody is asked while blocks may still come.
  expect(state.asked).toBe(0)
  state.others = clock.now() - 18_000
  await clock.advance(11_000)
  expect(watch.health()).toMatchObject({ state: 'standing', message: expect.stringContaining('no block for 30 s') })
  expect(state.asked).toBeLessThan(5)
  chain.mine()
  await clock.settle()
  expect(changes).toEqual(['ok', 'standing', 'ok'])
  state.others = null
  await clock.advance(3_600_000)
  expect(watch.health().state).toBe('ok')
})

test('a long wait reveals a stalled chain even if this node has nothing to wait for', async () => {
  const { clock, watch } = await setUp()
  await clock.advance(30_000)
  expect(watch.health().state).toBe('ok')
  expect(watch.health(clock.now() - 20_000).state).toBe('standing')
  expect(watch.health(clock.now() - 19_000).state).toBe('ok')
})

test('a head that went back for long is reported; a short reorg is not', async () => {
  const { clock, watch, chain } = await setUp()
  chain.reorg(2, { length: 1 })
  await clock.advance(60_000)
  expect(watch.health().state).toBe('ok')
  chain.reorg(12, { length: 0 })
  await clock.advance(60_000)
  expect(watch.health()).toMatchObject({ state: 'rewound', message: expect.stringContaining('block 20 to block 7') })
})

describe('whether it can be reached', () => {
  test('is lost after a while without answers, and found after as long with them', async () => {
    const { clock, watch, chain } = await setUp()
    expect(watch.isReachable()).toBe(true)
    chain.setFault(() => 'unavailable')
    await clock.advance(5_000)
    expect(watch.isReachable()).toBe(true)
    await clock.advance(20_000)
    expect([watch.isReachable(), watch.health().state]).toEqual([false, 'unreachable'])
    chain.setFault(null)
    chain.mine()
    await clock.advance(2_000)
    expect([watch.isReachable(), watch.health().state]).toEqual([false, 'ok'])
    await clock.advance(10_000)
    expect(watch.isReachable()).toBe(true)
  })

  test('a chain that comes and goes stays lost', async () => {
    const { clock, watch, chain } = await setUp()
    chain.setFault(() => 'unavailable')
    await clock.advance(30_000)
    for (let round = 0; round < 5; round++) {
      chain.setFault(null)
      await clock.advance(5_000)
      chain.setFault(() => 'unavailable')
      await clock.advance(20_000)
      expect(watch.isReachable()).toBe(false)
    }
  })
})

test.each([0, 0.6])(
  'nodes that take requests and never answer are named after a few seconds, before any of them times out (timers %d ms early)',
  async (earlyMs) => {
    const { clock, watch, chain, changes } = await setUp({ earlyMs })
    const { getBlock, getHeight } = chain
    let answer = (): void => {}
    const stalled = new Promise<void>((resolve) => {
      answer = resolve
    })
    onTestFinished(() => answer())
    Object.assign(chain, {
      getBlock: async (...args: Parameters<typeof getBlock>) => {
        await stalled
        return await getBlock(...args)
      },
      getHeight: async () => {
        await stalled
        return await getHeight()
      },
    })
    await clock.advance(3_500)
    expect(watch.health().state).toBe('ok')
    await clock.advance(1_000)
    expect(watch.health()).toMatchObject({ state: 'unreachable', message: expect.stringContaining('respond') })
    expect(changes).toEqual(['ok', 'unreachable'])
    // Lanes stay where they are: that takes longer.
    expect(watch.isReachable()).toBe(true)
    answer()
    await clock.advance(1_000)
    expect(watch.health().state).toBe('ok')
  },
)
