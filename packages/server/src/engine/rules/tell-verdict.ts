/** Reports what rules said about a transaction that is about to be accepted. */
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import type { Verdict } from '../../core/rules/judge.ts'
import type { NewTransaction } from '../../ports/store.ts'
import type { ReportRefusal } from './report-refusal.ts'

export function tellVerdict(
  report: ReportRefusal,
  { keyId, by = LOCAL_CALLER.name, intent }: Pick<NewTransaction, 'keyId' | 'by' | 'intent'>,
  { refused, reported }: Verdict,
): void {
  const path = `/v1/signers/${intent.lane.signer}`
  const work = { keyId: keyId ?? null, actor: by, where: 'acceptance', path } as const
  for (const each of [...(refused === null ? [] : [refused]), ...reported]) report(each, work)
}
