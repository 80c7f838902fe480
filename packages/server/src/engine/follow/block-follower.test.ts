import { describe, expect, onTestFinished, test } from 'vitest'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import { createFakeChain, type FakeOperation } from '../../testing/chain/fake-chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { type ChainUpdate, createBlockFollower, type FollowerSettings } from './block-follower.ts'

function setUp(settings: Partial<FollowerSettings> = {}, blocks = 20) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const fake = createFakeChain({ chainId: 1, safeDepth: 2, finalizedDepth: 4 })
  for (let count = 0; count < blocks; count++) fake.mine()
  const calls: FakeOperation['name'][] = []
  const chain: Chain = {
    ...fake,
    getBlock: (ref) => {
      calls.push('getBlock')
      return fake.getBlock(ref)
    },
    getTags: () => {
      calls.push('getTags')
      return fake.getTags()
    },
  }
  const own = { windowSize: 10, initialDepth: 5, pollIntervalMs: 1_000, wantsTags: () => false, ...settings }
  const follower = createBlockFollower({ chain, clock, telemetry, settings: own })
  const updates: ChainUpdate[] = []
  follower.onUpdate((update) => updates.push(update))
  onTestFinished(() => follower.stop())
  const numbers = (update: ChainUpdate | undefined) => update?.added.map((block) => block.number)
  return { clock, telemetry, chain: fake, follower, updates, calls, numbers }
}

describe('a chain that only grows', () => {
  test('the first read goes back as far as configured, and reports no gap', async () => {
    const { follower, updates, numbers } = setUp()
    await follower.look()
    expect(numbers(updates[0])).toEqual([16, 17, 18, 19, 20])
    expect(updates[0]).toMatchObject({ forkFrom: null, gap: false })
    expect(follower.view()?.header(15)).toBeNull()
    expect(follower.view()?.header(16)?.number).toBe(16)
  })

  test('several new blocks at once are reported once, lowest first', async () => {
    const { chain, clock, follower, updates, numbers } = setUp()
    follower.start()
    await clock.settle()
    chain.setFault(({ name }) => (name === 'onHeadHint' ? 'unavailable' : null))
    for (let count = 0; count < 3; count++) chain.mine()
    await clock.advance(1_000)
    expect(updates.slice(1).map(numbers)).toEqual([[21, 22, 23]])
    expect(updates[1]).toMatchObject({ forkFrom: null, gap: false })
  })

  test('an unchanged head costs one request and notifies nobody', async () => {
    const { follower, updates, calls } = setUp()
    await follower.look()
    calls.length = 0
    await follower.look()
    expect(calls).toEqual(['getBlock'])
    expect(updates).toHaveLength(1)
  })

  test('a hint is followed at once, and one that comes during a look is not lost', async () => {
    const { chain, clock, follower } = setUp()
    follower.start()
    await clock.settle()
    for (let turns = 0; turns < 30; turns++) {
      chain.mine()
      for (let turn = 0; turn < turns; turn++) await null
      const { number } = chain.mine()
      await clock.settle()
      expect(follower.view()?.head.number, `${turns} turns between two blocks`).toBe(number)
    }
  })

  test('the window stays bounded however long the chain runs', async () => {
    const { chain, follower } = setUp()
    for (let count = 0; count < 100; count++) {
      chain.mine()
      await follower.look()
    }
    const held = Array.from({ length: 121 }, (_, number) => follower.view()?.header(number)).filter(Boolean)
    expect(held.map((header) => header?.number)).toEqual([111, 112, 113, 114, 115, 116, 117, 118, 119, 120])
  })

  test('an absence longer than the window restarts it and reports that blocks may have been missed [G7]', async () => {
    const { chain, follower, updates, numbers, telemetry } = setUp()
    await follower.look()
    for (let count = 0; count < 50; count++) chain.mine()
    await follower.look()
    expect(updates[1]).toMatchObject({ gap: true, forkFrom: null })
    expect(numbers(updates[1])).toEqual([66, 67, 68, 69, 70])
    expect(telemetry.valueOf('drover_gaps_total', { part: 'follower' })).toBe(1)
  })

  test('tags are read only if needed, and a tag that moves alone is reported', async () => {
    let wanted = false
    const { chain, follower, updates, calls } = setUp({ wantsTags: () => wanted })
    await follower.look()
    expect(calls).not.toContain('getTags')
    expect(updates[0]?.view).toMatchObject({ safe: null, finalized: null })
    wanted = true
    await follower.look()
    expect(updates[1]).toMatchObject({ added: [], view: { safe: 18, finalized: 16 } })
    chain.mine()
    await follower.look()
    expect(updates[2]?.view).toMatchObject({ safe: 19, finalized: 17 })
  })
})

describe('a reorged chain', () => {
  test.each([1, 3])(
    'a fork of depth %i is walked back to its root and reported with its lowest height [G6]',
    async (depth) => {
      const { chain, follower, updates, numbers, telemetry } = setUp()
      await follower.look()
      chain.reorg(depth, { length: depth + 1 })
      await follower.look()
      const lowest = 21 - depth
      expect(updates[1]).toMatchObject({ forkFrom: lowest, gap: false })
      expect(numbers(updates[1])).toEqual(Array.from({ length: depth + 1 }, (_, index) => lowest + index))
      expect(telemetry.valueOf('drover_reorgs_total', { chain_id: 1 })).toBe(1)
      for (let number = 16; number <= 21; number++) {
        expect(follower.view()?.header(number)?.hash).toBe((await chain.getBlock(number))?.hash)
      }
    },
  )

  test('a fork to the same height, which no height could show, is seen by its hash [G6]', async () => {
    const { chain, follower, updates } = setUp()
    await follower.look()
    chain.reorg(2)
    await follower.look()
    expect(updates[1]).toMatchObject({ forkFrom: 19, view: { head: { number: 20 } } })
  })

  test('a fork deeper than the window restarts it, and both fork and gap are reported', async () => {
    const { chain, follower, updates, numbers } = setUp()
    for (let count = 0; count < 10; count++) {
      chain.mine()
      await follower.look()
    }
    updates.length = 0
    chain.reorg(15, { length: 16 })
    await follower.look()
    expect(updates[0]).toMatchObject({ gap: true, forkFrom: 22 })
    expect(numbers(updates[0])).toEqual([22, 23, 24, 25, 26, 27, 28, 29, 30, 31])
  })

  test('a lagging node is no reorg: nothing is withdrawn and the view stays', async () => {
    const { chain, follower, updates, telemetry } = setUp()
    await follower.look()
    for (let count = 0; count < 5; count++) {
      chain.setFault(() => 'stale')
      await follower.look()
      chain.setFault(null)
      await follower.look()
    }
    expect(follower.view()?.head.number).toBe(20)
    expect(updates).toHaveLength(1)
    expect(telemetry.valueOf('drover_reorgs_total', { chain_id: 1 })).toBe(0)
  })

  test('a chain that went back and grew on another branch is followed from the first block that shows it', async () => {
    const { chain, follower, updates } = setUp()
    await follower.look()
    chain.reorg(3, { length: 0 })
    await follower.look()
    chain.reorg(1, { length: 1 })
    chain.mine()
    await follower.look()
    expect(updates.at(-1)).toMatchObject({ forkFrom: 17, view: { head: { number: 18 } } })
  })
})

describe('a node in trouble', () => {
  test('is retried with growing pauses, reported, and followed again without a gap', async () => {
    const { chain, clock, follower, updates, calls, telemetry } = setUp()
    follower.start()
    await clock.settle()
    chain.setFault(() => 'unavailable')
    calls.length = 0
    await clock.advance(3_600_000)
    expect(calls.length).toBeLessThan(460)
    expect(follower.lastError()).toContain('unavailable')
    expect(clock.monotonic() - (follower.lastAnswerAt() ?? 0)).toBe(3_600_000)
    expect(telemetry.logs).toHaveLength(1)
    chain.mine()
    chain.setFault(null)
    await clock.advance(8_000)
    expect(updates).toHaveLength(2)
    expect(updates[1]).toMatchObject({ gap: false, view: { head: { number: 21 } } })
    expect(follower.lastError()).toBeNull()
  })

  test('that has a head but not the block under it is in trouble too, and does not count as answering', async () => {
    const { chain, clock, follower } = setUp()
    const { getBlock } = chain
    const answeredAt = async () => {
      await follower.look()
      return follower.lastAnswerAt()
    }
    const before = await answeredAt()
    const broken: Chain = { ...chain, getBlock: async (ref) => (typeof ref === 'object' ? null : getBlock(ref)) }
    const other = createBlockFollower({
      chain: broken,
      clock,
      telemetry: createRecordingTelemetry(),
      settings: { windowSize: 10, initialDepth: 5, pollIntervalMs: 1_000, wantsTags: () => false },
    })
    onTestFinished(() => other.stop())
    await other.look()
    expect(before).not.toBeNull()
    expect(other.lastAnswerAt()).toBeNull()
    expect(other.lastError()).not.toBeNull()
  })

  test('that refuses every third request is followed all the same, and counts as answering', async () => {
    const { chain, clock, follower } = setUp({ initialDepth: 12, windowSize: 40 }, 60)
    let reads = 0
    chain.setFault(({ name }) => (name.startsWith('getBlock') && ++reads % 3 === 0 ? 'rate_limited' : null))
    follower.start()
    for (let count = 0; count < 30; count++) {
      chain.mine()
      await clock.advance(1_000)
    }
    expect(follower.view()?.head.number).toBeGreaterThan(85)
    expect(clock.monotonic() - (follower.lastAnswerAt() ?? 0)).toBeLessThan(4_000)
  })

  test('a chain that grows faster than it can be read is followed as far as was read, again and again', async () => {
    const { chain, clock, follower } = setUp({ initialDepth: 12, windowSize: 20 }, 60)
    let reads = 0
    chain.setFault(({ name }) => {
      if (name === 'onHeadHint') return 'unavailable'
      return name.startsWith('getBlock') && ++reads % 3 === 0 ? 'rate_limited' : null
    })
    const heads: number[] = []
    follower.onUpdate(({ view }) => heads.push(view.head.number))
    follower.start()
    for (let second = 0; second < 60; second++) {
      for (let count = 0; count < 15; count++) chain.mine()
      await clock.advance(1_000)
    }
    expect(heads.length).toBeGreaterThan(5)
    for (const [index, head] of heads.entries()) expect(head).toBeGreaterThan(heads[index - 1] ?? 0)
  })

  test('a walk that does not come to its end in time is given up for a new window, with a gap', async () => {
    const { chain, clock, follower, updates, numbers } = setUp({ initialDepth: 4, windowSize: 100 }, 20)
    await follower.look()
    for (let count = 0; count < 60; count++) chain.mine()
    // One block for each look, beside the head.
    chain.setFault(({ name }) => (name === 'getBlocks' ? 'rate_limited' : null))
    const { getBlock } = chain
    let left = 0
    chain.getBlock = async (ref) => {
      if (typeof ref === 'object' && left-- <= 0) throw new ChainUnavailable('limited')
      return getBlock(ref)
    }
    for (let look = 0; look < 5; look++) {
      left = 1
      await follower.look()
      clock.freeze(3_000)
    }
    expect(updates).toHaveLength(2)
    expect(updates[1]).toMatchObject({ gap: true, forkFrom: null })
    expect(numbers(updates[1])).toEqual([77, 78, 79, 80])
  })

  test('a stopped follower looks no more', async () => {
    const { chain, clock, follower, calls } = setUp()
    follower.start()
    await clock.settle()
    await follower.stop()
    calls.length = 0
    chain.mine()
    await clock.advance(60_000)
    expect(calls).toEqual([])
    expect(clock.waiting()).toBe(0)
  })
})

describe('headers of an earlier run', () => {
  test('are continued: missed blocks are walked, and no gap is reported', async () => {
    const { chain, clock, follower, updates, numbers } = setUp()
    const known = await Promise.all([12, 13, 14].map((number) => chain.getBlock(number)))
    follower.start(known.filter((block) => block !== null))
    await clock.settle()
    expect(numbers(updates[0])).toEqual([15, 16, 17, 18, 19, 20])
    expect(updates[0]).toMatchObject({ forkFrom: null, gap: false })
    expect(follower.view()?.header(12)?.number).toBe(12)
  })

  test('that end at the head are followed at once, though there is nothing new', async () => {
    const { chain, clock, follower } = setUp()
    const known = await Promise.all([18, 19, 20].map((number) => chain.getBlock(number)))
    follower.start(known.filter((block) => block !== null))
    await clock.settle()
    expect(follower.view()?.head.number).toBe(20)
    expect(follower.headSeenAt()).not.toBeNull()
    expect([follower.highest(), follower.lastHeight()]).toEqual([20, 20])
  })

  test('that left the chain meanwhile are a fork; those that do not link are left out', async () => {
    const { chain, clock, follower, updates } = setUp()
    const known = await Promise.all([2, 17, 18, 19, 20].map((number) => chain.getBlock(number)))
    chain.reorg(2, { length: 3 })
    follower.start(known.filter((block) => block !== null))
    await clock.settle()
    expect(updates[0]).toMatchObject({ forkFrom: 19, gap: false })
    expect(follower.view()?.header(2)).toBeNull()
  })

  test('from too long ago restart the window, with a gap', async () => {
    const { chain, clock, follower, updates, numbers } = setUp({}, 40)
    const known = await chain.getBlock(20)
    follower.start(known === null ? [] : [known])
    await clock.settle()
    expect(numbers(updates[0])).toEqual([36, 37, 38, 39, 40])
    expect(updates[0]).toMatchObject({ gap: true })
  })
})
