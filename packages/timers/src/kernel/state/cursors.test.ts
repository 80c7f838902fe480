import { describe, expect, test } from 'vitest'
import { addressOf } from '../random-script.suite.ts'
import { A, B, SmallWorld } from '../small-world.suite.ts'
import { restoreTimers } from '../snapshot/restore-timers.ts'
import { snapshotTimers } from '../snapshot/timer-snapshot.ts'
import { cursorAt } from './cursors.ts'

describe('R18 rr_cursor', () => {
  test('is the height and the place in selection order of the last fire', () => {
    const world = new SmallWorld({ bucketBounds: [5n] })
    world.set({ dueHeight: 1, target: B, bidFp: 1 })
    world.set({ dueHeight: 1, target: A, bidFp: 9 })
    world.set({ dueHeight: 1, target: B, bidFp: 9 })
    world.open().close()
    // Selected: A and B by their bids of 9 (A first, by address), then B's second.
    expect(world.state.cursors.get(A)).toBe(cursorAt(1n, 1))
    expect(world.state.cursors.get(B)).toBe(cursorAt(1n, 3))
  })

  const sizes = Array.from({ length: 8 }, (_, n) => n + 2)
  test.each(sizes)('%i equal interval-1 targets differ by at most one fire after any block, for any F', (targets) => {
    for (let fires = 1; fires <= targets; fires += 1) {
      const world = new SmallWorld({ maxFiresPerBlock: fires })
      const counts = new Map<string, number>()
      for (let n = 0; n < targets; n += 1) {
        world.set({ everyBlocks: 1, target: addressOf(n) })
        counts.set(addressOf(n), 0)
      }
      for (let block = 1; block <= 60; block += 1) {
        for (const { target } of world.open().close().entries) counts.set(target, (counts.get(target) ?? 0) + 1)
        const all = [...counts.values()]
        expect([fires, block, Math.max(...all) - Math.min(...all) <= 1]).toEqual([fires, block, true])
      }
    }
  })
})

describe('cursors are pruned', () => {
  test('of targets without timers, once the window has passed; until then they hold their place', () => {
    const world = new SmallWorld({ dedupWindow: 3n })
    for (let n = 0; n < 50; n += 1) world.set({ dueHeight: 1, target: addressOf(n) })
    world.set({ everyBlocks: 1, target: A })
    world.open().close()
    expect(world.state.cursors.size).toBe(51)
    world.runTo(4n)
    expect(world.state.cursors.size).toBe(51)
    world.runTo(5n)
    expect([...world.state.cursors.entries()].map(({ key }) => key)).toEqual([A])
    expect(world.state.restingCursors.size).toBe(0)
  })
  test('not of a target that set another timer in time', () => {
    const world = new SmallWorld({ dedupWindow: 3n })
    world.set({ dueHeight: 1 })
    world.runTo(2n)
    const id = world.set({ dueHeight: 50 })
    world.runTo(20n)
    expect(world.state.cursors.get(A)).toBe(cursorAt(1n, 1))
    world.cancel(id)
    world.open().close()
    expect(world.state.cursors.size).toBe(0)
  })
  test('also after a restart, and for a target whose timer was cancelled while its entry ran', () => {
    const world = new SmallWorld({ dedupWindow: 2n })
    const id = world.set({ everyBlocks: 1 })
    world.open().close({ mailbox: () => expect(world.cancel(id)).toBe(true) })
    expect(world.state.restingCursors.size).toBe(1)
    const restored = new SmallWorld({ dedupWindow: 2n }, restoreTimers(snapshotTimers(world.state)))
    for (const each of [world, restored]) {
      expect(each.runTo(3n).state.cursors.size).toBe(1)
      expect(each.runTo(4n).state.cursors.size).toBe(0)
    }
  })
})

describe('R16 an emergency stop', () => {
  test('MAX_FIRES_PER_BLOCK of 0 is legal: nothing fires, everything ages, and goes on after', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 0 })
    world.set({ dueHeight: 1, payload: '0x01' })
    world.set({ everyBlocks: 1, target: B, payload: '0x02' })
    expect(world.runTo(5n).fired.flat()).toEqual([])
    world.params = { ...world.params, maxFiresPerBlock: 1 }
    expect(world.runTo(7n).fired.slice(5)).toEqual([['0x01'], ['0x02']])
  })
})
