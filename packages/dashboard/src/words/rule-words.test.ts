import { expect, test } from 'vitest'
import { listTransactionCaps, nameRule, type RuleSet } from './rule-words.ts'

const TOKEN = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const ETHER = '1000000000000000000'
const NONE: RuleSet = {
  mode: 'enforce',
  chains: null,
  targets: null,
  contractCreation: null,
  value: null,
  gas: null,
  tokens: [],
  count: null,
  approval: null,
}

test.each([
  ['value.perTransaction', 'Value per transaction', true],
  ['value.perDay', 'Value per day', true],
  ['gas.perHour', 'Fees per hour', true],
  ['count.perDay', 'Transactions per day', false],
  [`tokens.${TOKEN.toLowerCase()}.perDay`, 'Token 0xdAC1…1ec7 per day', false],
])('%s is called %s', (rule, name, isWei) => {
  const caps = { perTransaction: null, perHour: null, perDay: '5', token: TOKEN, chainId: null, approvalAbove: null }
  expect(nameRule(rule, [caps])).toEqual({ name, isWei })
})

test('a rule that this page does not know is called as the service calls it', () => {
  expect(nameRule('moon.perYear', [])).toEqual({ name: 'moon.perYear', isWei: false })
})

test('caps per transaction, which no usage counts, are listed with their amounts', () => {
  const cap = { perTransaction: ETHER, perHour: null, perDay: '5' }
  const token = { ...cap, token: TOKEN, chainId: null, approvalAbove: '700' }
  expect(
    listTransactionCaps({ ...NONE, value: cap, gas: { ...cap, perTransaction: '21000' }, tokens: [token] }),
  ).toEqual([
    { rule: 'value.perTransaction', limit: ETHER },
    { rule: 'gas.perTransaction', limit: '21000' },
    { rule: `tokens.${TOKEN}.perTransaction`, limit: ETHER },
  ])
  expect(listTransactionCaps({ ...NONE, value: { ...cap, perTransaction: null } })).toEqual([])
})
