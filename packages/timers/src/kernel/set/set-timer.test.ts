import { describe, expect, test } from 'vitest'
import { A, B, C, firesOf, SmallWorld } from '../small-world.suite.ts'
import { addTarget, createTimerState, removeTarget } from '../state/timer-state.ts'

describe('R4 eligibility', () => {
  test('a timer of block h cannot fire in h, whatever set it', () => {
    const world = new SmallWorld().open(50n)
    const watch = world.set({ watchKeys: [A] })
    world.set({ everyBlocks: 1 })
    expect(world.timer(watch)?.createdHeight).toBe(50n)
    expect(world.close({ modifiedKeys: [A] }).entries).toEqual([])
    expect(world.open().close({ modifiedKeys: [A] }).entries).toHaveLength(2)
  })
})

describe('R5 timeouts and intervals', () => {
  test('a due height must lie ahead', () => {
    const world = new SmallWorld().open(50n)
    expect(world.refusal({ dueHeight: 50 })).toBe('ERR_INVALID_PARAM')
    expect(world.refusal({ dueHeight: 51 })).toBeNull()
  })
  test('an interval is first due after one period, and every_blocks has 32 bits', () => {
    const world = new SmallWorld().open(50n)
    expect(world.timer(world.set({ everyBlocks: 7 }))?.dueHeight).toBe(57n)
    expect(world.refusal({ kind: 'INTERVAL', everyBlocks: 0 })).toBe('ERR_INVALID_PARAM')
    expect(world.refusal({ kind: 'INTERVAL', everyBlocks: 2 ** 32 - 1 })).toBeNull()
    expect(world.refusal({ kind: 'INTERVAL', everyBlocks: 2 ** 32 })).toBe('ERR_INVALID_PARAM')
  })
  test('after a fire at h it is due at h + every_blocks; missed ticks are not made up', () => {
    const world = new SmallWorld()
    world.set({ everyBlocks: 3, payload: '0x01' })
    world.open(10n).close()
    expect(world.runTo(16n).fired.map((block) => block.length)).toEqual([1, 0, 0, 1, 0, 0, 1])
  })
  test('a failing interval rolls on; MAX_CONSECUTIVE_FAILURES retires it with an event', () => {
    const world = new SmallWorld({ maxConsecutiveFailures: 2 })
    const id = world.set({ everyBlocks: 1 })
    expect(world.open().close({ failed: [id] }).retired).toEqual([])
    expect(world.timer(id)).toMatchObject({ dueHeight: 2n, fireSeq: 1, failures: 1 })
    world.open().close()
    expect(world.timer(id)).toMatchObject({ failures: 0 })
    world.open().close({ failed: [id] })
    expect(world.open().close({ failed: [id] }).retired).toEqual([
      { type: 'timer.retired', timerId: id, reason: 'failures' },
    ])
    expect(world.timer(id)).toBeUndefined()
  })
  test('with MAX_CONSECUTIVE_FAILURES off a failing interval is never retired', () => {
    const world = new SmallWorld()
    const id = world.set({ everyBlocks: 1 })
    for (let n = 0; n < 20; n += 1) world.open().close({ failed: [id] })
    expect(world.timer(id)).toMatchObject({ fireSeq: 20, failures: 20 })
  })
})

describe('R6 what a fire leaves', () => {
  test('a timeout is gone, a watch stays idle', () => {
    const world = new SmallWorld()
    const timeout = world.set({ dueHeight: 1 })
    const watch = world.set({ watchKeys: [A] })
    world.open().close({ modifiedKeys: [A] })
    expect(world.timer(timeout)).toBeUndefined()
    expect(world.timer(watch)).toMatchObject({ fireSeq: 1, dueHeight: null, matched: null })
    expect(world.state.indexHeight.size).toBe(0)
  })
  test('a watch fires once a block, and what matches while it is pending only adds keys', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    const busy = world.set({ dueHeight: 1, target: B, bidFp: 1n << 96n }, B)
    const watch = world.set({ watchKeys: [A], payload: '0x07' })
    world.open().close({ modifiedKeys: [`${A}02`, `${A}01`] })
    expect(world.timer(busy)).toBeUndefined()
    expect(world.timer(watch)).toMatchObject({ dueHeight: 1n, fireSeq: 0 })
    const { entries } = world.open().close({ modifiedKeys: [`${A}03`] })
    expect(entries.map((entry) => entry.triggerCtx)).toEqual([
      { kind: 'STATE_WATCH', dueHeight: 1n, matched: { keys: [`${A}01`, `${A}02`, `${A}03`], truncated: false } },
    ])
    expect(world.open().close().entries).toEqual([])
  })
})

describe('R7 nothing wraps', () => {
  test('the last fire_seq fires, then the timer retires', () => {
    const world = new SmallWorld()
    const id = world.set({ everyBlocks: 1 })
    const timer = world.timer(id)
    if (timer?.kind !== 'INTERVAL') throw new Error('not an interval')
    const last = { ...timer, fireSeq: 2 ** 32 - 1 }
    world.state = {
      ...world.state,
      timers: world.state.timers.set(id, last),
      indexHeight: world.state.indexHeight.set(last, last),
    }
    const { entries, retired } = world.open().close()
    expect(entries.map((entry) => entry.fireSeq)).toEqual([2 ** 32 - 1])
    expect(retired).toEqual([{ type: 'timer.retired', timerId: id, reason: 'fire_seq_exhausted' }])
    expect(world.timer(id)).toBeUndefined()
  })
  test('a due height past 2^64 − 1 retires; setting one is refused', () => {
    const end = 2n ** 64n - 1n
    const world = new SmallWorld().open(end - 2n)
    const id = world.set({ everyBlocks: 2 })
    expect(world.refusal({ kind: 'INTERVAL', everyBlocks: 3 })).toBe('ERR_INVALID_PARAM')
    expect(world.refusal({ dueHeight: end })).toBeNull()
    expect(world.refusal({ dueHeight: end + 1n })).toBe('ERR_INVALID_PARAM')
    world.open(end)
    expect(world.close().retired).toEqual([{ type: 'timer.retired', timerId: id, reason: 'height_exhausted' }])
  })
})

describe('R8 client_nonce', () => {
  const args = { dueHeight: 9, clientNonce: 5, payload: '0x01' }
  test('equal arguments return the same timer and change nothing', () => {
    const world = new SmallWorld()
    const id = world.set(args)
    const before = world.state
    expect(world.trySet({ kind: 'HEIGHT', target: A, gasLimit: 10_000, ...args })).toMatchObject({
      type: 'unchanged',
      timerId: id,
    })
    expect(world.state).toBe(before)
  })
  test('it still holds when the due height has passed and the timer waits', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 1 })
    world.set({ dueHeight: 9, target: B, bidFp: 1 }, B)
    const id = world.set(args)
    world.runTo(9n)
    expect(world.set(args)).toBe(id)
  })
  test('other payload, gas or bid is an update', () => {
    const world = new SmallWorld()
    const id = world.set(args)
    expect(world.set({ ...args, bidFp: 3 })).toBe(id)
    expect(world.timer(id)).toMatchObject({ bidFp: 3n, fifoRank: 1n })
    expect(world.state.timers.size).toBe(1)
  })
  test('anything else is refused', () => {
    const world = new SmallWorld()
    world.set(args)
    expect(world.refusal({ ...args, dueHeight: 10 })).toBe('ERR_INVALID_PARAM')
    expect(world.refusal({ kind: 'INTERVAL', everyBlocks: 9, clientNonce: 5, payload: '0x01' })).toBe(
      'ERR_INVALID_PARAM',
    )
    expect(world.refusal({ ...args, target: B, dueHeight: 10 })).toBeNull()
  })
  test('a spent nonce is never free again, even after its tombstone is gone', () => {
    const world = new SmallWorld({ dedupWindow: 1n })
    const id = world.set(args)
    world.runTo(20n)
    expect(world.state.tombstones.size).toBe(0)
    expect(world.set(args)).toBe(id)
    expect(world.state.timers.size).toBe(0)
    expect(world.refusal({ ...args, dueHeight: 30 })).toBe('ERR_INVALID_PARAM')
    expect(world.refusal({ ...args, payload: '0x02' })).toBe('ERR_INVALID_PARAM')
  })
})

describe('R11 foreign timers', () => {
  test('hold at most half of a target', () => {
    const world = new SmallWorld({ maxTimersPerTarget: 5 })
    world.set({ dueHeight: 9 }, B)
    world.set({ dueHeight: 9 }, C)
    expect(world.refusal({ dueHeight: 9 }, B)).toBe('ERR_QUOTA_EXCEEDED')
    for (let n = 0; n < 3; n += 1) world.set({ dueHeight: 9 })
    expect(world.refusal({ dueHeight: 9 })).toBe('ERR_QUOTA_EXCEEDED')
  })
  test('take at most the larger half of the fires of a target per block', () => {
    const world = new SmallWorld({ maxFiresPerTarget: 3 })
    for (let n = 0; n < 4; n += 1) world.set({ dueHeight: 1, bidFp: 1n << 90n, payload: '0xff' }, B)
    world.set({ dueHeight: 1, payload: '0x01' })
    const { entries } = world.open().close()
    expect(entries.map((entry) => entry.payloadSnapshot).sort()).toEqual(['0x01', '0xff', '0xff'])
    expect(world.open().close().entries).toHaveLength(2)
  })
  test('FOREIGN_TIMERS=false forbids new ones and leaves live ones', () => {
    const world = new SmallWorld()
    world.set({ dueHeight: 1, payload: '0x05' }, B)
    world.params = { ...world.params, foreignTimers: false }
    expect(world.refusal({ dueHeight: 9 }, B)).toBe('ERR_UNAUTHORIZED')
    expect(world.refusal({ dueHeight: 9 }, A)).toBeNull()
    expect(firesOf(world.runTo(2n), '0x05')).toEqual([1])
  })
})

describe('errors: one precedence for all nodes', () => {
  const known = () => {
    const world = new SmallWorld(
      { foreignTimers: false, maxTimersPerOwner: 1 },
      addTarget(createTimerState({ chainId: 1n, targets: 'known' }), A),
    )
    world.set({ dueHeight: 9 })
    return world
  }
  test.each([
    ['a time field beats everything', { due_time: 1, dueHeight: -1 }, B, 'ERR_UNSUPPORTED_TIMER_TYPE'],
    ['an unknown kind', { kind: 'CRON', target: 'x' }, B, 'ERR_UNSUPPORTED_TIMER_TYPE'],
    ['a bad argument beats the caller', { dueHeight: 0, target: B }, C, 'ERR_INVALID_PARAM'],
    ['the caller beats the target', { dueHeight: 9, target: B }, C, 'ERR_UNAUTHORIZED'],
    ['the target beats the quota', { dueHeight: 9, target: B }, B, 'ERR_TARGET_NOT_FOUND'],
    ['the quota comes last', { dueHeight: 9 }, A, 'ERR_QUOTA_EXCEEDED'],
  ] as const)('%s', (_, args, caller, code) => {
    expect(known().refusal(args, caller)).toBe(code)
  })
  test.each([['every_secs'], ['due_time'], ['dueTime'], ['everySecs']])('%s is the removed timer type', (field) => {
    expect(new SmallWorld().refusal({ [field]: 60, dueHeight: 9 })).toBe('ERR_UNSUPPORTED_TIMER_TYPE')
  })
  test.each([
    [2 ** 53],
    [1.5],
    [Number.NaN],
    [-1],
    [Number.POSITIVE_INFINITY],
    ['1e3'],
    ['01'],
    [''],
    [null],
    [true],
    [[9]],
    ['9 '],
    [-1n],
  ])('%s is never rounded into a height', (dueHeight) => {
    expect(new SmallWorld().refusal({ dueHeight })).toBe('ERR_INVALID_PARAM')
  })
  test.each([[9], [9n], ['9'], ['0x9']])('%s is a height', (dueHeight) => {
    const world = new SmallWorld()
    expect(world.timer(world.set({ dueHeight }))?.dueHeight).toBe(9n)
  })
  test('unknown arguments, wrong sizes and out-of-range terms are refused', () => {
    const world = new SmallWorld()
    for (const bad of [
      { extra: 1 },
      { everyBlocks: 5 },
      { target: '0x12' },
      { payload: '0x1' },
      { payload: `0x${'00'.repeat(4_097)}` },
      { gasLimit: 9_999 },
      { gasLimit: 250_001 },
      { bidFp: (1n << 96n) + 1n },
      { bidFp: 1n << 128n },
      { clientNonce: 1n << 64n },
    ]) {
      expect(world.refusal({ dueHeight: 9, ...bad })).toBe('ERR_INVALID_PARAM')
    }
    expect(
      world.refusal({ dueHeight: 9, payload: `0x${'00'.repeat(4_096)}`, gasLimit: 250_000, bidFp: 1n << 96n }),
    ).toBeNull()
    expect(world.refusal({ dueHeight: 9, clientNonce: (1n << 64n) - 1n })).toBeNull()
  })
})

describe('quotas', () => {
  test('per owner, per target and per prefix', () => {
    const world = new SmallWorld({ maxTimersPerOwner: 2, maxTimersPerTarget: 2, maxWatchersPerPrefix: 1 })
    world.set({ watchKeys: [C] })
    expect(world.refusal({ kind: 'STATE_WATCH', watchKeys: [C], target: B }, B)).toBe('ERR_QUOTA_EXCEEDED')
    world.set({ dueHeight: 9 })
    expect(world.refusal({ dueHeight: 9 })).toBe('ERR_QUOTA_EXCEEDED')
    expect(world.refusal({ dueHeight: 9, target: B })).toBe('ERR_QUOTA_EXCEEDED')
  })
  test('a lowered cap deletes nothing (R16)', () => {
    const world = new SmallWorld()
    for (let n = 0; n < 3; n += 1) world.set({ dueHeight: 2 })
    world.params = { ...world.params, maxTimersPerOwner: 1, maxTimersPerTarget: 1 }
    world.open().close()
    expect(world.state.timers.size).toBe(3)
    expect(world.refusal({ dueHeight: 9 })).toBe('ERR_QUOTA_EXCEEDED')
  })
  test('names run out instead of wrapping', () => {
    const world = new SmallWorld()
    world.state = { ...world.state, nextRank: 1n << 64n }
    expect(world.refusal({ dueHeight: 9 })).toBe('ERR_QUOTA_EXCEEDED')
    world.state = { ...world.state, nextRank: 0n, owners: world.state.owners.set(A, { live: 0, counter: 1n << 64n }) }
    expect(world.refusal({ dueHeight: 9 })).toBe('ERR_QUOTA_EXCEEDED')
    expect(world.refusal({ dueHeight: 9, clientNonce: 1 })).toBeNull()
  })
})

test('a removed target can come back before its timers are due', () => {
  const world = new SmallWorld({}, addTarget(createTimerState({ chainId: 1n, targets: 'known' }), A))
  world.set({ dueHeight: 1, payload: '0x01' })
  world.state = addTarget(removeTarget(world.state, A), A)
  expect(world.open().close().entries).toHaveLength(1)
})
