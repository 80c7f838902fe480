import { describe, expect, test } from 'vitest'
import { timersRoot } from '../merkle/timer-leaves.ts'
import { addressOf } from '../random-script.suite.ts'
import { A, B, C, firesOf, ONE, ROOT, SmallWorld } from '../small-world.suite.ts'
import { applyDelivery } from './apply-delivery.ts'

describe('the six vectors of §19', () => {
  test('1 height trigger: fires at its height, not before', () => {
    const world = new SmallWorld().open(40n)
    world.set({ dueHeight: 50, payload: '0x01' })
    world.open(49n)
    expect(world.close().entries).toEqual([])
    world.open(50n)
    expect(world.close().entries).toHaveLength(1)
  })
  test('2 state trigger: fires when its key was changed, otherwise not', () => {
    const world = new SmallWorld()
    world.set({ watchKeys: [`${B}01`] })
    expect(world.open().deliver({ modifiedKeys: [`${B}02`] }).entries).toEqual([])
    expect(world.deliver({ modifiedKeys: [`${B}01`] }).entries).toHaveLength(1)
  })
  test('3 quota: the third of three waits and goes first next time, aged', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 2 })
    world.set({ dueHeight: 1, target: A, bidFp: 3, payload: '0x01' })
    world.set({ dueHeight: 1, target: B, bidFp: 2, payload: '0x02' })
    world.set({ dueHeight: 1, target: C, bidFp: 1, payload: '0x03' })
    world.runTo(1n)
    world.set({ dueHeight: 2, target: A, bidFp: 3, payload: '0x04' })
    world.set({ dueHeight: 2, target: B, bidFp: 2, payload: '0x05' })
    expect(world.runTo(2n).fired).toEqual([
      ['0x01', '0x02'],
      ['0x03', '0x04'],
    ])
  })
  test('4 per target: one of three', () => {
    const world = new SmallWorld({ maxFiresPerTarget: 1 })
    for (let n = 0; n < 3; n += 1) world.set({ dueHeight: 1 })
    expect(world.open().close().entries).toHaveLength(1)
    expect(world.state.timers.size).toBe(2)
  })
  test('5 idempotent: delivering a block again gives the same ids and changes nothing', () => {
    const world = new SmallWorld()
    world.set({ dueHeight: 1 })
    world.set({ everyBlocks: 1 })
    world.open()
    const before = timersRoot(world.state)
    const first = world.deliver()
    expect(world.deliver().entries).toEqual(first.entries)
    expect(timersRoot(world.state)).toBe(before)
    world.state = applyDelivery(world.state, first).state
    expect(() => applyDelivery(world.state, first)).toThrow(RangeError)
    expect(() => world.deliver()).toThrow(RangeError)
  })
  test('6 interval: after a fire at h it is in the index at h + 5', () => {
    const world = new SmallWorld()
    const id = world.set({ everyBlocks: 5 })
    world.open(9n).close()
    expect(world.timer(id)).toMatchObject({ dueHeight: 14n, fireSeq: 1 })
    expect([...world.state.indexHeight.values()].map((timer) => timer.dueHeight)).toEqual([14n])
  })
})

describe('examples to check by hand', () => {
  test('due 51 set at 50: nothing at 50, fires at 51, gone at 52', () => {
    const world = new SmallWorld().open(50n)
    world.set({ dueHeight: 51, payload: '0x01' })
    world.close()
    expect(world.runTo(52n).fired).toEqual([[], ['0x01'], []])
    expect(world.state.timers.size).toBe(0)
  })
  test.each([
    [37n, '0x0b'],
    [36n, '0x0a'],
  ])('F=1, X due %i without a bid against Y due 100 with the top bid', (due, winner) => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    world.set({ dueHeight: due, target: A, payload: '0x0a' })
    world.set({ dueHeight: 100, target: B, payload: '0x0b', bidFp: ONE })
    expect(
      world
        .open(100n)
        .close()
        .entries.map((entry) => entry.payloadSnapshot),
    ).toEqual([winner])
  })
  test('F=1, three interval-1 timers take turns', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    world.set({ everyBlocks: 1, target: C, payload: '0x0c' })
    world.set({ everyBlocks: 1, target: B, payload: '0x0b' })
    world.set({ everyBlocks: 1, target: A, payload: '0x0a' })
    expect(world.runTo(9n).fired.flat()).toEqual([
      '0x0a',
      '0x0b',
      '0x0c',
      '0x0a',
      '0x0b',
      '0x0c',
      '0x0a',
      '0x0b',
      '0x0c',
    ])
  })
  test.each([
    [2, 64],
    [4, 128],
  ])('starvation: %i top bids a block hold a free timer back %i blocks', (perBlock, age) => {
    const world = new SmallWorld({ maxFiresPerBlock: 2 })
    world.set({ dueHeight: 1, target: addressOf(0), payload: '0xff' })
    let actor = 1
    while (firesOf(world, '0xff').length === 0 && world.height < 300n) {
      for (let n = 0; n < perBlock; n += 1) {
        world.set({ dueHeight: world.height + 1n, target: addressOf(actor), bidFp: ONE })
        actor += 1
      }
      world.open().close()
    }
    expect(firesOf(world, '0xff')).toEqual([1 + age])
  })
  test('lane 2,000,000: of ten timers of 250,000 eight fire and two wait', () => {
    const world = new SmallWorld()
    for (let n = 0; n < 10; n += 1) world.set({ dueHeight: 1, target: addressOf(n), gasLimit: 250_000 })
    expect(world.open().close().entries).toHaveLength(8)
    expect(world.open().close().entries).toHaveLength(2)
  })
  test('interval 5 set at 0 with blocks 5, 6 and 16 full fires at 7, 12, 17, 22', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    world.set({ everyBlocks: 5, payload: '0x05' })
    for (const height of [5n, 6n, 16n]) world.set({ dueHeight: height, target: B, bidFp: ONE })
    expect(firesOf(world.runTo(24n), '0x05')).toEqual([7, 12, 17, 22])
  })
  test('a watch that loses its slot fires next block, aged, with the key of the match', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    world.set({ watchKeys: [C], payload: '0x01' })
    world.set({ dueHeight: 1, target: B, bidFp: ONE })
    world.open().close({ modifiedKeys: [`${C}07`] })
    const { entries } = world.open().close()
    expect(entries).toMatchObject([
      { height: 2n, payloadSnapshot: '0x01', triggerCtx: { dueHeight: 1n, matched: { keys: [`${C}07`] } } },
    ])
  })
})

describe('R13 nothing triggers inside its own end of block', () => {
  test('a key changed while the mailbox runs is a key of the next block', () => {
    const world = new SmallWorld()
    world.set({ everyBlocks: 1, payload: '0x01' })
    world.set({ watchKeys: [B], target: B, payload: '0x02' })
    const late: string[] = []
    world.open().close({ mailbox: () => late.push(`${B}01`) })
    expect(world.fired).toEqual([['0x01']])
    world.open().close({ modifiedKeys: late })
    expect(world.fired[1]).toEqual(['0x02', '0x01'])
  })
})

describe('R16 and R23 deliver is pure', () => {
  test('the parent root enters nothing but deliver_id', () => {
    const world = new SmallWorld()
    for (let n = 0; n < 5; n += 1) world.set({ dueHeight: 1, target: addressOf(n) })
    world.open()
    const here = world.deliver()
    const there = world.deliver({ parentStateRoot: `0x${'22'.repeat(32)}` })
    expect(there.mutations).toEqual(here.mutations)
    expect(there.entries.map((entry) => ({ ...entry, deliverId: 0 }))).toEqual(
      here.entries.map((entry) => ({ ...entry, deliverId: 0 })),
    )
    expect(there.entries.map(({ deliverId }) => deliverId)).not.toEqual(here.entries.map(({ deliverId }) => deliverId))
  })
  test('fields come from the state after the transactions of the block', () => {
    const world = new SmallWorld()
    const id = world.set({ dueHeight: 1, payload: '0x01' })
    world.open().cancel(id)
    expect(world.deliver().entries).toEqual([])
  })
  test('what is written back: fire_seq, due height, pending keys and the cursor, once', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 2 })
    const interval = world.set({ everyBlocks: 2 })
    const timeout = world.set({ dueHeight: 2 })
    const watch = world.set({ watchKeys: [C], target: B })
    const { mutations } = world.open(2n).close({ modifiedKeys: [C] })
    expect(mutations).toEqual([
      { type: 'timer.rescheduled', timerId: interval, fireSeq: 1, dueHeight: 4n },
      { type: 'watch.cleared', timerId: watch, fireSeq: 1 },
      { type: 'cursor.moved', target: A, cursor: (2n << 32n) + 1n },
      { type: 'cursor.moved', target: B, cursor: (2n << 32n) + 2n },
    ])
    expect(world.timer(timeout)).toMatchObject({ fireSeq: 0 })
  })
  test('a caller that breaks the rules of the house hears of it', () => {
    const world = new SmallWorld().open()
    expect(() => world.deliver({ parentStateRoot: '0x12' })).toThrow(RangeError)
    expect(() => world.deliver({ shards: 0 })).toThrow(RangeError)
    expect(() => world.deliver({ height: 1n << 64n })).toThrow(RangeError)
    expect(() => world.deliver({ parentStateRoot: ROOT })).not.toThrow()
  })
})
