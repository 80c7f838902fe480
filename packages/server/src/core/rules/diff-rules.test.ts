import { expect, test } from 'vitest'
import { diffRules } from './diff-rules.ts'
import { NO_RULES, type RuleSet } from './rule-set.ts'

const CAPS = { perTransaction: null, perHour: null, perDay: 700n }
const TOKEN = { token: `0x${'da'.repeat(20)}`, ...CAPS } as RuleSet['tokens'][number]

test('names each field that changed', () => {
  const before = { ...NO_RULES, value: { ...CAPS, perDay: 1n } }
  const after: RuleSet = { ...NO_RULES, mode: 'report', value: { ...CAPS, perDay: 2n } }
  expect(diffRules(before, after)).toBe('mode: enforce → report, value.perDay: 1 → 2')
})

test('the order in which fields come back from the database is no change', () => {
  const turned = Object.fromEntries(Object.entries(TOKEN).reverse()) as unknown as typeof TOKEN
  expect(diffRules({ ...NO_RULES, tokens: [TOKEN] }, { ...NO_RULES, tokens: [turned] })).toBe('no change')
})
