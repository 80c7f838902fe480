import { expect, test } from 'vitest'
import { coalesce } from './coalesced-task.ts'

/** A task that waits to be let go, and counts its runs. */
function setUp() {
  const releases: (() => void)[] = []
  let [runs, current, most] = [0, 0, 0]
  const task = coalesce(async () => {
    runs++
    most = Math.max(most, ++current)
    await new Promise<void>((resolve) => releases.push(resolve))
    current--
  })
  return { task, release: () => releases.shift()?.(), runs: () => runs, most: () => most }
}

test('calls during a run lead to one more run, and never to two at a time', async () => {
  const { task, release, runs, most } = setUp()
  const first = task.run()
  for (let count = 0; count < 5; count++) void task.run()
  expect([runs(), task.isWanted()]).toEqual([1, true])
  release()
  await Promise.resolve()
  await Promise.resolve()
  expect([runs(), task.isWanted()]).toEqual([2, false])
  release()
  await first
  expect([runs(), most()]).toEqual([2, 1])
})

test('a call after the last run starts another', async () => {
  const { task, release, runs } = setUp()
  const first = task.run()
  release()
  await first
  const second = task.run()
  release()
  await second
  expect(runs()).toBe(2)
})

test('a call from the task itself is a call during its run', async () => {
  let runs = 0
  const task = coalesce(async () => {
    runs++
    if (runs < 3) void task.run()
  })
  await task.run()
  expect(runs).toBe(3)
})

test('calls during a run can be dropped', async () => {
  const { task, release, runs } = setUp()
  const first = task.run()
  void task.run()
  task.drop()
  release()
  await first
  expect(runs()).toBe(1)
})

test('a failure reaches those who called, and the next call starts over', async () => {
  let runs = 0
  const task = coalesce(async () => {
    runs++
    if (runs === 1) throw new Error('broken')
  })
  await expect(Promise.all([task.run(), task.run()])).rejects.toThrow('broken')
  await task.run()
  expect(runs).toBe(2)
})

test('settled waits for the runs that are wanted, and for nothing where there are none', async () => {
  const { task, release, runs } = setUp()
  await task.settled()
  void task.run()
  void task.run()
  const settled = task.settled()
  release()
  await Promise.resolve()
  await Promise.resolve()
  release()
  await settled
  expect(runs()).toBe(2)
})
