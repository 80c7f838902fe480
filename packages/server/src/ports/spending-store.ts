/** Rule sets and their books. Any node reads them, decides, and writes back only if nothing changed in between. */
import type { SpendingAccount, SpendingRead, SpendingWrite } from '../core/rules/judge.ts'
import type { RuleSet, SubjectId } from '../core/rules/rule-set.ts'
import type { ChargeEnd } from '../core/rules/settle.ts'
import type { TxId } from '../core/transaction/transaction.ts'

export interface SpendingStore {
  /** Every subject that has rules. */
  listAccounts(): Promise<readonly SpendingAccount[]>
  /** Those of the subjects that have rules, and what these transactions are charged with. One moment, one round trip. */
  readSpending(ask: { readonly subjects: readonly SubjectId[]; readonly txIds: readonly TxId[] }): Promise<SpendingRead>
  /** False: an account changed since it was read, and nothing was written. */
  writeSpending(write: SpendingWrite): Promise<boolean>
  /** Charges of transactions that have ended, or that were not stored within a minute, oldest first. */
  readEnds(subjects: readonly SubjectId[], limit: number): Promise<readonly ChargeEnd[]>
  /**
   * Sets the rules of a subject, or removes them and its books (null). What the old rules held is looked at again.
   * Returns the set before.
   */
  putRules(subject: SubjectId, rules: RuleSet | null, by: string): Promise<RuleSet | null>
}
