/** What the answer of the chain says about a condition, and about the fire that waits for it. */
import type { Comparison, Condition, ConditionOutcome, SkipReason } from '../../../core/timer/timer.ts'
import type { ViewOutcome } from '../../../ports/chain.ts'

type Answer = Exclude<ViewOutcome, { readonly type: 'unknown' }>

const WORD_END = 66

export function judgeCondition(condition: Condition, answer: Answer): ConditionOutcome {
  switch (answer.type) {
    case 'reverted':
      return failCondition(`The call reverted: ${answer.reason}`)
    case 'pruned':
      return failCondition('The RPC nodes no longer have the state of this block.')
    case 'too_large':
      return failCondition('The call returned more than 64 KiB.')
    case 'value': {
      if (answer.data.length < WORD_END)
        return failCondition('The call returned nothing. Is there a contract at this address?')
      const word = BigInt(answer.data.slice(0, WORD_END))
      const value = condition.isSigned ? BigInt.asIntN(256, word) : word
      const isMet = compare(value, condition.comparison, condition.value)
      return { outcome: isMet ? 'met' : 'not_met', value, message: null }
    }
  }
}

export function failCondition(message: string): ConditionOutcome {
  return { outcome: 'failed', value: null, message }
}

/** Null: it is sent. */
export function skipReasonOf({ outcome }: ConditionOutcome): SkipReason | null {
  if (outcome === 'met') return null
  return outcome === 'failed' ? 'condition_failed' : 'condition_not_met'
}

function compare(left: bigint, comparison: Comparison, right: bigint): boolean {
  switch (comparison) {
    case 'eq':
      return left === right
    case 'ne':
      return left !== right
    case 'lt':
      return left < right
    case 'lte':
      return left <= right
    case 'gt':
      return left > right
    case 'gte':
      return left >= right
  }
}
