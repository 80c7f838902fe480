import { describe, expect, test } from 'vitest'
import type { Call, CallOutcome, HeadRef } from '../ports/chain.ts'
import { createSharedEstimates } from './shared-estimates.ts'

const ADDRESS = `0x${'11'.repeat(20)}` as const
const head = (number: number): HeadRef => ({ number, hash: `0x${number.toString(16).padStart(64, '0')}` })
const call = (value: bigint): Call => ({ from: ADDRESS, to: ADDRESS, data: '0x', value, gasLimit: null })

function setUp(outcomeOf: (call: Call) => CallOutcome = () => ({ type: 'ok', gas: 21_000n })) {
  const asked: (readonly bigint[])[] = []
  let now = 0
  const estimate = createSharedEstimates(
    async (calls) => {
      asked.push(calls.map(({ value }) => value))
      return calls.map(outcomeOf)
    },
    { monotonic: () => now },
  )
  const pass = (ms: number) => {
    now += ms
  }
  return { estimate, asked, pass }
}

describe('shared estimates', () => {
  test('equal calls of one batch are tried once, and each gets its outcome', async () => {
    const { estimate, asked } = setUp(({ value }) => ({ type: 'ok', gas: value }))
    const outcomes = await estimate([call(1n), call(2n), call(1n)], head(1))
    expect(asked).toEqual([[1n, 2n]])
    expect(outcomes.map((outcome) => outcome.type === 'ok' && outcome.gas)).toEqual([1n, 2n, 1n])
  })

  test('a call that passed at a head is not estimated again before the next head', async () => {
    const { estimate, asked } = setUp()
    await estimate([call(1n)], head(1))
    await estimate([call(1n), call(3n)], head(1))
    await estimate([call(1n)], head(2))
    expect(asked).toEqual([[1n], [3n], [1n]])
  })

  test('what failed is tried again each time', async () => {
    const { estimate, asked } = setUp(() => ({ type: 'invalid', message: 'no' }))
    await estimate([call(1n)], head(1))
    await estimate([call(1n)], head(1))
    expect(asked).toEqual([[1n], [1n]])
  })

  test('where no head is known nothing is kept', async () => {
    const { estimate, asked } = setUp()
    await estimate([call(1n)], null)
    await estimate([call(1n)], null)
    expect(asked).toEqual([[1n], [1n]])
  })

  test('a head that does not move is not trusted for long', async () => {
    const { estimate, asked, pass } = setUp()
    await estimate([call(1n)], head(1))
    pass(5_000)
    await estimate([call(1n)], head(1))
    expect(asked).toEqual([[1n], [1n]])
  })

  test('calls that differ in anything are different', async () => {
    const { estimate, asked } = setUp()
    const one = call(1n)
    await estimate([one, { ...one, data: '0x01' }, { ...one, gasLimit: 30_000n }, { ...one, accessList: [] }], head(1))
    expect(asked[0]).toHaveLength(4)
  })
})
