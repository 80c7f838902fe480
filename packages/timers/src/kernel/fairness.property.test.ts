import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkParams, DEFAULT_PARAMS, starvationBlocks } from './params/timer-params.ts'
import { addressOf } from './random-script.suite.ts'
import { firesOf, ONE, SmallWorld } from './small-world.suite.ts'

test('R17 no timer starves: only what came due within N* blocks of it can be served before it', () => {
  const arrivals = fc.array(fc.array(fc.bigInt({ min: 0n, max: ONE }), { maxLength: 5 }), {
    minLength: 30,
    maxLength: 30,
  })
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 12 }), (blocks, fires, nStar) => {
      const world = new SmallWorld({
        maxFiresPerBlock: fires,
        wAge: nStar === 0 ? ONE : ONE / BigInt(nStar),
        wBid: nStar === 0 ? 0n : 1n,
      })
      const reach = starvationBlocks(world.params)
      const victimDue = 5n
      world.set({ dueHeight: victimDue, target: addressOf(0), payload: '0xff' })
      let rivals = 0
      let actor = 1
      const horizon = 400n
      while (firesOf(world, '0xff').length === 0 && world.height < horizon) {
        for (const bidFp of blocks[Number(world.height % 30n)] ?? []) {
          const dueHeight = world.height + 1n
          if (dueHeight <= victimDue + reach) rivals += 1
          world.set({ dueHeight, target: addressOf(actor), bidFp })
          actor += 1
        }
        world.open().close()
      }
      const [firedAt] = firesOf(world, '0xff')
      const wait = BigInt(firedAt ?? horizon) - victimDue
      expect(wait).toBeLessThanOrEqual(BigInt(Math.floor(rivals / fires)))
    }),
    { numRuns: 60 },
  )
})

test('R17 why ranks count into N*: an interval keeps its rank, and a heavy weight lets it hold a younger timer back', () => {
  const wait = (wFifo: bigint) => {
    const world = new SmallWorld({ maxFiresPerBlock: 1, wFifo })
    world.set({ everyBlocks: 1, target: addressOf(0) })
    for (let n = 0; n < 300; n += 1) world.set({ dueHeight: 1_000_000, target: addressOf(n + 2) })
    world.set({ dueHeight: 1, target: addressOf(1), payload: '0xff' })
    while (firesOf(world, '0xff').length === 0 && world.height < 1_000n) world.open().close()
    return world.height
  }
  const heavy = -DEFAULT_PARAMS.wAge
  expect(wait(heavy)).toBeGreaterThan(300n)
  expect(checkParams({ ...DEFAULT_PARAMS, wFifo: heavy })).toMatchObject({ code: 'ERR_INVALID_PARAM' })
  const light = -(1n << 35n)
  expect(checkParams({ ...DEFAULT_PARAMS, wFifo: light })).toBeNull()
  expect(wait(light)).toBeLessThanOrEqual(3n)
})

test('R19 within a round every waiting target is served before any is served twice', () => {
  const queues = fc.array(fc.array(fc.bigInt({ min: 0n, max: ONE }), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(queues, fc.integer({ min: 1, max: 20 }), (bids, fires) => {
      const world = new SmallWorld({ maxFiresPerBlock: fires })
      bids.forEach((list, n) => {
        for (const bidFp of list) world.set({ dueHeight: 1, target: addressOf(n), bidFp })
      })
      const { entries } = world.open().close()
      const served = bids.map((_, n) => entries.filter((entry) => entry.target === addressOf(n)).length)
      expect(entries).toHaveLength(Math.min(fires, bids.flat().length))
      served.forEach((count) => {
        served.forEach((other, m) => {
          const left = (bids[m]?.length ?? 0) - other
          if (left > 0) expect(count).toBeLessThanOrEqual(other + 1)
        })
      })
    }),
    { numRuns: 100 },
  )
})

test('R18 equal intervals on equal targets: one slot goes round in turns, and no turn is waited for longer than a round', () => {
  const sizes = [
    fc.integer({ min: 2, max: 9 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 10, max: 60 }),
  ] as const
  fc.assert(
    fc.property(...sizes, (targets, fires, blocks) => {
      const world = new SmallWorld({ maxFiresPerBlock: fires })
      for (let n = 0; n < targets; n += 1) world.set({ everyBlocks: 1, target: addressOf(n), payload: `0x0${n}` })
      world.runTo(BigInt(blocks))
      const turns = Array.from({ length: targets }, (_, n) => firesOf(world, `0x0${n}`))
      const round = 1 + Math.floor((targets - 1) / fires)
      for (const heights of turns) {
        const stops = [0, ...heights, blocks + 1]
        expect(Math.max(...stops.slice(1).map((height, n) => height - (stops[n] ?? 0)))).toBeLessThanOrEqual(round)
      }
      const counts = turns.map((heights) => heights.length)
      if (fires === 1) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 60 },
  )
})
