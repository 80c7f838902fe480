/** The subjects whose rules a new transaction has to pass. Empty transactions that fill a gap are never refused. */
import { type SubjectId, subjectsOf } from '../../core/rules/rule-set.ts'
import { isFill } from '../../core/transaction/fill.ts'
import type { NewTransaction } from '../../ports/store.ts'

export function bindingSubjects({ intent, keyId }: Pick<NewTransaction, 'intent' | 'keyId'>): readonly SubjectId[] {
  return isFill(intent) ? [] : subjectsOf(intent.lane.signer, keyId)
}
