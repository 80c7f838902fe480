import { describe, expect, test } from 'vitest'
import { decide, needsApproval } from './decide.ts'
import { NO_RULES, type RuleSet } from './rule-set.ts'
import type { Measure, Wanted } from './spending.ts'

const TOKEN = `0x${'aa'.repeat(20)}` as const
const PAYEE = `0x${'bb'.repeat(20)}` as const
const WANTED: Wanted = { chainId: 1, to: PAYEE, data: '0x', value: 5n, feeWei: 3n }
const CAPS = { perTransaction: null, perHour: null, perDay: null }
const word = (value: bigint | string) => value.toString(16).replace('0x', '').padStart(64, '0')
const transfer = (amount: bigint) => `0xa9059cbb${word(PAYEE)}${word(amount)}` as const
const approve = (amount: bigint) => `0x095ea7b3${word(PAYEE)}${word(amount)}` as const
const transferFrom = (amount: bigint) => `0x23b872dd${word(PAYEE)}${word(TOKEN)}${word(amount)}` as const

function judge(rules: Partial<RuleSet>, wanted: Partial<Wanted> = {}, spent: Partial<Record<Measure, bigint>> = {}) {
  const spentOn = (measure: Measure) => ({ hour: spent[measure] ?? 0n, day: spent[measure] ?? 0n })
  return decide({ ...NO_RULES, ...rules }, spentOn, { ...WANTED, ...wanted })
}

describe('where it goes', () => {
  const targets = [{ to: PAYEE, selectors: ['0x12345678' as const], chainId: 1 }]
  test.each<[string, Partial<RuleSet>, Partial<Wanted>, string | null]>([
    ['no rules', {}, {}, null],
    ['a chain that is not listed', { chains: [2] }, {}, 'chains'],
    ['a chain that is listed', { chains: [1, 2] }, {}, null],
    ['a target that is not listed', { targets: [] }, {}, 'targets'],
    ['a target with any data', { targets: [{ to: PAYEE, selectors: null, chainId: null }] }, { data: '0xff' }, null],
    ['a target on another chain', { targets }, { data: '0x12345678', chainId: 2 }, 'targets'],
    ['a selector that is listed', { targets }, { data: '0x12345678ff' }, null],
    ['a selector that is not listed', { targets }, { data: '0x12345679' }, 'targets'],
    ['less data than a selector', { targets }, { data: '0x1234' }, 'targets'],
    ['a transfer to a target with selectors', { targets }, {}, 'targets'],
    ['a transfer that is listed', { targets: [{ to: PAYEE, selectors: ['0x'], chainId: null }] }, {}, null],
    ['a contract where targets are listed', { targets }, { to: null }, 'contractCreation'],
    ['a contract where nothing is said', {}, { to: null }, null],
    ['a contract where it is allowed', { targets, contractCreation: true }, { to: null }, null],
    ['a contract where it is not', { contractCreation: false }, { to: null }, 'contractCreation'],
  ])('%s', (_, rules, wanted, rule) => {
    expect(judge(rules, wanted)?.rule ?? null).toBe(rule)
  })
})

describe('how much', () => {
  test('the limit itself is allowed, one more is not, and the refusal has the figures', () => {
    const value = { ...CAPS, perDay: 10n }
    expect(judge({ value }, {}, { value: 5n })).toBeNull()
    expect(judge({ value }, {}, { value: 6n })).toEqual({
      rule: 'value.perDay',
      message: 'at most 10 wei is allowed in 24 hours: 6 wei is used, and this one wants 5 wei',
      limit: 10n,
      used: 6n,
      wanted: 5n,
      window: 'day',
    })
  })

  test('what is larger than the limit never fits, so it does not wait for the window', () => {
    expect(judge({ value: { ...CAPS, perHour: 4n } })).toMatchObject({ rule: 'value.perHour', window: null })
    expect(judge({ value: { ...CAPS, perTransaction: 4n } })).toMatchObject({ rule: 'value.perTransaction' })
  })

  test('fees count once they are known', () => {
    const gas = { ...CAPS, perHour: 4n }
    expect(judge({ gas }, {}, { gas: 2n })).toMatchObject({ rule: 'gas.perHour', used: 2n, wanted: 3n })
    expect(judge({ gas }, { feeWei: null }, { gas: 4n })).toBeNull()
  })

  test('a transaction counts as one', () => {
    expect(judge({ count: { perHour: 2n, perDay: null } }, {}, { count: 1n })).toBeNull()
    expect(judge({ count: { perHour: 2n, perDay: null } }, {}, { count: 2n })).toMatchObject({ rule: 'count.perHour' })
  })

  test('nothing of a measure is allowed even where it is used up', () => {
    expect(judge({ value: { ...CAPS, perDay: 1n } }, { value: 0n }, { value: 9n })).toBeNull()
  })
})

describe('tokens', () => {
  const tokens = [{ ...CAPS, perDay: 100n, token: TOKEN, chainId: null, approvalAbove: null }]
  test.each([
    ['transfer', transfer(101n)],
    ['approve', approve(2n ** 256n - 1n)],
    ['transferFrom', transferFrom(101n)],
    // To the same end, and a way around a cap if they did not count.
    ...Object.entries({
      increaseAllowance: '0x39509351',
      increaseApproval: '0xd73dd623',
      approveAndCall: '0xcae9ca51',
      transferAndCall: '0x4000aea0',
      send: '0x9bd9bbc6',
    } as const).map(([name, selector]) => [name, `${selector}${transfer(101n).slice(10)}`] as const),
  ] as const)('%s counts with its amount', (_, data) => {
    expect(judge({ tokens }, { to: TOKEN, data })).toMatchObject({ rule: `tokens.${TOKEN}.perDay` })
  })

  test('missing bytes count as zeros, as they do for the EVM', () => {
    const shifted = `${transfer(0n).slice(0, 10)}${word(PAYEE)}${'0'.repeat(60)}01` as `0x${string}`
    expect(judge({ tokens }, { to: TOKEN, data: shifted })).toMatchObject({ wanted: 256n })
  })

  test('other tokens and other calls do not count', () => {
    expect(judge({ tokens }, { to: PAYEE, data: transfer(101n) })).toBeNull()
    expect(judge({ tokens }, { to: TOKEN, data: '0x70a08231' })).toBeNull()
  })
})

describe('approval', () => {
  const approval = { above: 5n, of: 2, keys: ['ann', 'bob'], expiresInMs: 1_000 }
  test('is needed above the threshold, and not at it', () => {
    const rules = { ...NO_RULES, approval }
    expect(needsApproval(rules, WANTED)).toBe(false)
    expect(needsApproval(rules, { ...WANTED, value: 6n })).toBe(true)
  })

  test('is needed above the threshold of a token', () => {
    const tokens = [{ ...CAPS, token: TOKEN, chainId: null, approvalAbove: 7n }]
    const rules = { ...NO_RULES, approval, tokens }
    expect(needsApproval(rules, { ...WANTED, to: TOKEN, data: transfer(7n) })).toBe(false)
    expect(needsApproval(rules, { ...WANTED, to: TOKEN, data: approve(8n) })).toBe(true)
  })
})
