/** Holds the transactions of timers against the rules before they are queued. */
import { subjectsOf } from '../../core/rules/rule-set.ts'
import type { NewTransaction, Store } from '../../ports/store.ts'
import type { KeepBooks } from './keep-books.ts'
import type { ReportRefusal } from './report-refusal.ts'
import type { RuleBook } from './rule-book.ts'
import { toJudgeItem, withVerdict } from './ruled-insert.ts'
import { tellVerdict } from './tell-verdict.ts'

/**
 * In order; null: refused. Those that pass are charged at once, and that is taken back if they are not stored soon.
 * `asksAlways`: also if no rules bind them as far as this node knows.
 */
export type JudgeFires = (
  transactions: readonly NewTransaction[],
  options?: { readonly asksAlways: boolean },
) => Promise<readonly (NewTransaction | null)[]>

export function createJudgeFires(ports: {
  readonly store: Pick<Store, 'writeSpending'>
  readonly book: RuleBook
  readonly keepBooks: KeepBooks
  readonly report: ReportRefusal
}): JudgeFires {
  const { store, book, keepBooks, report } = ports
  return async (transactions, { asksAlways } = { asksAlways: false }) => {
    const isBound = transactions.some(({ intent, keyId }) => book.binds(subjectsOf(intent.lane.signer, keyId)))
    if (!isBound && !asksAlways) return transactions
    const { verdicts, nowMs } = await keepBooks(transactions.map(toJudgeItem), async (write) =>
      write.accounts.length === 0 ? true : await store.writeSpending(write),
    )
    return transactions.map((transaction, index) => {
      const verdict = verdicts[index]
      if (verdict === undefined) throw new Error('a fire was not judged')
      tellVerdict(report, transaction, verdict)
      return verdict.refused === null ? withVerdict(transaction, verdict, nowMs) : null
    })
  }
}
