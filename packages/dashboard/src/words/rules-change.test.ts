import { expect, test } from 'vitest'
import type { RuleSet } from './rule-words.ts'
import { diffRules, readRules, spellRules } from './rules-change.ts'

const RULES: RuleSet = {
  mode: 'enforce',
  chains: null,
  targets: null,
  contractCreation: null,
  value: { perTransaction: null, perHour: null, perDay: '5' },
  gas: null,
  tokens: [],
  count: null,
  approval: null,
}

test('what limits nothing is left out of the text', () => {
  expect(JSON.parse(spellRules(RULES))).toEqual({ mode: 'enforce', value: { perDay: '5' } })
  expect(spellRules(null)).toBe('{}')
})

test('what changes is named field by field', () => {
  expect(diffRules(RULES, { mode: 'enforce', value: { perDay: '5', perHour: null }, tokens: [] })).toEqual([])
  expect(diffRules(RULES, { mode: 'report', value: { perHour: '2' }, chains: [1, 10] })).toEqual([
    { field: 'mode', from: 'enforce', to: 'report' },
    { field: 'value.perDay', from: '5', to: null },
    { field: 'value.perHour', from: null, to: '2' },
    { field: 'chains', from: null, to: '[1,10]' },
  ])
})

test.each(['{', '[]', '7', 'null'])('%s is not a rule set', (text) => {
  expect(readRules(text)).toMatchObject({ type: 'unreadable' })
})
