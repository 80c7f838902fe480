import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { DEFAULT_PARAMS } from '../params/timer-params.ts'
import { A, B, C, D, ONE, SmallWorld } from '../small-world.suite.ts'
import { isDueTimer } from '../state/timer.ts'
import { addTarget, createTimerState, removeTarget } from '../state/timer-state.ts'
import { bucketOf, clampBid, readyTimerOf, scoreAt } from './delivery-order.ts'
import type { Funds } from './escrow.ts'

const U64 = (1n << 64n) - 1n
const U128 = (1n << 128n) - 1n

function fundsOf(balances: Record<Hex, bigint>): Funds {
  return { basefeeCycles: 1n, basefeeCells: 1n, balanceOf: (owner) => balances[owner] ?? 0n }
}

describe('R17 score', () => {
  test('age, clamped bid and rank add up', () => {
    const world = new SmallWorld({ maxBid: 1n << 100n })
    world.set({ dueHeight: 1, target: B })
    const timer = world.timer(world.set({ dueHeight: 10, bidFp: 1n << 100n }))
    world.params = { ...DEFAULT_PARAMS, wFifo: -(1n << 80n), minBid: 1n }
    if (timer === undefined || !isDueTimer(timer)) throw new Error('no timer')
    expect(scoreAt(readyTimerOf(timer, world.params), 12n, world.params)).toBe(2n * (1n << 90n) + ONE - (1n << 80n))
    expect([0n, 5n, 1n << 100n].map((bid) => clampBid(bid, world.params))).toEqual([1n, 5n, ONE])
  })
  test('the extremes of every field stay within signed 256 bits', () => {
    const world = new SmallWorld()
    const timer = world.timer(world.set({ dueHeight: 1 }))
    if (timer?.kind !== 'HEIGHT') throw new Error('no timer')
    const extremes = { ...DEFAULT_PARAMS, wAge: U128, wBid: U64, wFifo: -U128, maxBid: U128 }
    const oldest = readyTimerOf({ ...timer, dueHeight: 0n, bidFp: U128, fifoRank: 0n }, extremes)
    const latest = readyTimerOf({ ...timer, dueHeight: U64, bidFp: 0n, fifoRank: U64 }, extremes)
    expect(scoreAt(oldest, U64, extremes)).toBeLessThan(1n << 255n)
    expect(latest.base).toBeGreaterThan(-(1n << 255n))
  })
})

describe('R18 total order', () => {
  /** Which of two timers is served first, alone in their block but for each other. */
  function first(
    x: Record<string, unknown>,
    y: Record<string, unknown>,
    params = {},
    prepare?: (world: SmallWorld) => void,
  ): string {
    const world = new SmallWorld({ maxFiresPerBlock: 1, ...params })
    prepare?.(world)
    const before = world.fired.length
    world.set({ dueHeight: 10, ...y, payload: '0x0b' })
    world.set({ dueHeight: 10, ...x, payload: '0x0a' })
    world.open(100n).close()
    return world.fired[before]?.[0] === '0x0a' ? 'x' : 'y'
  }
  test('1: the higher score', () => expect(first({ bidFp: 1, target: B }, { target: A })).toBe('x'))
  test('2: at equal score, the more urgent bucket', () => {
    const bids = { bucketBounds: [1n << 92n] }
    expect(first({ dueHeight: 14, bidFp: 1n << 92n, target: B }, { dueHeight: 10, target: A }, bids)).toBe('x')
    expect(first({ dueHeight: 14, bidFp: 1n << 92n, target: B }, { dueHeight: 10, target: A })).toBe('y')
    expect([0n, 4n, 5n, 9n].map((bid) => bucketOf(bid, [5n, 9n]))).toEqual([2, 2, 1, 0])
  })
  test('3: the target that has waited longer for a fire', () => {
    const serveA = (world: SmallWorld) => {
      world.set({ dueHeight: 1, target: A })
      world.open().close()
    }
    expect(first({ target: B, dueHeight: 14, bidFp: 1n << 92n }, { target: A, dueHeight: 10 }, {}, serveA)).toBe('x')
    expect(first({ target: B, dueHeight: 14, bidFp: 1n << 92n }, { target: A, dueHeight: 10 })).toBe('y')
  })
  test('4: the earlier due height', () => {
    expect(first({ target: B, dueHeight: 10 }, { target: A, dueHeight: 14, bidFp: 1n << 92n })).toBe('x')
  })
  test('5: the lower target', () => expect(first({ target: A }, { target: B })).toBe('x'))
  test('6: the lower rank', () => expect(first({ target: A }, { target: A })).toBe('y'))
})

describe('R19 rotation', () => {
  test('one target cannot take every slot: F=3, P=2', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 3, maxFiresPerTarget: 2 })
    for (const [target, score, payload] of [
      [A, 10, '0xa1'],
      [A, 9, '0xa2'],
      [B, 8, '0xb1'],
      [C, 7, '0xc1'],
    ] as const) {
      world.set({ dueHeight: 1, target, bidFp: score, payload })
    }
    expect(
      world
        .open()
        .close()
        .entries.map((entry) => entry.payloadSnapshot),
    ).toEqual(['0xa1', '0xb1', '0xc1'])
  })
  test('the second round follows the total order too, and P bounds a target', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 4, maxFiresPerTarget: 2 })
    for (let n = 0; n < 4; n += 1) world.set({ dueHeight: 1, target: A, payload: '0xaa', bidFp: 1 })
    for (let n = 0; n < 2; n += 1) world.set({ dueHeight: 1, target: B, payload: '0xbb', bidFp: 2 })
    const { entries } = world.open().close()
    expect(entries.filter((entry) => entry.payloadSnapshot === '0xaa')).toHaveLength(2)
    expect(world.runTo(2n).fired[1]).toHaveLength(2)
  })
  test('a foreign timer past its share is skipped and takes no index', () => {
    const world = new SmallWorld({ maxFiresPerTarget: 2, maxFiresPerBlock: 3 })
    for (let n = 0; n < 3; n += 1) world.set({ dueHeight: 1, target: A, bidFp: 9, payload: '0xff' }, D)
    world.set({ dueHeight: 1, target: A, payload: '0x01' })
    world.set({ dueHeight: 1, target: B, payload: '0x02' })
    world.set({ dueHeight: 1, target: C, payload: '0x03' })
    const fired = world
      .open()
      .close()
      .entries.map((entry) => entry.payloadSnapshot)
    expect(fired).toEqual(['0xff', '0x02', '0x03'])
    world.params = { ...world.params, maxFiresPerBlock: 4 }
    expect(
      world
        .open()
        .close()
        .entries.map((entry) => entry.payloadSnapshot),
    ).toEqual(['0xff', '0x01'])
  })
})

describe('R20 lane gas', () => {
  test('the first that does not fit ends the block; nothing behind it passes', () => {
    const world = new SmallWorld({ timerLaneCycles: 80_000n, minGasLimitPerTimer: 1_000n })
    for (let n = 0; n < 9; n += 1) world.set({ dueHeight: 1, bidFp: 9, gasLimit: 9_000, payload: '0x01', target: A })
    world.set({ dueHeight: 1, gasLimit: 1_000, payload: '0x02', target: A })
    expect(
      world
        .open()
        .close()
        .entries.map((entry) => entry.payloadSnapshot),
    ).toEqual(Array(8).fill('0x01'))
    expect(world.runTo(2n).fired[1]).toEqual(['0x01', '0x02'])
  })
  test('a lane lowered below a timer keeps it waiting, neither deleting it nor blocking the rest', () => {
    const world = new SmallWorld()
    world.set({ dueHeight: 1, gasLimit: 250_000, bidFp: 9, payload: '0x01' })
    world.set({ dueHeight: 1, gasLimit: 10_000, payload: '0x02' })
    const wide = world.params
    world.params = { ...wide, timerLaneCycles: 100_000n }
    world.runTo(2n)
    world.params = wide
    expect(world.runTo(3n).fired).toEqual([['0x02'], [], ['0x01']])
  })
})

describe('R21 evictions', () => {
  test('below a raised MIN_GAS: out before ordering, without a slot, waiting ones too', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    const low = world.set({ dueHeight: 1, gasLimit: 10_000, bidFp: 5, payload: '0x01' })
    world.set({ dueHeight: 1, gasLimit: 10_000, bidFp: 9, payload: '0x09' })
    world.set({ dueHeight: 1, gasLimit: 30_000, payload: '0x02' })
    world.runTo(1n)
    world.params = { ...world.params, minGasLimitPerTimer: 20_000n }
    const { entries, evictions } = world.open().close()
    expect(evictions).toMatchObject([{ type: 'gas_below_minimum', timerId: low }])
    expect(entries.map((entry) => entry.payloadSnapshot)).toEqual(['0x02'])
    expect(world.cancel(low)).toBe(false)
  })
  test('target gone: newly due and waiting timers leave at once', () => {
    const genesis = addTarget(addTarget(createTimerState({ chainId: 1n, targets: 'known' }), A), B)
    const world = new SmallWorld({ maxFiresPerBlock: 1 }, genesis)
    world.set({ dueHeight: 1, target: B, bidFp: 9, payload: '0x01' })
    world.set({ dueHeight: 1, target: A, payload: '0x02' })
    world.set({ dueHeight: 2, target: A, payload: '0x03' })
    world.set({ dueHeight: 9, target: A, payload: '0x04' })
    world.runTo(1n).open()
    world.state = removeTarget(world.state, A)
    expect(world.close().evictions.map(({ type }) => type)).toEqual(['target_gone', 'target_gone'])
    expect(world.state.timers.size).toBe(1)
    world.runTo(8n)
    expect(world.open().close().evictions).toHaveLength(1)
  })
  test('target gone while a timer was too large for the lane: evicted once it fits again', () => {
    const world = new SmallWorld({}, addTarget(createTimerState({ chainId: 1n, targets: 'known' }), A))
    const id = world.set({ dueHeight: 1, gasLimit: 250_000 })
    world.params = { ...world.params, timerLaneCycles: 100_000n }
    world.runTo(2n).open()
    world.state = removeTarget(world.state, A)
    expect(world.close().evictions).toEqual([])
    world.open()
    expect(world.update({ target: A, timerId: id, gasLimit: 12_500 })).toBe('updated')
    expect(world.close()).toMatchObject({ entries: [], evictions: [{ type: 'target_gone', timerId: id }] })
    expect(world.state.goneTargets.size).toBe(0)
  })
  test('an owner that cannot pay: found in the walk, escrow reserved as it goes, the next one is pulled', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 2, maxCellsPerFire: 0n })
    world.set({ dueHeight: 1, target: A, bidFp: 3, payload: '0x01' })
    world.set({ dueHeight: 1, target: B, bidFp: 2, payload: '0x02' }, A)
    world.set({ dueHeight: 1, target: C, bidFp: 1, payload: '0x03' })
    const { entries, evictions } = world.open().close({ funds: fundsOf({ [A]: 19_999n, [C]: 10_000n }) })
    expect(entries.map((entry) => entry.payloadSnapshot)).toEqual(['0x01', '0x03'])
    expect(evictions).toMatchObject([{ type: 'owner_unfunded', owner: A, target: B }])
  })
  test('indices are not recomputed after an eviction in the walk', () => {
    const world = new SmallWorld({ maxFiresPerTarget: 2, maxCellsPerFire: 0n })
    world.set({ dueHeight: 1, target: A, bidFp: 3, payload: '0x01' }, B)
    world.set({ dueHeight: 1, target: A, bidFp: 2, payload: '0x02' })
    world.set({ dueHeight: 1, target: A, bidFp: 1, payload: '0x03' })
    const { entries } = world.open().close({ funds: fundsOf({ [A]: 1_000_000n }) })
    expect(entries.map((entry) => entry.payloadSnapshot)).toEqual(['0x02'])
  })
  test('the escrow covers gas, cells and the capped tip exactly', () => {
    const world = new SmallWorld({ maxCellsPerFire: 7n, maxBid: 5n * ONE })
    world.set({ dueHeight: 1, gasLimit: 10_000, bidFp: 5n * ONE })
    world.params = { ...world.params, maxBid: ONE }
    const price = 10_000n * 1n + 7n * 1n + 10_000n
    expect(world.open().deliver({ funds: fundsOf({ [A]: price - 1n }) }).entries).toHaveLength(0)
    expect(world.deliver({ funds: fundsOf({ [A]: price }) }).entries).toHaveLength(1)
  })
  test('an unpaid timer that would not fit the lane does not stop it', () => {
    const world = new SmallWorld({ timerLaneCycles: 80_000n, minGasLimitPerTimer: 1_000n, maxCellsPerFire: 0n })
    for (let n = 0; n < 8; n += 1)
      world.set({ dueHeight: 1, target: `0x${'0'.repeat(39)}${n + 1}`, gasLimit: 9_999, bidFp: 9 }, B)
    world.set({ dueHeight: 1, target: C, gasLimit: 10_000, bidFp: 5 })
    world.set({ dueHeight: 1, target: D, gasLimit: 1_000, bidFp: 1, payload: '0x0d' })
    const { entries, evictions } = world.open().close({ funds: fundsOf({ [B]: 70_000n, [D]: 1_000n }) })
    expect(evictions.map(({ owner }) => owner)).toEqual([B, C])
    expect(entries.at(-1)?.payloadSnapshot).toBe('0x0d')
  })
})

describe('R22 mailbox layout', () => {
  test('bucket, then index, then cursor, then rank', () => {
    const world = new SmallWorld({ bucketBounds: [1n << 92n] })
    world.set({ dueHeight: 1, target: B, payload: '0x00' })
    world.open().close()
    world.set({ dueHeight: 5, target: B, payload: '0x01' })
    world.set({ dueHeight: 4, target: A, payload: '0x02' })
    world.set({ dueHeight: 3, target: A, payload: '0x03' })
    world.set({ dueHeight: 6, target: C, bidFp: 1n << 92n, payload: '0x04' })
    world.set({ dueHeight: 6, target: D, payload: '0x05' })
    world.open(9n).close()
    expect(world.fired[1]).toEqual(['0x04', '0x03', '0x05', '0x01', '0x02'])
  })
})

describe('R25 the ready index', () => {
  test('a served target goes behind an equal one that was not: its head moves to the new cursor', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    world.set({ dueHeight: 1, target: A, payload: '0xa1' })
    world.set({ dueHeight: 1, target: A, payload: '0xa2' })
    world.set({ dueHeight: 1, target: B, payload: '0xb1' })
    expect(world.runTo(3n).fired).toEqual([['0xa1'], ['0xb1'], ['0xa2']])
  })
  test('waiting timers are not touched by a block in which nothing comes due', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    for (let n = 0; n < 50; n += 1) world.set({ dueHeight: 1, bidFp: n })
    world.runTo(1n).open()
    expect(world.deliver().derived?.ready.shards[0]).toBe(world.state.ready?.shards[0])
  })
  test('it is rebuilt from the records, with the same result, when it is missing', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    for (let n = 0; n < 9; n += 1) world.set({ dueHeight: 1, bidFp: n % 4, target: n % 2 === 0 ? A : B })
    world.runTo(3n).open()
    const kept = world.deliver()
    world.state = { ...world.state, ready: null }
    expect(world.deliver().entries).toEqual(kept.entries)
  })
})
