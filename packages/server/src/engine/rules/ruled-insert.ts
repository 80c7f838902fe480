/**
 * Stores accepted transactions, and first holds those that rules bind against the books. The charge and the transaction
 * are stored by one statement, so nothing passes a cap by racing. Where nothing has rules this is the plain insert, and
 * the insert itself says so if this node did not know of a rule.
 */
import type { Refused, Verdict } from '../../core/rules/judge.ts'
import { subjectsOf } from '../../core/rules/rule-set.ts'
import { isFill } from '../../core/transaction/fill.ts'
import type { InsertOutcome, NewTransaction, Store } from '../../ports/store.ts'
import type { Judged, KeepBooks } from './keep-books.ts'
import type { ReportRefusal } from './report-refusal.ts'
import type { RuleBook } from './rule-book.ts'
import type { ReleaseCharges } from './settle-charges.ts'
import { tellVerdict } from './tell-verdict.ts'
import { approvalFor, namedFee, wantOf } from './want.ts'

export type RuledOutcome =
  | Exclude<InsertOutcome, { readonly type: 'not_judged' }>
  | { readonly type: 'refused_by_rule'; readonly refused: Refused }

export type RuledInsert = (batch: readonly NewTransaction[]) => Promise<readonly RuledOutcome[]>

interface InsertPorts {
  readonly store: Pick<Store, 'insertTransactions'>
  readonly book: RuleBook
  readonly keepBooks: KeepBooks
  readonly report: ReportRefusal
  readonly release: ReleaseCharges
}

interface Item {
  readonly place: number
  readonly entry: NewTransaction
}

type Outcomes = Map<number, RuledOutcome>

export function createRuledInsert({ store, book, keepBooks, report, release }: InsertPorts): RuledInsert {
  /** Returns those that rules bind. */
  async function insertPlain(items: readonly Item[], outcomes: Outcomes): Promise<readonly Item[]> {
    const results = await store.insertTransactions(items.map(({ entry }) => entry))
    return items.filter((item, index) => !keep(outcomes, item, results[index]))
  }

  /** False: the books have changed. Repeating it is harmless: what was stored already is found by its id. */
  async function insertJudged(
    items: readonly Item[],
    outcomes: Outcomes,
    { verdicts, nowMs }: Judged,
    write: Parameters<Store['insertTransactions']>[1],
  ): Promise<boolean> {
    const going = items.flatMap((item, index) => {
      const verdict = verdicts[index]
      return verdict?.refused === null ? [{ ...item, entry: withVerdict(item.entry, verdict, nowMs) }] : []
    })
    if (going.length === 0) return true
    const isBound = going.some(({ entry }) => entry.judgedBy?.length)
    const entries = going.map(({ entry }) => entry)
    const results = await store.insertTransactions(entries, ...(isBound && write !== undefined ? [write] : []))
    const kept = going.filter((item, index) => keep(outcomes, item, results[index]))
    if (isBound) await releaseUnstored(going, results)
    return kept.length === going.length
  }

  /** A repeat was charged before the insert found the first one. If this fails, it is settled later. */
  async function releaseUnstored(items: readonly Item[], results: readonly InsertOutcome[]): Promise<void> {
    const unstored = items.filter(({ entry }, index) => isUnstored(entry, results[index])).map(({ entry }) => entry)
    if (unstored.length === 0) return
    const subjects = new Set(unstored.flatMap(({ intent, keyId }) => subjectsOf(intent.lane.signer, keyId)))
    await release(
      unstored.map(({ id }) => id),
      [...subjects],
    )
  }

  return async (batch) => {
    const outcomes: Outcomes = new Map()
    const items = batch.map((entry, place) => ({ place, entry }))
    const isBound = items.some(({ entry }) => book.binds(subjectsOf(entry.intent.lane.signer, entry.keyId)))
    const open = isBound ? items : await insertPlain(items, outcomes)
    if (open.length > 0) {
      const asked = open.map(({ entry }) => toJudgeItem(entry))
      const { verdicts } = await keepBooks(asked, (write, judged) => insertJudged(open, outcomes, judged, write))
      for (const [index, { place, entry }] of open.entries()) {
        const verdict = verdicts[index]
        if (verdict === undefined) continue
        if (verdict.refused !== null) outcomes.set(place, { type: 'refused_by_rule', refused: verdict.refused })
        tellVerdict(report, entry, verdict)
      }
    }
    return batch.map(({ id }, place) => {
      const outcome = outcomes.get(place)
      if (outcome === undefined) throw new Error(`the insert of ${id} has no outcome`)
      return outcome
    })
  }
}

/** The first outcome of an item counts. False: it is still open. */
function keep(outcomes: Outcomes, { place }: Item, outcome: InsertOutcome | undefined): boolean {
  if (outcome === undefined || outcome.type === 'not_judged') return false
  if (!outcomes.has(place)) outcomes.set(place, outcome)
  return true
}

/** Under its own id, it was stored by an earlier attempt whose answer was lost. */
function isUnstored({ id }: NewTransaction, outcome: InsertOutcome | undefined): boolean {
  switch (outcome?.type) {
    case 'existing':
      return outcome.transaction.id !== id
    case 'conflict':
    case 'deleted':
    case 'unknown_signer':
      return true
    default:
      return false
  }
}

export function toJudgeItem({ id, intent, keyId, feeWei }: NewTransaction) {
  return {
    txId: id,
    subjects: subjectsOf(intent.lane.signer, keyId),
    wanted: wantOf(intent, feeWei ?? namedFee(intent)),
    isExempt: isFill(intent),
  }
}

export function withVerdict(entry: NewTransaction, verdict: Verdict, nowMs: number): NewTransaction {
  const approval = approvalFor(verdict, nowMs)
  return { ...entry, judgedBy: verdict.judgedBy, ...(approval !== null && { approval }) }
}
