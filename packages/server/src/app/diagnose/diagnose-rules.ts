/** How much of each spending rule is used, for `drover doctor`. */
import { checksumText } from '../../api/contract/values/address.ts'
import { formatAmount } from '../../core/amount.ts'
import type { SpendingAccount } from '../../core/rules/judge.ts'
import { spellSubject } from '../../core/rules/rule-set.ts'
import { listUsage, type RuleUse } from '../../core/rules/usage.ts'
import { createPostgresStore } from '../../store/postgres/postgres-store.ts'
import { type Finding, ok, warn } from './finding.ts'

/** From this part of a cap on, there is little left. */
const NEARLY_USED_PERCENT = 90n
/** More would drown the rest. */
const MAX_SHOWN = 50

const SILENT = { log: () => {}, count: () => {}, gauge: () => {} }

export async function diagnoseRules(databaseUrl: string): Promise<readonly Finding[]> {
  const store = createPostgresStore({ databaseUrl, telemetry: SILENT, applicationName: 'drover doctor' })
  try {
    const [accounts, { nowMs }] = await Promise.all([store.listAccounts(), store.ping()])
    const shown = accounts.slice(0, MAX_SHOWN).map((account) => judgeAccount(account, nowMs))
    const more = accounts.length - shown.length
    return more > 0 ? [...shown, ok('spending rules', `${more} more; see \`drover rules show\``)] : shown
  } finally {
    await store.close()
  }
}

function judgeAccount({ subject, rules, ledger }: SpendingAccount, nowMs: number): Finding {
  const check = checksumText(`rules of ${spellSubject(subject)}`)
  const usage = listUsage(rules, ledger, [], nowMs)
  const used = usage.length === 0 ? 'nothing spent yet' : checksumText(usage.map(spellUse).join(', '))
  const detail = `${rules.mode === 'report' ? 'report only; ' : ''}${used}`
  const isNear = usage.some((use) => use.used * 100n >= use.limit * NEARLY_USED_PERCENT)
  return isNear
    ? warn(check, detail, 'little is left: wait, or raise the cap with `drover rules set`')
    : ok(check, detail)
}

function spellUse({ rule, chainId, used, limit }: RuleUse): string {
  const isWei = rule.startsWith('value.') || rule.startsWith('gas.')
  const spell = (amount: bigint) => (isWei ? formatAmount(amount) : String(amount))
  return `${rule} ${spell(used)} of ${spell(limit)} (chain ${chainId})`
}
