import { expect, test } from 'vitest'
import { createScriptedHeadFeed } from '../../testing/rpc/scripted-head-feed.ts'
import { HEAD_WINDOW } from './head-feed.ts'

async function start() {
  const { chain, feed } = createScriptedHeadFeed()
  const told: string[] = []
  const stop = feed.listen(({ removed, added }) => {
    told.push(...removed.map(({ hash }) => `-${hash}`), ...added.map(({ hash }) => hash))
  })
  await chain.grow([])
  return { chain, feed, told, stop }
}

test('sends every block after the current one, also those between two polls', async () => {
  const { chain, told } = await start()
  expect(told).toEqual([])
  await chain.grow(['a'])
  await chain.grow(['b', 'c', 'd'])
  await chain.grow([])
  expect(told).toEqual(['a', 'b', 'c', 'd'])
})

test('withdraws reorged blocks, newest first, and sends the new ones', async () => {
  const { chain, told } = await start()
  await chain.grow(['a', 'b', 'c'])
  await chain.grow(['B', 'C', 'D'], 'a')
  expect(told).toEqual(['a', 'b', 'c', '-c', '-b', 'B', 'C', 'D'])
})

test('a fork from before the subscription is sent from where the subscription began', async () => {
  const { chain, feed, stop } = await start()
  await chain.grow(['a', 'b'])
  stop()
  const told: string[] = []
  feed.listen(({ removed, added }) => {
    told.push(...removed.map(({ hash }) => `-${hash}`), ...added.map(({ hash }) => hash))
  })
  await chain.grow([])
  await chain.grow(['c'])
  await chain.grow(['A', 'B', 'C', 'D'], 'genesis')
  expect(told).toEqual(['c', '-c', '-b', 'B', 'C', 'D'])
})

test('a node that does not answer delays, and loses nothing', async () => {
  const { chain, told } = await start()
  await chain.grow(['a'])
  chain.setDown(true)
  await chain.grow(['b', 'c'])
  expect(told).toEqual(['a'])
  chain.setDown(false)
  await chain.grow(['d'])
  expect(told).toEqual(['a', 'b', 'c', 'd'])
})

test('after too long an absence it restarts from the head', async () => {
  const { chain, told } = await start()
  await chain.grow(['a'])
  await chain.grow(Array.from({ length: HEAD_WINDOW + 1 }, (_, index) => `x${index}`))
  expect(told.at(-1)).toBe(`x${HEAD_WINDOW}`)
  expect(told).not.toContain('x0')
})

test('asks for nothing while nobody listens', async () => {
  const { chain, feed, told, stop } = await start()
  expect(chain.listenerCount()).toBe(1)
  stop()
  expect(chain.listenerCount()).toBe(0)
  await chain.grow(['a'])
  feed.listen(({ added }) => told.push(...added.map(({ hash }) => `again ${hash}`)))
  await chain.grow([])
  await chain.grow(['b'])
  expect(told).toEqual(['again b'])
})
