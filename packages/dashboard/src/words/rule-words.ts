/** Spending rules by name. */
import type { RulesResource } from '../api/api-resources.ts'
import { shortenAddress } from '../format/shorten.ts'

export type RuleSet = NonNullable<RulesResource['rules']>

export interface RuleName {
  readonly name: string
  /** Its amounts are of the chain's own coin. Others are counts, or a token's smallest unit. */
  readonly isWei: boolean
}

const MEASURES: Readonly<Record<string, string>> = { value: 'Value', gas: 'Fees', count: 'Transactions' }
const SPANS: Readonly<Record<string, string>> = {
  perTransaction: 'per transaction',
  perHour: 'per hour',
  perDay: 'per day',
}

/** `value.perDay` is "Value per day". Addresses are in small letters there, and shown as the rules spell them. */
export function nameRule(rule: string, tokens: RuleSet['tokens']): RuleName {
  const [field = '', ...rest] = rule.split('.')
  const address = rest[0]?.toLowerCase()
  const token = tokens.find((caps) => caps.token.toLowerCase() === address)?.token ?? address
  const measure = field === 'tokens' ? `Token ${shortenAddress(token ?? '')}` : MEASURES[field]
  const span = SPANS[rest.at(-1) ?? '']
  if (measure === undefined || span === undefined) return { name: rule, isWei: false }
  return { name: `${measure} ${span}`, isWei: field === 'value' || field === 'gas' }
}

/** Caps on a single transaction. The others come with what is used of them. */
export function listTransactionCaps({ value, gas, tokens }: RuleSet): readonly { rule: string; limit: string }[] {
  const caps = [
    { field: 'value', limit: value?.perTransaction },
    { field: 'gas', limit: gas?.perTransaction },
    ...tokens.map(({ token, perTransaction }) => ({ field: `tokens.${token}`, limit: perTransaction })),
  ]
  return caps.flatMap(({ field, limit }) => (limit == null ? [] : [{ rule: `${field}.perTransaction`, limit }]))
}
