import { expect, test } from 'vitest'
import type { Address } from '../../core/hex.ts'
import type { Call } from '../../ports/chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createUpstreamPace } from '../tenants/upstream-pace.ts'
import { paceEstimates } from './pace-estimates.ts'

const SLOW: Address = `0x${'11'.repeat(20)}`
const QUICK: Address = `0x${'22'.repeat(20)}`

function callsOf(from: Address, count: number): readonly Call[] {
  return Array.from({ length: count }, (_, index) => ({
    from,
    to: from,
    data: '0x',
    value: BigInt(index),
    gasLimit: null,
  }))
}

async function setUp({ hasOthers }: { readonly hasOthers: boolean }) {
  const clock = createManualClock()
  const asked: (readonly Call[])[] = []
  const pace = createUpstreamPace({ clock, distanceMs: () => 0 })
  /** Somebody asks the same node. */
  if (hasOthers) void pace.run('someone', async () => {})
  const estimate = paceEstimates({
    clock,
    pace,
    payerOf: (signer) => signer,
    chain: {
      estimate: async (calls) => {
        asked.push(calls)
        clock.freeze(calls[0]?.from === SLOW ? calls.length * 100 : 1)
        return calls.map(({ value }) => ({ type: 'ok', gas: value }))
      },
    },
  })
  await clock.settle()
  return { clock, asked, estimate, sizes: () => asked.map(({ length }) => length) }
}

test('while nobody else is active, all calls go at once', async () => {
  const { estimate, sizes } = await setUp({ hasOthers: false })
  await estimate(callsOf(SLOW, 100), null)
  expect(await estimate([], null)).toEqual([])
  expect(sizes()).toEqual([100])
})

test('beside others, slow calls are few at a time with rests between, and each gets its own outcome', async () => {
  const { clock, estimate, sizes } = await setUp({ hasOthers: true })
  const outcomes = estimate(callsOf(SLOW, 8), null)
  await clock.settle()
  expect(sizes()).toEqual([4])
  await clock.advance(1_199)
  expect(sizes()).toEqual([4])
  await clock.advance(1)
  expect(sizes()).toEqual([4, 1])
  await clock.advance(60_000)
  expect((await outcomes).map((outcome) => outcome.type === 'ok' && outcome.gas)).toEqual([
    0n,
    1n,
    2n,
    3n,
    4n,
    5n,
    6n,
    7n,
  ])
  expect(sizes()).toEqual([4, 1, 1, 1, 1])
})

test('a lane with quick calls rests for nobody', async () => {
  const { clock, estimate, sizes } = await setUp({ hasOthers: true })
  void estimate(callsOf(SLOW, 8), null)
  await clock.settle()
  await estimate(callsOf(QUICK, 60), null)
  expect(sizes()).toEqual([4, 4, 8, 8, 8, 8, 8, 8, 8])
})

test('the rest also holds for what is asked later', async () => {
  const { clock, estimate, sizes } = await setUp({ hasOthers: true })
  await estimate(callsOf(SLOW, 4), null)
  const later = estimate(callsOf(SLOW, 1), null)
  await clock.settle()
  expect(sizes()).toEqual([4])
  await clock.advance(1_200)
  await later
  expect(sizes()).toEqual([4, 1])
})
