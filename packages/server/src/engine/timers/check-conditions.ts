/** Conditions of fires: a view call at the very block that fires, so a repeat gives the same answer. */
import type { Hash } from '../../core/hex.ts'
import type { Comparison, Condition, ConditionOutcome } from '../../core/timer/timer.ts'
import type { AgreedReads, ViewOutcome } from '../../ports/chain.ts'

const WORD_END = 66

/** An outcome for each, in order. Throws ChainUnavailable if the nodes do not respond: then nothing is known. */
export async function checkConditions(
  chain: Pick<AgreedReads, 'readAgreedViews'>,
  conditions: readonly Condition[],
  blockHash: Hash,
): Promise<readonly ConditionOutcome[]> {
  if (conditions.length === 0) return []
  const outcomes = await chain.readAgreedViews(conditions, blockHash)
  return conditions.map((condition, index) => judge(condition, outcomes[index] ?? { type: 'pruned' }))
}

function judge(condition: Condition, outcome: ViewOutcome): ConditionOutcome {
  switch (outcome.type) {
    case 'reverted':
      return fail(`The call reverted: ${outcome.reason}`)
    case 'pruned':
      return fail('The RPC nodes no longer have the state of this block.')
    case 'value': {
      if (outcome.data.length < WORD_END) return fail('The call returned nothing. Is there a contract at this address?')
      const word = BigInt(outcome.data.slice(0, WORD_END))
      const value = condition.isSigned ? BigInt.asIntN(256, word) : word
      const isMet = compare(value, condition.comparison, condition.value)
      return { outcome: isMet ? 'met' : 'not_met', value, message: null }
    }
  }
}

function fail(message: string): ConditionOutcome {
  return { outcome: 'failed', value: null, message }
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
