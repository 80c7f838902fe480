import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodeAnswer } from './classify-send-error.ts'
import { combineSendOutcomes } from './combine-send-outcomes.ts'

const OUTCOMES: readonly NodeAnswer[] = [
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
  { type: 'wrong_chain', message: '' },
  { type: 'refused', message: '', reason: 'node_fee_cap' },
  { type: 'invalid', message: '', reason: 'gas_too_low' },
]
const anyOutcomes = fc.array(fc.constantFrom(...OUTCOMES, null), { maxLength: 5 })

test('one node that holds the bytes is enough', () => {
  fc.assert(
    fc.property(anyOutcomes, anyOutcomes, (before, after) => {
      expect(combineSendOutcomes([...before, { type: 'accepted' }, ...after]).type).toBe('accepted')
    }),
  )
})

test('bytes are invalid only if every node that was reached says so', () => {
  fc.assert(
    fc.property(anyOutcomes, (outcomes) => {
      const reached = outcomes.filter((outcome) => outcome !== null)
      const unanimous = reached.length > 0 && reached.every(({ type }) => type === 'invalid')
      expect(combineSendOutcomes(outcomes).type === 'invalid').toBe(unanimous)
    }),
  )
})

test('the order of the nodes does not matter, and doubt is never removed by a refusal', () => {
  fc.assert(
    fc.property(anyOutcomes, (outcomes) => {
      const { type } = combineSendOutcomes(outcomes)
      expect(combineSendOutcomes([...outcomes].reverse()).type).toBe(type)
      if (outcomes.some((outcome) => outcome?.type === 'ambiguous' || outcome?.type === 'wrong_chain'))
        expect(['accepted', 'already_known', 'nonce_too_low', 'replacement_underpriced', 'ambiguous']).toContain(type)
    }),
  )
})

test('one node that merely refuses them makes it a refusal', () => {
  const invalid = { type: 'invalid', message: '', reason: 'gas_too_low' } as const
  const refused = { type: 'refused', message: 'mine', reason: 'node_fee_cap' } as const
  expect(combineSendOutcomes([invalid, refused, invalid])).toEqual(refused)
})

test('a refusal while a node is down is reported as such', () => {
  const refused = { type: 'refused', message: 'mine', reason: 'node_fee_cap' } as const
  expect(combineSendOutcomes([refused, null])).toEqual({ ...refused, isPartial: true })
  expect(combineSendOutcomes([refused, refused])).toEqual(refused)
})

test('a node of another chain says nothing of the bytes', () => {
  expect(combineSendOutcomes([{ type: 'wrong_chain', message: 'words' }])).toEqual({
    type: 'ambiguous',
    message: 'words',
  })
})

test('if no node was reached, nothing is known', () => {
  expect(combineSendOutcomes([null, null]).type).toBe('ambiguous')
  expect(combineSendOutcomes([]).type).toBe('ambiguous')
})
