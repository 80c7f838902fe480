import { describe, expect, test } from 'vitest'
import { A, SmallWorld } from '../small-world.suite.ts'
import { createParamSchedule, epochOf, paramsAt, voteParams } from './param-schedule.ts'
import {
  checkParamChange,
  checkParams,
  DEFAULT_PARAMS,
  maxGasLimitPerTimer,
  mergeParams,
  starvationBlocks,
} from './timer-params.ts'

describe('R17 safe parameters', () => {
  test('the defaults are safe, with N* = 64', () => {
    expect(checkParams(DEFAULT_PARAMS)).toBeNull()
    expect(starvationBlocks(DEFAULT_PARAMS)).toBe(64n)
    expect(maxGasLimitPerTimer(DEFAULT_PARAMS)).toBe(250_000n)
  })
  test('N* is rounded up', () => {
    expect(starvationBlocks({ wAge: 10n, wBid: 1n, wFifo: 0n, minBid: 0n, maxBid: 21n })).toBe(3n)
  })
  test('N* counts the farthest two ranks can lie apart, and the weight that just keeps it is accepted', () => {
    expect(starvationBlocks({ ...DEFAULT_PARAMS, wFifo: -(1n << 26n) })).toBe(65n)
    const most = ((1_024n - 64n) << 90n) / ((1n << 64n) - 1n)
    expect(checkParams({ ...DEFAULT_PARAMS, wFifo: -most })).toBeNull()
    expect(checkParams({ ...DEFAULT_PARAMS, wFifo: -most - 1n })).toMatchObject({ code: 'ERR_INVALID_PARAM' })
  })
  test.each([
    ['starves the poor', { wAge: 1n << 85n }],
    ['no age', { wAge: 0n }],
    ['rank as a reward', { wFifo: 1n }],
    ['rank worth a block of waiting', { wFifo: -(1n << 90n) }],
    ['bids upside down', { minBid: 2n, maxBid: 1n }],
    ['fewer than no fires', { maxFiresPerBlock: -1 }],
    ['a fraction', { maxFiresPerTarget: 1.5 }],
    ['not a number', { maxFiresPerTarget: Number.NaN }],
    ['a number where a bigint belongs', { wAge: 5 }],
    ['text', { wBid: '1' }],
    ['bounds out of order', { bucketBounds: [2n, 1n] }],
    ['a bound above every bid', { bucketBounds: [(1n << 96n) + 1n] }],
    ['a bound at the lowest bid', { bucketBounds: [0n] }],
    ['too many buckets', { bucketBounds: Array.from({ length: 256 }, (_, n) => BigInt(n + 1)) }],
    ['bounds that are no list', { bucketBounds: null }],
    ['gas that no timer could have', { minGasLimitPerTimer: 250_001n }],
    ['an unknown name', { maxFun: 1 }],
    ['past 128 bits', { maxBid: 1n << 128n }],
  ])('%s is ERR_INVALID_PARAM', (_, change) => {
    expect(mergeParams(DEFAULT_PARAMS, change)).toMatchObject({ type: 'refused', code: 'ERR_INVALID_PARAM' })
  })
  test.each([[null], [[]], ['x'], [7]])('%s is not a change', (change) => {
    expect(mergeParams(DEFAULT_PARAMS, change)).toMatchObject({ code: 'ERR_INVALID_PARAM' })
    expect(checkParamChange(change)).toMatchObject({ code: 'ERR_INVALID_PARAM' })
  })
  test('what no parameters allow is refused without knowing them, and nothing else', () => {
    for (const change of [{ maxFun: 1 }, { maxFiresPerTarget: 1.5 }, { wBid: '1' }, { maxBid: 1n << 128n }])
      expect(checkParamChange(change)).toMatchObject({ code: 'ERR_INVALID_PARAM' })
    for (const change of [{ minBid: 2n ** 97n }, { minGasLimitPerTimer: 250_001n }, { maxFiresPerBlock: 0 }])
      expect(checkParamChange(change)).toBeNull()
  })
})

describe('R16 governance epochs', () => {
  test('a change voted in epoch e acts from the first block of e + 1', () => {
    const schedule = createParamSchedule(10n, DEFAULT_PARAMS)
    const vote = voteParams(schedule, 25n, { maxFiresPerBlock: 5 })
    if (vote.type !== 'voted') throw new Error(vote.message)
    expect(epochOf(schedule, 25n)).toBe(2n)
    expect(vote.fromHeight).toBe(30n)
    expect([25n, 29n, 30n, 99n].map((h) => paramsAt(vote.schedule, h).maxFiresPerBlock)).toEqual([1_000, 1_000, 5, 5])
  })
  test('votes of one epoch add up, and a later epoch builds on what acts then', () => {
    let schedule = createParamSchedule(10n, DEFAULT_PARAMS)
    for (const [height, change] of [
      [1n, { maxFiresPerBlock: 5 }],
      [2n, { maxFiresPerTarget: 2 }],
      [11n, { maxFiresPerBlock: 6 }],
    ] as const) {
      const vote = voteParams(schedule, height, change)
      if (vote.type === 'voted') schedule = vote.schedule
    }
    expect(paramsAt(schedule, 12n)).toMatchObject({ maxFiresPerBlock: 5, maxFiresPerTarget: 2 })
    expect(paramsAt(schedule, 20n)).toMatchObject({ maxFiresPerBlock: 6, maxFiresPerTarget: 2 })
  })
  test('an unsafe vote changes nothing', () => {
    const schedule = createParamSchedule(10n, DEFAULT_PARAMS)
    expect(voteParams(schedule, 1n, { wAge: 1n })).toMatchObject({ type: 'refused', code: 'ERR_INVALID_PARAM' })
    expect(() => createParamSchedule(10n, { ...DEFAULT_PARAMS, wAge: 0n })).toThrow(RangeError)
    expect(() => createParamSchedule(0n, DEFAULT_PARAMS)).toThrow(RangeError)
  })
  test('weights changed under a waiting backlog order it anew', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    for (const payload of ['0x01', '0x02', '0x03']) world.set({ dueHeight: 1, payload })
    world.set({ dueHeight: 2, payload: '0x04', bidFp: 1n << 96n })
    world.runTo(1n)
    world.params = { ...world.params, wBid: 0n }
    expect(world.runTo(4n).fired).toEqual([['0x01'], ['0x02'], ['0x03'], ['0x04']])
    expect(world.state.cursors.get(A)).toBe((4n << 32n) + 1n)
  })
})
