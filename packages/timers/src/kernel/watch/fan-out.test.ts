/** R15: the work of a block is counted, not timed, while 512 timers watch the 10,000 keys that one block changes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hex, uintDigits } from '../bytes/hex.ts'
import { addressOf } from '../random-script.suite.ts'
import { C, SmallWorld } from '../small-world.suite.ts'
import { OrderedMap } from '../tree/ordered-map.ts'

const WATCHERS = 512
const KEYS = 10_000
const keyOf = (n: number, actor: Hex = C): Hex => `${actor}${uintDigits(n, 4)}`
const changed = Array.from({ length: KEYS }, (_, n) => keyOf(n))

/** Every step through a tree and every list that is made counts as one. */
let steps = 0
const { get, has, floor, entries } = OrderedMap.prototype
beforeEach(() => {
  OrderedMap.prototype.get = function (key) {
    steps += 1
    return get.call(this, key)
  }
  OrderedMap.prototype.has = function (key) {
    steps += 1
    return has.call(this, key)
  }
  OrderedMap.prototype.floor = function (key) {
    steps += 1
    return floor.call(this, key)
  }
  OrderedMap.prototype.entries = function* (isBefore) {
    for (const node of entries.call(this, isBefore)) {
      steps += 1
      yield node
    }
    return undefined
  }
})
afterEach(() => {
  Object.assign(OrderedMap.prototype, { get, has, floor, entries })
})

function watchersOf(...watchKeys: Hex[]): SmallWorld {
  const world = new SmallWorld()
  for (let n = 0; n < WATCHERS; n += 1) world.set({ watchKeys, target: addressOf(n), payload: `0x${uintDigits(n, 2)}` })
  return world
}

function countSteps(work: () => void): number {
  steps = 0
  work()
  return steps
}

describe('512 watchers of 10,000 keys', () => {
  test('the block that changes them costs at most twice one in which each key has one watcher', () => {
    const normal = new SmallWorld({ maxTimersPerTarget: KEYS })
    for (let n = 0; n < KEYS; n += 1) normal.set({ watchKeys: [keyOf(n)], target: addressOf(n % WATCHERS) })
    const attacked = watchersOf(C)
    const usual = countSteps(() => normal.open().close({ modifiedKeys: changed }))
    const attack = countSteps(() => attacked.open().close({ modifiedKeys: changed }))
    expect(attacked.state.carriedKeys.length).toBeGreaterThan(KEYS - 50)
    expect(attack).toBeLessThanOrEqual(2 * usual)
  })

  test('each empty block after it costs at most twice one in which the same timers wake for a single key', () => {
    const normal = watchersOf(C)
    normal.open().close({ modifiedKeys: [keyOf(0)] })
    const attacked = watchersOf(C)
    attacked.open().close({ modifiedKeys: changed })
    let blocks = 0
    while (blocks < 12) {
      const usual = countSteps(() => normal.open().close({ modifiedKeys: [keyOf(blocks + 1)] }))
      const attack = countSteps(() => attacked.open().close())
      expect(attacked.fired.at(-1)).toHaveLength(normal.fired.at(-1)?.length ?? 0)
      expect(attack).toBeLessThanOrEqual(2 * usual)
      blocks += 1
    }
    expect(attacked.state.carriedKeys).toHaveLength(KEYS - 13 * 19)
  })

  test('watchers set in the same block are not even walked over', () => {
    const world = new SmallWorld().open()
    const quiet = countSteps(() => world.deliver({ modifiedKeys: changed }))
    for (let n = 0; n < WATCHERS; n += 1) world.set({ watchKeys: [C], target: addressOf(n) })
    const { entries: fires, carried } = world.deliver({ modifiedKeys: changed })
    expect([fires, carried.keys]).toEqual([[], []])
    expect(countSteps(() => world.deliver({ modifiedKeys: changed }))).toBeLessThanOrEqual(2 * quiet + KEYS)
  })

  test('watched prefixes of every length make a key no dearer that has none of them', () => {
    const world = watchersOf(C)
    const few = countSteps(() =>
      world.open().deliver({ modifiedKeys: changed.map((key) => `${key}${'ff'.repeat(104)}`) }),
    )
    for (let bytes = 1; bytes <= 108; bytes += 1) {
      world.set({ watchKeys: [`${C}${'ee'.repeat(bytes)}`], target: addressOf(bytes) })
    }
    const many = countSteps(() =>
      world.open().deliver({ modifiedKeys: changed.map((key) => `${key}${'ff'.repeat(104)}`) }),
    )
    expect(many).toBeLessThanOrEqual(2 * few)
  })

  test('the measures say what was done', () => {
    const world = watchersOf(C)
    const first = world.open().close({ modifiedKeys: changed })
    expect(first.work).toEqual({ keys: KEYS, matches: 19 * WATCHERS, watchersRead: WATCHERS })
    expect(world.open().close().work).toEqual({ keys: 19, matches: 19 * WATCHERS, watchersRead: WATCHERS })
  })
})

describe('what is carried is looked at once', () => {
  test('a carried key that nobody watches any more leaves when its turn comes', () => {
    const world = new SmallWorld({ maxWatchMatchesPerBlock: 1 })
    const [first, second] = [1, 2].map((n) => world.set({ watchKeys: [keyOf(n)] })) as [Hex, Hex]
    world.open().close({ modifiedKeys: [keyOf(1), keyOf(2)] })
    expect(world.state.carriedKeys).toEqual([keyOf(2)])
    world.open()
    expect([world.cancel(second), world.cancel(first)]).toEqual([true, true])
    expect(world.close().work).toMatchObject({ keys: 1, matches: 0 })
    expect(world.state.carriedKeys).toEqual([])
    expect(world.state.carriedSince.size).toBe(0)
  })
  test('a key that changes again while it is carried keeps its place', () => {
    const world = new SmallWorld({ maxWatchMatchesPerBlock: 1 })
    for (const n of [1, 2, 3]) world.set({ watchKeys: [keyOf(n)] })
    world.open().close({ modifiedKeys: [1, 2, 3].map((n) => keyOf(n)) })
    world.open().close({ modifiedKeys: [keyOf(3), keyOf(1)] })
    expect(world.state.carriedKeys).toEqual([keyOf(3), keyOf(1)])
    expect([...world.state.carriedSince.values()]).toEqual([2n, 1n])
  })
})
