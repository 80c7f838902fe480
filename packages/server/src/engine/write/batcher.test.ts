import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { timerClock as clock } from '../../testing/engine/timer-clock.ts'
import { createBatcher, type Pending } from './batcher.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LIMITS = { lingerMs: 3, maxBatch: 100, maxRunning: 2, maxWaiting: 100, deadlineMs: 10_000 }

/** Each batch is held until the test finishes it, so that what is on its way at one time can be seen. */
function createHeldBatcher(limits: Partial<typeof LIMITS> = {}) {
  const runs: { readonly items: readonly string[]; finish(): void; fail(error: Error): void }[] = []
  const waiting: number[] = []
  const batcher = createBatcher<string, string>({
    clock,
    ...LIMITS,
    ...limits,
    expire: (item) => new Error(`${item} is too late`),
    run: (batch: readonly Pending<string, string>[]) =>
      new Promise<void>((resolve, reject) => {
        const finish = () => {
          for (const { item, resolve: settle } of batch) settle(item.toUpperCase())
          resolve()
        }
        runs.push({ items: batch.map(({ item }) => item), finish, fail: reject })
      }),
    onWaiting: (count) => waiting.push(count),
  })
  return { batcher, runs, waiting, batches: () => runs.map(({ items }) => items) }
}

describe('items that belong together', () => {
  test('leave in one batch and in order, even where it gets longer than others, with what came before them', async () => {
    const { batcher, batches, runs } = createHeldBatcher({ maxBatch: 3 })
    const first = batcher.add('a')
    const together = batcher.addTogether(['b', 'c', 'd', 'e'])
    const last = batcher.add('f')
    expect(batches()).toEqual([['a', 'b', 'c', 'd', 'e']])
    await vi.advanceTimersByTimeAsync(3)
    expect(batches()).toEqual([['a', 'b', 'c', 'd', 'e'], ['f']])
    for (const run of runs) run.finish()
    expect(await Promise.all([first, ...together, last])).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
  })

  test('do not hold those of another group to them', () => {
    const { batcher, batches } = createHeldBatcher({ maxBatch: 2 })
    for (const group of [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
      for (const result of batcher.addTogether(group)) void result
    expect(batches()).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
  })

  test('are refused one by one where the queue is full, the last ones first', async () => {
    const { batcher, runs } = createHeldBatcher({ maxWaiting: 2 })
    const settled = Promise.allSettled(batcher.addTogether(['a', 'b', 'c']))
    await vi.advanceTimersByTimeAsync(3)
    runs[0]?.finish()
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  })

  test('none are no batch', () => {
    const { batcher, batches } = createHeldBatcher()
    expect(batcher.addTogether([])).toEqual([])
    expect(batches()).toEqual([])
  })
})

describe('forming batches', () => {
  test('what comes within the linger leaves together, in order, and each gets its own result', async () => {
    const { batcher, batches, runs } = createHeldBatcher()
    const first = batcher.add('a')
    await vi.advanceTimersByTimeAsync(2)
    const second = batcher.add('b')
    expect(batches()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(batches()).toEqual([['a', 'b']])
    runs[0]?.finish()
    expect(await Promise.all([first, second])).toEqual(['A', 'B'])
  })

  test('a full batch leaves without lingering', () => {
    const { batcher, batches } = createHeldBatcher({ maxBatch: 2 })
    void batcher.add('a')
    void batcher.add('b')
    expect(batches()).toEqual([['a', 'b']])
  })

  test('no more batches than allowed are on their way; the next leaves when one returns', async () => {
    const { batcher, batches, runs, waiting } = createHeldBatcher({ maxBatch: 1, maxRunning: 2 })
    const all = ['a', 'b', 'c'].map(batcher.add)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(batches()).toEqual([['a'], ['b']])
    runs[1]?.finish()
    await all[1]
    await vi.advanceTimersByTimeAsync(3)
    expect(batches()).toEqual([['a'], ['b'], ['c']])
    expect(waiting).toEqual([0, 0, 0])
  })

  test('a full queue refuses at once and says when to come back; what waits still leaves', async () => {
    const { batcher, runs } = createHeldBatcher({ maxBatch: 1, maxRunning: 1, maxWaiting: 1 })
    const [running, waiting] = ['a', 'b'].map(batcher.add)
    const refused = await batcher.add('c').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(AppError)
    expect(refused).toMatchObject({ code: 'queue_full', details: { retryAfterMs: expect.any(Number) } })
    runs[0]?.finish()
    await running
    await vi.advanceTimersByTimeAsync(3)
    runs[1]?.finish()
    expect(await waiting).toBe('B')
  })
})

test('a failed run affects only its own batch', async () => {
  const { batcher, runs } = createHeldBatcher({ maxBatch: 1 })
  const [first, second] = ['a', 'b'].map((item) => batcher.add(item).catch((error: Error) => error.message))
  runs[0]?.fail(new Error('broken'))
  runs[1]?.finish()
  expect(await Promise.all([first, second])).toEqual(['broken', 'B'])
})

test('the deadline holds for a run that never ends, and for what waits behind it', async () => {
  const { batcher, batches, runs } = createHeldBatcher({ maxBatch: 1, maxRunning: 1 })
  const fates = ['a', 'b'].map((item) => batcher.add(item).catch((error: Error) => error.message))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await Promise.all(fates)).toEqual(['a is too late', 'b is too late'])
  const later = batcher.add('c')
  runs[0]?.finish()
  await vi.advanceTimersByTimeAsync(3)
  expect(batches()).toEqual([['a'], ['c']])
  runs[1]?.finish()
  expect(await later).toBe('C')
})

describe('stopping', () => {
  test('what waits leaves at once, what comes later is refused, and drain waits for both', async () => {
    const { batcher, runs } = createHeldBatcher({ lingerMs: 1_000, maxBatch: 1, maxRunning: 1 })
    const all = ['a', 'b'].map(batcher.add)
    let drained = false
    const draining = batcher.drain().then(() => {
      drained = true
    })
    await expect(batcher.add('late')).rejects.toMatchObject({ code: 'queue_full' })
    runs[0]?.finish()
    await all[0]
    await vi.advanceTimersByTimeAsync(0)
    expect(drained).toBe(false)
    runs[1]?.finish()
    await draining
    expect(await Promise.all(all)).toEqual(['A', 'B'])
  })

  test('draining what is empty is done at once', async () => {
    await expect(createHeldBatcher().batcher.drain()).resolves.toBeUndefined()
  })
})
