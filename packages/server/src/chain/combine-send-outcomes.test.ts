import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SendOutcome } from '../core/send-outcome.ts'
import { combineSendOutcomes } from './combine-send-outcomes.ts'

const OUTCOMES: readonly SendOutcome[] = [
  { type: 'accepted' },
  { type: 'already_known' },
  { type: 'nonce_too_low', message: '' },
  { type: 'replacement_underpriced', message: '' },
  { type: 'underpriced', message: '' },
  { type: 'insufficient_funds', message: '' },
  { type: 'nonce_gap', message: '' },
  { type: 'pool_full', message: '' },
  { type: 'rate_limited', message: '' },
  { type: 'ambiguous', message: '' },
  { type: 'rejected', message: '', reason: 'invalid' },
]
const anyOutcomes = fc.array(fc.constantFrom(...OUTCOMES, null), { maxLength: 5 })

test('one node that holds the bytes is enough', () => {
  fc.assert(
    fc.property(anyOutcomes, anyOutcomes, (before, after) => {
      expect(combineSendOutcomes([...before, { type: 'accepted' }, ...after]).type).toBe('accepted')
    }),
  )
})

test('a rejection needs every node that was reached', () => {
  fc.assert(
    fc.property(anyOutcomes, (outcomes) => {
      const reached = outcomes.filter((outcome) => outcome !== null)
      const unanimous = reached.length > 0 && reached.every(({ type }) => type === 'rejected')
      expect(combineSendOutcomes(outcomes).type === 'rejected').toBe(unanimous)
    }),
  )
})

test('the order of the nodes does not matter, and doubt is never removed by a refusal', () => {
  fc.assert(
    fc.property(anyOutcomes, (outcomes) => {
      const { type } = combineSendOutcomes(outcomes)
      expect(combineSendOutcomes([...outcomes].reverse()).type).toBe(type)
      if (outcomes.some((outcome) => outcome?.type === 'ambiguous'))
        expect(['accepted', 'already_known', 'nonce_too_low', 'replacement_underpriced', 'ambiguous']).toContain(type)
    }),
  )
})

test('if no node was reached, nothing is known', () => {
  expect(combineSendOutcomes([null, null]).type).toBe('ambiguous')
  expect(combineSendOutcomes([]).type).toBe('ambiguous')
})
