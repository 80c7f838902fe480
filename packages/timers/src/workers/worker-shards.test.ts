import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { DeliverBlock } from '../kernel/deliver/deliver.ts'
import { deliver } from '../kernel/deliver/deliver.ts'
import { createScript, playScript, printBlock } from '../kernel/random-script.suite.ts'
import { ROOT, SmallWorld } from '../kernel/small-world.suite.ts'
import type { TimerState } from '../kernel/state/timer-state.ts'
import { createWorkerShards } from './worker-shards.ts'

/** Workers get no loader from the test runner, so they bring one along. */
const loader = pathToFileURL(
  createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/cjs$/, 'mjs'),
)
const source = new URL('./worker-shards.ts', import.meta.url)
const code = `import { register } from '${loader}'; register(); await import('${source}')`
const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
const pool = createWorkerShards({ shards: 2, entry })
afterAll(() => pool.close())

test('R24 shards in worker threads give the same bytes, also after a rewind and for another chain of states [G9]', async () => {
  const asked: { state: TimerState; block: DeliverBlock }[] = []
  for (const seed of [3, 14, 15, 16, 17, 18, 19, 20, 21, 22]) {
    playScript(createScript(seed, 30), {
      shards: 1,
      rootless: true,
      inspect: (state, _, block) => asked.push({ state, block }),
    })
  }
  const order = [
    ...asked.slice(0, 25),
    ...asked.slice(10),
    ...asked.filter((_, n) => n % 3 === 0),
    ...asked.filter((_, n) => n % 4 !== 2),
  ]
  for (const { state, block } of order) {
    const expected = printBlock(deliver(state, block), block.parentStateRoot, null)
    const delivery = await pool.deliver(state, block)
    expect(printBlock(delivery, block.parentStateRoot, null)).toBe(expected)
  }
  expect(order.length).toBeGreaterThan(60)
})

test('a second delivery at the same time is refused, and the first is not disturbed', async () => {
  const world = new SmallWorld()
  world.set({ dueHeight: 1 })
  const block = { height: 1n, parentStateRoot: ROOT, modifiedKeys: [], params: world.params }
  const first = pool.deliver(world.state, block)
  await expect(pool.deliver(world.state, block)).rejects.toThrow('delivering')
  expect((await first).entries).toHaveLength(1)
})

test('a worker that exits causes an error, not an endless wait, and the pool stops', async () => {
  const mortal = createWorkerShards({ shards: 2, entry: new URL('data:text/javascript,process.exit(3)') })
  const world = new SmallWorld()
  const block = { height: 1n, parentStateRoot: ROOT, modifiedKeys: [], params: world.params }
  await expect(mortal.deliver(world.state, block)).rejects.toThrow('ended')
  await expect(mortal.deliver(world.state, block)).rejects.toThrow('broken')
  await mortal.close()
})
