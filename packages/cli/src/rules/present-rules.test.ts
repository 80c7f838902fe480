import { expect, test } from 'vitest'
import { spellRule } from './present-rules.ts'

test.each([
  ['value.perDay', 'Value per day'],
  ['gas.perHour', 'Fees per hour'],
  ['count.perHour', 'Transactions per hour'],
  [
    'tokens.0xdac17f958d2ee523a2206206994597c13d831ec7.perTransaction',
    'Token 0xdAC17F958D2ee523a2206206994597C13D831ec7 per transaction',
  ],
  ['targets', 'targets'],
])('%s is said in words', (rule, words) => {
  expect(spellRule(rule)).toBe(words)
})
