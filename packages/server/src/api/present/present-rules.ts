/** Rules and approvals as JSON. */
import { type Approval, missingVotes } from '../../core/rules/approval.ts'
import type { SpendingAccount } from '../../core/rules/judge.ts'
import type { Caps, RuleSet, SubjectId } from '../../core/rules/rule-set.ts'
import { listUsage } from '../../core/rules/usage.ts'
import type { RulesResource } from '../contract/resources/rules-resource.ts'
import type { TransactionResource } from '../contract/resources/transaction-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant } from '../contract/values/instant.ts'

export function presentRules(
  subject: SubjectId,
  { account, nowMs }: { readonly account: SpendingAccount | null; readonly nowMs: number },
  chains: readonly number[],
): RulesResource {
  if (account === null) return { subject, rules: null, usage: [], updatedAt: null, updatedBy: null }
  const { rules, ledger, updatedAt, updatedBy } = account
  return {
    subject,
    rules: presentRuleSet(rules),
    usage: listUsage(rules, ledger, chains, nowMs).map(({ rule, chainId, limit, used, remaining }) => ({
      rule,
      chainId,
      limit: limit.toString(),
      used: used.toString(),
      remaining: remaining.toString(),
    })),
    updatedAt: presentInstant(updatedAt),
    updatedBy,
  }
}

function presentRuleSet(rules: RuleSet): NonNullable<RulesResource['rules']> {
  const { chains, targets, value, gas, tokens, count, approval } = rules
  return {
    ...rules,
    chains: chains && [...chains],
    targets:
      targets?.map(({ to, selectors, chainId }) => ({
        to: checksumAddress(to),
        selectors: selectors && [...selectors],
        chainId,
      })) ?? null,
    value: value && presentCaps(value),
    gas: gas && presentCaps(gas),
    tokens: tokens.map(({ token, chainId, approvalAbove, ...caps }) => ({
      ...presentCaps(caps),
      token: checksumAddress(token),
      chainId,
      approvalAbove: approvalAbove?.toString() ?? null,
    })),
    count: count && { perHour: count.perHour?.toString() ?? null, perDay: count.perDay?.toString() ?? null },
    approval: approval && { ...approval, keys: [...approval.keys], above: approval.above.toString() },
  }
}

function presentCaps({ perTransaction, perHour, perDay }: Caps) {
  return {
    perTransaction: perTransaction?.toString() ?? null,
    perHour: perHour?.toString() ?? null,
    perDay: perDay?.toString() ?? null,
  }
}

export function presentApproval(approval: Approval): NonNullable<TransactionResource['approval']> {
  return {
    needs: approval.needs.map(({ subject, of, keys }) => ({ subject, of, keys: [...keys] })),
    votes: approval.votes.map((vote) => ({ ...vote, at: presentInstant(vote.at) })),
    missing: missingVotes(approval),
    expiresAt: presentInstant(approval.expiresAt),
  }
}
