/** Shows and sets the rules of a signer or an API key. */
import type { SpendingAccount } from '../../core/rules/judge.ts'
import type { RuleSet, SubjectId } from '../../core/rules/rule-set.ts'
import type { Store } from '../../ports/store.ts'
import type { RuleBook } from './rule-book.ts'
import type { SettleCharges } from './settle-charges.ts'

export interface ManageRules {
  /** With its books as they are now: what has ended is settled first. */
  read(subject: SubjectId): Promise<{ readonly account: SpendingAccount | null; readonly nowMs: number }>
  /** Null removes them and their books. Returns the set before. */
  put(subject: SubjectId, rules: RuleSet | null, by: string): Promise<RuleSet | null>
}

export function createManageRules(ports: {
  readonly store: Pick<Store, 'readSpending' | 'putRules'>
  readonly settle: SettleCharges
  readonly book: Pick<RuleBook, 'reload'>
}): ManageRules {
  const { store, settle, book } = ports
  return {
    async read(subject) {
      await settle([subject])
      const { accounts, nowMs } = await store.readSpending({ subjects: [subject], txIds: [] })
      return { account: accounts[0] ?? null, nowMs }
    },
    async put(subject, rules, by) {
      const before = await store.putRules(subject, rules, by)
      // This node estimates fees for the new rules from the next request on; the others hear of them.
      await book.reload()
      return before
    },
  }
}
