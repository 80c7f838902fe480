/** Everything that enforces spending rules on a node, around one set of books. */
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createJudgeFires, type JudgeFires } from './judge-fires.ts'
import { createKeepBooks } from './keep-books.ts'
import { createReportRefusal, type RefusalReport } from './report-refusal.ts'
import { createReviewSigning, type ReviewSigning } from './review-signing.ts'
import { createRuleBook, type RuleBook } from './rule-book.ts'
import { createRuledInsert, type RuledInsert } from './ruled-insert.ts'
import { createReleaseCharges, createSettleCharges, type ReleaseCharges, type SettleCharges } from './settle-charges.ts'

export interface SpendingRules {
  readonly book: RuleBook
  /** Acceptance, in place of the store's own insert. */
  readonly insertTransactions: RuledInsert
  readonly signing: ReviewSigning
  readonly judgeFires: JudgeFires
  readonly settle: SettleCharges
  close(): void
}

interface RulesPorts {
  readonly store: Store
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Puts a refusal into the audit, within its quota. */
  record(report: RefusalReport): void
}

/** Books are settled before they refuse anything; this only keeps the charges of quiet subjects few. */
const SETTLE_INTERVAL_MS = 60_000

export function createSpendingRules({ store, clock, telemetry, record }: RulesPorts): SpendingRules {
  const book = createRuleBook({ store, clock, telemetry })
  const settle = createSettleCharges(store)
  const keepBooks = createKeepBooks({ store, settle })
  const report = createReportRefusal({ telemetry, record })
  const releaseCharges = createReleaseCharges(store)
  const release: ReleaseCharges = (...charged) =>
    releaseCharges(...charged).catch((error: unknown) => {
      telemetry.log('warn', 'could not take back the charge of a repeated request; it is settled in a minute', {
        error: String(error),
      })
      return 0
    })
  const ports = { store, book, keepBooks, report, clock, release }
  let cancel = schedule()

  function schedule(): () => void {
    return clock.schedule(SETTLE_INTERVAL_MS, () => {
      settle(book.subjects()).catch((error: unknown) => {
        telemetry.log('warn', 'could not settle what was spent; retrying', { error: String(error) })
      })
      cancel = schedule()
    })
  }

  return {
    book,
    insertTransactions: createRuledInsert(ports),
    signing: createReviewSigning(ports),
    judgeFires: createJudgeFires(ports),
    settle,
    close: () => {
      cancel()
      book.close()
    },
  }
}
