/** Whether one rule set allows a transaction. Pure: rules, what was spent so far, and what is wanted. */
import { formatAmount } from '../amount.ts'
import type { Address } from '../hex.ts'
import type { Spent, WindowName } from './ledger.ts'
import type { Caps, RuleSet, TokenCaps } from './rule-set.ts'
import { type Measure, selectorOf, tokenAmountOf, tokenMeasure, type Wanted } from './spending.ts'

export interface RuleRefusal {
  /** The field of the rule set, e.g. `value.perDay`. */
  readonly rule: string
  /** What is wrong, for people: both figures where there are any. */
  readonly message: string
  /** In the smallest unit; null if the rule has no amount. */
  readonly limit: bigint | null
  readonly used: bigint | null
  readonly wanted: bigint | null
  /** It can pass later, when this window has room again; null: only other rules let it pass. */
  readonly window: WindowName | null
}

type SpentOn = (measure: Measure) => Spent

/** The first rule that it breaks; null: none. */
export function decide(rules: RuleSet, spentOn: SpentOn, wanted: Wanted): RuleRefusal | null {
  return checkPlace(rules, wanted) ?? checkAmounts(rules, spentOn, wanted)
}

function checkPlace(rules: RuleSet, { chainId, to, data }: Wanted): RuleRefusal | null {
  const { chains, targets, contractCreation } = rules
  if (chains !== null && !chains.includes(chainId))
    return refuse('chains', `chain ${chainId} is not among the allowed chains (${chains.join(', ')})`)
  if (to === null) {
    const isAllowed = contractCreation ?? targets === null
    return isAllowed ? null : refuse('contractCreation', 'contract creation is not allowed')
  }
  if (targets === null) return null
  const known = targets.filter((target) => target.to === to && isOnChain(target, chainId))
  if (known.length === 0) return refuse('targets', `${to} is not among the allowed targets`)
  const selector = selectorOf(data)
  const fits = known.some(({ selectors }) => selectors === null || (selector !== null && selectors.includes(selector)))
  if (fits) return null
  const call = selector === '0x' ? 'a transfer without data' : `selector ${selector ?? data}`
  return refuse('targets', `${to} is an allowed target, but not with ${call}`)
}

function checkAmounts(rules: RuleSet, spentOn: SpentOn, wanted: Wanted): RuleRefusal | null {
  const { value, gas, count } = rules
  return (
    (value && checkCaps('value', value, wanted.value, spentOn('value'), formatAmount)) ??
    (gas && wanted.feeWei !== null ? checkCaps('gas', gas, wanted.feeWei, spentOn('gas'), formatAmount) : null) ??
    checkTokens(rules, spentOn, wanted) ??
    (count && checkCaps('count', { ...count, perTransaction: null }, 1n, spentOn('count'), String))
  )
}

function checkTokens(rules: RuleSet, spentOn: SpentOn, wanted: Wanted): RuleRefusal | null {
  const moved = tokenAmountOf(wanted)
  if (moved === null) return null
  const { token, amount } = moved
  for (const caps of findTokenCaps(rules, token, wanted.chainId)) {
    const refusal = checkCaps(`tokens.${token}`, caps, amount, spentOn(tokenMeasure(token)), String)
    if (refusal !== null) return refusal
  }
  return null
}

export function findTokenCaps({ tokens }: RuleSet, token: Address, chainId: number): readonly TokenCaps[] {
  return tokens.filter((caps) => caps.token === token && isOnChain(caps, chainId))
}

const SPANS = { hour: 'in an hour', day: 'in 24 hours' } as const

function checkCaps(
  name: string,
  caps: Caps,
  wanted: bigint,
  spent: Spent,
  spell: (amount: bigint) => string,
): RuleRefusal | null {
  const { perTransaction, perHour, perDay } = caps
  if (perTransaction !== null && wanted > perTransaction) {
    const message = `at most ${spell(perTransaction)} is allowed in one transaction, and this one wants ${spell(wanted)}`
    return { rule: `${name}.perTransaction`, message, limit: perTransaction, used: null, wanted, window: null }
  }
  for (const [window, limit] of [
    ['hour', perHour],
    ['day', perDay],
  ] as const) {
    if (limit === null || spent[window] + wanted <= limit || wanted === 0n) continue
    const used = spent[window]
    const message = `at most ${spell(limit)} is allowed ${SPANS[window]}: ${spell(used)} is used, and this one wants ${spell(wanted)}`
    // What exceeds the limit by itself never fits, however long it waits.
    const fitsLater = wanted <= limit ? window : null
    return {
      rule: `${name}.${window === 'hour' ? 'perHour' : 'perDay'}`,
      message,
      limit,
      used,
      wanted,
      window: fitsLater,
    }
  }
  return null
}

/** Whether it may go only after an approval. */
export function needsApproval(rules: RuleSet, wanted: Wanted): boolean {
  const { approval } = rules
  if (approval === null) return false
  if (wanted.value > approval.above) return true
  const moved = tokenAmountOf(wanted)
  if (moved === null) return false
  return findTokenCaps(rules, moved.token, wanted.chainId).some(
    ({ approvalAbove }) => approvalAbove !== null && moved.amount > approvalAbove,
  )
}

function isOnChain({ chainId }: { readonly chainId: number | null }, wanted: number): boolean {
  return chainId === null || chainId === wanted
}

function refuse(rule: string, message: string): RuleRefusal {
  return { rule, message, limit: null, used: null, wanted: null, window: null }
}
