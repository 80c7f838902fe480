import { expect, test } from 'vitest'
import { addressOf } from '../random-script.suite.ts'
import { SmallWorld } from '../small-world.suite.ts'
import { listQueue } from './list-queue.ts'

test('the queue is what the next blocks fire, in order', () => {
  const world = new SmallWorld({ maxFiresPerBlock: 1, maxFiresPerTarget: 2 })
  for (let n = 0; n < 8; n += 1) {
    world.set({ dueHeight: 1, target: addressOf(n % 3), bidFp: BigInt(n), payload: `0x0${n}` })
  }
  const queue = listQueue(world.state, 1n, world.params, 10)
  expect(queue.map(({ turn }) => turn)).toEqual([0, 0, 0, 1, 1, 1])
  expect(queue[0]).toMatchObject({ score: 7n, bucket: 0, targetLastFired: 0n, waitedBlocks: 0n })
  const { entries } = world.open().close()
  expect(entries.map(({ timerId }) => timerId)).toEqual([queue[0]?.timer.timerId])
  expect(() => listQueue(world.state, 1n, world.params, 2)).toThrow(RangeError)
  const later = listQueue(world.state, 2n, world.params, 2)
  expect(later).toHaveLength(2)
  expect(later[0]?.timer.timerId).toBe(world.open().close().entries[0]?.timerId)
})
