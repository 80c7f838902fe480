import { expect, test } from 'vitest'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { readBaseFee } from './read-base-fee.ts'

function setUp() {
  const chain = createFakeChain({ chainId: 31_337 })
  return { chain, clock: createManualClock() }
}

test('is what the chain asks', async () => {
  const { chain, clock } = setUp()
  chain.setBaseFee(77n)
  expect(await readBaseFee(chain, clock)).toBe(77n)
})

test('is unknown if the chain is down or slow', async () => {
  const { chain, clock } = setUp()
  chain.setFault(() => 'unavailable')
  expect(await readBaseFee(chain, clock)).toBeNull()
  const answer = readBaseFee({ ...chain, getFeeMarket: () => new Promise(() => {}) }, clock)
  await clock.advance(1_000)
  expect(await answer).toBeNull()
})

test('a bug in the adapter is not hidden', async () => {
  const { chain, clock } = setUp()
  const broken = { ...chain, getFeeMarket: () => Promise.reject(new TypeError('x is undefined')) }
  await expect(readBaseFee(broken, clock)).rejects.toThrow(TypeError)
})
