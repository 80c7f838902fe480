import { expect, test } from 'vitest'
import { ChainUnavailable } from '../../ports/chain.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createFeeMarkets } from './fee-markets.ts'

function createBench() {
  const clock = createManualClock()
  const chain = createFakeChain({ chainId: 1 })
  let reads = 0
  let isAway = false
  const getFeeMarket = () => {
    reads += 1
    return isAway ? Promise.reject(new ChainUnavailable('away')) : chain.getFeeMarket()
  }
  const goAway = (away: boolean): void => {
    isAway = away
  }
  const head = { hash: null as string | null }
  const markets = createFeeMarkets({ chains: new Map([[1, { getFeeMarket }]]), clock, headOf: () => head.hash })
  return { clock, markets, head, reads: () => reads, goAway }
}

test('all callers within a second share one read', async () => {
  const { clock, markets, reads } = createBench()
  const [first, second] = await Promise.all([markets.read(1), markets.read(1)])
  expect([second, reads()]).toEqual([first, 1])
  await clock.advance(999)
  await markets.read(1)
  expect(reads()).toBe(1)
  await clock.advance(1)
  await markets.read(1)
  expect(reads()).toBe(2)
})

test('a failure is not kept', async () => {
  const { markets, goAway } = createBench()
  goAway(true)
  await expect(markets.read(1)).rejects.toThrow(ChainUnavailable)
  goAway(false)
  expect((await markets.read(1)).gasPrice).toBeGreaterThan(0n)
})

test('a chain that is not followed is named', async () => {
  await expect(createBench().markets.read(7)).rejects.toThrow('does not follow chain 7')
})

test('with blocks it is read once for each, however many ask', async () => {
  const { clock, markets, head, reads } = createBench()
  for (const hash of ['a', 'b', 'c']) {
    head.hash = hash
    await Promise.all(Array.from({ length: 100 }, () => markets.read(1)))
    await clock.advance(4_000)
    await markets.read(1)
  }
  expect(reads()).toBe(3)
  // A chain that stands still: nodes may have changed their mind.
  await clock.advance(1_000)
  await markets.read(1)
  expect(reads()).toBe(4)
})
