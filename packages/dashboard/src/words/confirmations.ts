/** Confirmations in words: how many there are, and what is still needed. */
import type { TransactionResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'

type Confirmations = TransactionResource['confirmations']

/** "3 of 12 confirmations"; where the rule is a block tag, how deep it is and which tag it waits for. */
export function describeConfirmations({ count, required }: Confirmations): string {
  if (typeof required === 'string') {
    return `${formatCount(count)} ${count === 1 ? 'confirmation' : 'confirmations'}, final when ${required}`
  }
  if (required === 0) return 'final once mined'
  return `${formatCount(Math.min(count, required))} of ${formatCount(required)} ${required === 1 ? 'confirmation' : 'confirmations'}`
}

/** For lists, where room is short; null where there is no number to reach. */
export function shortConfirmations({ count, required }: Confirmations): string | null {
  return typeof required === 'number' && required > 0 ? `${Math.min(count, required)}/${required}` : null
}
