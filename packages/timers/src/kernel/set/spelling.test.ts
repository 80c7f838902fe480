/** Inputs of a host have one spelling and one width inside: what can be read is normalised, what cannot is refused. */
import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { uintDigits } from '../bytes/hex.ts'
import { deliverIdOf, fireKeyOf } from '../deliver/deliver-id.ts'
import { timersRoot } from '../merkle/timer-leaves.ts'
import { A, B, ROOT, SmallWorld } from '../small-world.suite.ts'
import { addTarget, createTimerState, removeTarget } from '../state/timer-state.ts'
import { timerIdOf } from './timer-id.ts'

const upper = (hex: Hex): Hex => `0x${hex.slice(2).toUpperCase()}`

describe('two spellings of one owner are one owner', () => {
  test('their timers share one counter, so that none overwrites another', () => {
    const world = new SmallWorld()
    const ids = [A, upper(A), A].map((caller) => world.set({ dueHeight: 5, target: B }, caller))
    expect(new Set(ids).size).toBe(3)
    expect([...world.state.timers.values()].map(({ owner }) => owner)).toEqual([A, A, A])
    expect(world.state.owners.get(A)).toEqual({ live: 3, counter: 3n })
  })
  test('they give the same state, whichever is used', () => {
    const roots = [A, upper(A)].map((caller) => {
      const world = new SmallWorld()
      const id = world.set({ everyBlocks: 2, target: A }, caller)
      world.set({ dueHeight: 5, target: B, clientNonce: 1 }, caller)
      world.update({ target: upper(A), timerId: upper(id), payload: '0x05' }, caller)
      world.open().close()
      return timersRoot(world.state)
    })
    expect(roots[0]).toBe(roots[1])
  })
  test('either may update and cancel, and an own timer is no foreign one', () => {
    const world = new SmallWorld({ foreignTimers: false })
    const id = world.set({ dueHeight: 5, target: A }, upper(A))
    expect(world.update({ target: A, timerId: id, payload: '0x01' }, upper(A))).toBe('updated')
    expect(world.cancel(upper(id), upper(A), upper(A))).toBe(true)
  })
  test('targets, roots and failed ids too', () => {
    let known = addTarget(createTimerState({ chainId: 1n, targets: 'known' }), upper(A))
    expect(known.targets?.has(A)).toBe(true)
    known = removeTarget(known, upper(A))
    expect(known.targets?.size).toBe(0)
    const world = new SmallWorld()
    const id = world.set({ everyBlocks: 1 })
    expect(world.open().deliver({ parentStateRoot: upper(ROOT) }).entries).toEqual(world.deliver().entries)
    world.close({ failed: [upper(id)] })
    expect(world.timer(id)).toMatchObject({ failures: 1 })
  })
})

describe('what has another width is refused', () => {
  test.each([['0x12'], [`${A}00`], ['me'], [''], [null], [7]])('caller %s', (caller) => {
    const world = new SmallWorld()
    const id = world.set({ dueHeight: 9 })
    expect(world.refusal({ dueHeight: 5 }, caller as Hex)).toBe('ERR_INVALID_PARAM')
    expect(world.update({ target: A, timerId: id, payload: '0x01' }, caller as Hex)).toBe('ERR_INVALID_PARAM')
    expect(world.cancel(id, caller as Hex)).toBe('ERR_INVALID_PARAM')
  })
  test('ids wider than 32 bytes cannot stand for others', () => {
    const id: Hex = `0x${'ab'.repeat(32)}`
    expect(() => fireKeyOf(`${id}00`, 1)).toThrow(RangeError)
    expect(() => fireKeyOf('0xab', 1)).toThrow(RangeError)
    const fire = { chainId: 1n, height: 1n, parentStateRoot: ROOT, timerId: id, fireSeq: 0 }
    expect(() => deliverIdOf({ ...fire, timerId: `${id}00` })).toThrow(RangeError)
    expect(() => deliverIdOf({ ...fire, parentStateRoot: `${ROOT}00` })).toThrow(RangeError)
    expect(() => timerIdOf({ chainId: 1n, owner: `${A}00`, target: B, source: 'client', n: 0n })).toThrow(RangeError)
    const world = new SmallWorld()
    expect(world.cancel(`${id}00`)).toBe('ERR_INVALID_PARAM')
  })
  test('numbers wider than their field are not spilled into the next', () => {
    for (const [value, bytes] of [
      [256, 1],
      [1n << 64n, 8],
      [-1, 4],
      [-1n, 8],
    ] as const) {
      expect(() => uintDigits(value, bytes)).toThrow(RangeError)
    }
    expect(uintDigits((1n << 64n) - 1n, 8)).toBe('f'.repeat(16))
    const fire = { chainId: 1n, height: 1n, parentStateRoot: ROOT, timerId: ROOT, fireSeq: 0 }
    expect(() => deliverIdOf({ ...fire, fireSeq: 2 ** 32 })).toThrow(RangeError)
    expect(() => deliverIdOf({ ...fire, height: 1n << 64n })).toThrow(RangeError)
    expect(() => deliverIdOf({ ...fire, chainId: -1n })).toThrow(RangeError)
  })
  test('targets and roots', () => {
    const known = createTimerState({ chainId: 1n, targets: 'known' })
    expect(() => addTarget(known, '0x12')).toThrow(RangeError)
    expect(() => removeTarget(known, `${A}00`)).toThrow(RangeError)
    expect(() => new SmallWorld().open().deliver({ parentStateRoot: `${ROOT}00` })).toThrow(RangeError)
    const world = new SmallWorld().open()
    expect(() => world.close({ failed: ['0x12'] })).toThrow(RangeError)
  })
})

describe('R17 bids', () => {
  test('outside the bounds are refused at set and update', () => {
    const world = new SmallWorld({ minBid: 10n, maxBid: 20n })
    for (const bidFp of [9, 21]) expect(world.refusal({ dueHeight: 5, bidFp })).toBe('ERR_INVALID_PARAM')
    expect(world.refusal({ dueHeight: 5 })).toBe('ERR_INVALID_PARAM')
    const id = world.set({ dueHeight: 5, bidFp: 10 })
    expect(world.update({ target: A, timerId: id, bidFp: 21 })).toBe('ERR_INVALID_PARAM')
    expect(world.update({ target: A, timerId: id, bidFp: 20 })).toBe('updated')
  })
  test('accepted before a change of the bounds stay, and an update of other terms leaves them', () => {
    const world = new SmallWorld()
    const id = world.set({ dueHeight: 5, bidFp: 5 })
    world.params = { ...world.params, minBid: 10n }
    expect(world.update({ target: A, timerId: id, payload: '0x01' })).toBe('updated')
    expect(world.timer(id)?.bidFp).toBe(5n)
    expect(world.runTo(5n).fired.flat()).toEqual(['0x01'])
  })
})
