/**
 * The rules once more, before anything is signed: they may be stricter by now, and the fee is known. A transaction that
 * a rule holds keeps its place in the queue, holds no nonce and no room in the books, and those behind it go first. The
 * empty transactions that keep a signer going are counted and never refused.
 */
import { maxPricePerGas } from '../../core/fees/fees.ts'
import { isMet } from '../../core/rules/approval.ts'
import type { Refused, Verdict } from '../../core/rules/judge.ts'
import { spellSubject, subjectsOf } from '../../core/rules/rule-set.ts'
import { isFill } from '../../core/transaction/fill.ts'
import type { Attempt, InFlight, Queued, TxError, TxId } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Preparation } from '../queue/prepare.ts'
import type { Judged, KeepBooks } from './keep-books.ts'
import type { ReportRefusal } from './report-refusal.ts'
import type { RuleBook } from './rule-book.ts'
import { approvalFor, wantOf } from './want.ts'

export interface ReviewSigning {
  /** Replaces what may not be signed now. */
  review(preparations: readonly Preparation[]): Promise<readonly Preparation[]>
  /** Whether sent bytes may be signed again at this price; null: yes. */
  reviewBump(tx: InFlight, offer: Pick<Attempt, 'gasLimit' | 'fees'>): Promise<TxError | null>
}

/** For an engine without rules. */
export const NO_REVIEW: ReviewSigning = {
  review: async (preparations) => preparations,
  reviewBump: async () => null,
}

interface ReviewPorts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly store: Pick<Store, 'writeSpending'>
  readonly book: RuleBook
  readonly keepBooks: KeepBooks
  readonly report: ReportRefusal
}

type Ready = Extract<Preparation, { type: 'ready' }>

/** A window may free up, or others may turn out cheaper than they could have been. */
const WINDOW_RETRY_MS = 5 * 60_000
/** Only other rules help, and setting them is a reason to look at once. */
const STATIC_RETRY_MS = 60 * 60_000

/** A price that was refused is offered again with every block: the books are not asked that often. */
const BUMP_RETRY_MS = 60_000
const MAX_REMEMBERED = 1_000

export function createReviewSigning({ store, book, keepBooks, report, clock }: ReviewPorts): ReviewSigning {
  const refusedBumps = new Map<TxId, { readonly until: number; readonly error: TxError }>()

  const isBound = (tx: Queued): boolean =>
    tx.hasRules === true || (isFill(tx.intent) && book.binds(subjectsOf(tx.intent.lane.signer, tx.keyId)))

  return {
    async review(preparations) {
      const bound = preparations.filter((one): one is Ready => one.type === 'ready' && isBound(one.tx))
      if (bound.length === 0) return preparations
      const judged = await keepBooks(bound.map(toJudgeItem), writeTo(store))
      const replaced = new Map<Preparation, Preparation>()
      for (const [index, ready] of bound.entries()) {
        const verdict = judged.verdicts[index]
        if (verdict === undefined) continue
        tell(ready.tx, verdict, report)
        replaced.set(ready, toPreparation(ready, verdict, judged))
      }
      return preparations.map((one) => replaced.get(one) ?? one)
    },
    async reviewBump(tx, { gasLimit, fees }) {
      const subjects = subjectsOf(tx.intent.lane.signer, tx.keyId)
      await book.freshen()
      if (!book.binds(subjects)) return null
      const known = refusedBumps.get(tx.id)
      const isOrdered = tx.requestedReplacement !== 'none'
      if (known !== undefined && !isOrdered && clock.monotonic() < known.until) return known.error
      refusedBumps.delete(tx.id)
      const wanted = wantOf(tx.intent, gasLimit * maxPricePerGas(fees))
      const isExempt = isFill(tx.intent)
      const { verdicts } = await keepBooks([{ txId: tx.id, subjects, wanted, isExempt, isSent: true }], writeTo(store))
      const refused = verdicts[0]?.refused ?? null
      if (refused === null) return null
      const error = { ...toError(refused), code: 'bump_held_by_rule' }
      if (refusedBumps.size >= MAX_REMEMBERED) refusedBumps.clear()
      refusedBumps.set(tx.id, { until: clock.monotonic() + BUMP_RETRY_MS, error })
      return error
    },
  }
}

function writeTo(store: ReviewPorts['store']): Parameters<KeepBooks>[1] {
  return async (write) => (write.accounts.length === 0 ? true : await store.writeSpending(write))
}

function toJudgeItem({ tx, gasLimit, fees }: Ready) {
  return {
    txId: tx.id,
    subjects: subjectsOf(tx.intent.lane.signer, tx.keyId),
    wanted: wantOf(tx.intent, gasLimit * maxPricePerGas(fees)),
    isExempt: isFill(tx.intent),
  }
}

function toPreparation(ready: Ready, verdict: Verdict, { nowMs }: Judged): Preparation {
  const { tx } = ready
  if (verdict.refused !== null) {
    const retryAt = nowMs + (verdict.refused.refusal.window === null ? STATIC_RETRY_MS : WINDOW_RETRY_MS)
    return { type: 'held', tx, error: toError(verdict.refused), retryAt }
  }
  const votes = tx.approval?.votes ?? []
  const missing = verdict.needs.filter((need) => !isMet(need, votes))
  const approval = approvalFor({ needs: missing }, nowMs, votes)
  return approval === null ? ready : { type: 'unapproved', tx, approval }
}

/** Only when it starts to wait: looking again and finding the same is no news. */
function tell(tx: Queued, { refused, reported }: Verdict, report: ReportRefusal): void {
  const work = {
    keyId: tx.keyId ?? null,
    actor: 'drover',
    where: 'signing',
    path: `/v1/transactions/${tx.id}`,
  }
  const isNews = tx.subState !== 'held_by_rule' || tx.error?.reason !== refused?.refusal.rule
  for (const each of [...(refused === null || !isNews ? [] : [refused]), ...reported])
    report(each, { ...work, where: 'signing' })
}

function toError({ subject, refusal }: Refused): TxError {
  const message = `${refusal.rule} of ${spellSubject(subject)}: ${refusal.message}`
  return { code: 'held_by_rule', message, reason: refusal.rule }
}
