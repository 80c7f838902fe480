import { describe, expect, test } from 'vitest'
import { createScript, playScript } from '../random-script.suite.ts'
import { A, B, C, SmallWorld } from '../small-world.suite.ts'
import { measureBlock } from './measure-block.ts'

describe('block measures', () => {
  test('say what fired, what waits and what held it', () => {
    const world = new SmallWorld({ maxFiresPerBlock: 2 })
    for (const target of [A, B, C]) world.set({ dueHeight: 1, target })
    world.set({ watchKeys: [C], target: C })
    world.open(3n)
    const before = world.state
    expect(measureBlock(before, world.deliver({ modifiedKeys: [`${C}01`] }))).toEqual({
      height: 3n,
      fires: 2,
      targetsServed: 2,
      evictions: { gas_below_minimum: 0, target_gone: 0, owner_unfunded: 0 },
      waiting: 2,
      longestWait: 2n,
      totalWait: 4n,
      laneUsed: 20_000n,
      laneCycles: 2_000_000n,
      heldBy: 'fires',
      keysSeen: 1,
      watchMatches: 1,
      keysCarried: 0,
      keysDropped: 0,
    })
  })
  test.each([1, 2, 3, 4])('history %i: what waits is what is due in the state after', (seed) => {
    playScript(createScript(seed, 40), {
      shards: 1,
      rootless: true,
      inspect(state, delivery) {
        const { waiting } = measureBlock(state, delivery)
        const pended = new Set(
          delivery.mutations.flatMap((each) => (each.type === 'watch.pended' ? [each.timerId] : [])),
        )
        const gone = new Set([...delivery.entries, ...delivery.evictions].map(({ timerId }) => timerId))
        const due = [...state.timers.values()].filter(({ timerId, dueHeight }) => {
          return ((dueHeight !== null && dueHeight <= delivery.height) || pended.has(timerId)) && !gone.has(timerId)
        })
        expect(waiting).toBe(due.length)
      },
    })
  })
})
