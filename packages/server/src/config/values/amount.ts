/** Amounts of the chain's own unit as settings: wei, or with a unit, and `none` or `auto` where that means something. */
import { formatAmount, parseAmount } from '../../core/amount.ts'
import { accept, refuse, type SettingType } from './setting-type.ts'

/** Null is written as this word, and only ever by whoever means it. */
export function amountOr(word: string): SettingType<bigint | null> {
  return {
    label: `amount (wei, or \`0.5ether\`, \`30gwei\`), \`${word}\``,
    parse(input) {
      if (input === word) return accept(null)
      const isAmount = typeof input === 'string' || (typeof input === 'number' && Number.isSafeInteger(input))
      const amount = isAmount ? parseAmount(String(input)) : { problem: 'must be an amount' }
      return typeof amount === 'bigint' ? accept(amount) : refuse(`${amount.problem}, or be "${word}"`)
    },
    print: (value) => (value === null ? word : formatAmount(value)),
  }
}
