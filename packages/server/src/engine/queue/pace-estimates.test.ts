import { expect, test } from 'vitest'
import type { Address } from '../../core/hex.ts'
import type { Call } from '../../ports/chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createUpstreamPace } from '../tenants/upstream-pace.ts'
import { paceEstimates } from './pace-estimates.ts'

const [SLOW, QUICK]: readonly Address[] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`]

function callsOf(from: Address = SLOW, count: number): readonly Call[] {
  return Array.from({ length: count }, (_, index) => ({
    from,
    to: from,
    data: '0x',
    value: BigInt(index),
    gasLimit: null,
  }))
}

function setUp({ hasOthers }: { readonly hasOthers: boolean }) {
  const clock = createManualClock()
  const asked: (readonly Call[])[] = []
  const estimate = paceEstimates({
    clock,
    pace: createUpstreamPace({ clock, hasOthers: () => true, distanceMs: () => 0 }),
    payerOf: (signer) => (hasOthers ? signer : null),
    chain: {
      estimate: async (calls) => {
        asked.push(calls)
        clock.freeze(calls[0]?.from === SLOW ? calls.length * 100 : 1)
        return calls.map(({ value }) => ({ type: 'ok', gas: value }))
      },
    },
  })
  return { clock, asked, estimate, sizes: () => asked.map(({ length }) => length) }
}

test('while nobody else is active, all calls go at once', async () => {
  const { estimate, sizes } = setUp({ hasOthers: false })
  await estimate(callsOf(SLOW, 100), null)
  await estimate([], null)
  expect(sizes()).toEqual([100, 0])
})

test('beside others, slow calls are few at a time with rests between, and each gets its own outcome', async () => {
  const { clock, estimate, sizes } = setUp({ hasOthers: true })
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
  const { clock, estimate, sizes } = setUp({ hasOthers: true })
  void estimate(callsOf(SLOW, 8), null)
  await clock.settle()
  await estimate(callsOf(QUICK, 60), null)
  expect(sizes()).toEqual([4, 4, 8, 8, 8, 8, 8, 8, 8])
})

test('the rest also holds for what is asked later', async () => {
  const { clock, estimate, sizes } = setUp({ hasOthers: true })
  await estimate(callsOf(SLOW, 4), null)
  const later = estimate(callsOf(SLOW, 1), null)
  await clock.settle()
  expect(sizes()).toEqual([4])
  await clock.advance(1_200)
  await later
  expect(sizes()).toEqual([4, 1])
})
