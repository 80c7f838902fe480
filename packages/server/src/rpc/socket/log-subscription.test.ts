import { expect, test } from 'vitest'
import { createScriptedHeadFeed } from '../../testing/rpc/scripted-head-feed.ts'
import { followLogs, parseLogFilter } from './log-subscription.ts'

const ADDRESS = `0x${'aB'.repeat(20)}`
const TOPIC = `0x${'12'.repeat(32)}`

async function start() {
  const { chain, feed } = createScriptedHeadFeed()
  const { forwarder } = chain
  const told: string[] = []
  const due: (() => void)[] = []
  let losses = 0
  /** Logs are read through a wall of their own, so that a node can have blocks and no logs. */
  let hasLogs = true
  const clock = {
    schedule(_delayMs: number, run: () => void) {
      due.push(run)
      return () => void due.splice(due.indexOf(run), 1)
    },
  }
  const logs = {
    ...forwarder,
    forwardEach: (...[requests]: Parameters<typeof forwarder.forwardEach>) =>
      hasLogs ? forwarder.forwardEach(requests) : Promise.resolve([{ status: 'rejected' as const, reason: 'down' }]),
  }
  const stop = followLogs(
    { feed, forwarder: logs, clock },
    { address: 'mine' },
    {
      log: (log) => {
        const { blockHash, removed, address } = log as { blockHash: string; removed: boolean; address: string }
        told.push(`${removed ? '-' : ''}${blockHash} ${address}`)
      },
      lost: () => losses++,
    },
  )
  await chain.grow([])
  return {
    chain,
    told,
    stop,
    losses: () => losses,
    setLogs: (has: boolean) => {
      hasLogs = has
    },
    retry: async () => {
      for (const run of due.splice(0)) run()
      await chain.grow([])
    },
  }
}

test('sends the logs of each block once, in order, by its filter', async () => {
  const { chain, told } = await start()
  await chain.grow(['a', 'b'])
  await chain.grow(['c'])
  expect(told).toEqual(['a mine', 'b mine', 'c mine'])
})

test('takes back the logs of what left the chain', async () => {
  const { chain, told } = await start()
  await chain.grow(['a', 'b'])
  await chain.grow(['B', 'C'], 'a')
  expect(told).toEqual(['a mine', 'b mine', '-b mine', 'B mine', 'C mine'])
})

test('logs that cannot be read now are read later, save those of blocks that are gone by then', async () => {
  const { chain, told, setLogs, retry } = await start()
  setLogs(false)
  await chain.grow(['a', 'b'])
  await chain.grow(['B'], 'a')
  expect(told).toEqual([])
  setLogs(true)
  await retry()
  expect(told).toEqual(['a mine', 'B mine'])
})

test('who falls too far behind is told so', async () => {
  const { chain, losses, setLogs } = await start()
  setLogs(false)
  for (let round = 0; round < 5; round++) {
    await chain.grow(Array.from({ length: 60 }, (_, index) => `${round}-${index}`))
  }
  expect(losses()).toBe(1)
  expect(chain.listenerCount()).toBe(0)
})

test('nothing comes after the end', async () => {
  const { chain, told, stop } = await start()
  await chain.grow(['a'])
  stop()
  await chain.grow(['b'])
  expect(told).toEqual(['a mine'])
})

test('a filter says whose logs and which, never of which blocks', () => {
  const given = { address: ADDRESS, topics: [null, TOPIC, [TOPIC, null]] }
  expect(parseLogFilter({ ...given, fromBlock: '0x0', toBlock: 'latest' })).toEqual(given)
  expect(parseLogFilter({ address: [ADDRESS], topics: [] })).toEqual({ address: [ADDRESS], topics: [] })
  expect(parseLogFilter(undefined)).toEqual({})
  expect(() => parseLogFilter('0x1')).toThrow('the filter must be an object')
})

test.each([
  { address: 'mine' },
  { address: [ADDRESS, '0x1'] },
  { address: {} },
  { topics: TOPIC },
  { topics: ['0x12'] },
  { topics: [[[TOPIC]]] },
  { topics: [null, null, null, null, null] },
])('%j is refused at once, as a node would refuse it with every block', (filter) => {
  expect(() => parseLogFilter(filter)).toThrow(/must be/)
})
