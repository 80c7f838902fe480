/**
 * Reads the books, judges, and writes what was decided; if another node wrote in between, all of it again. Of several
 * nodes at the same books one always gets through, so this ends. Before anything is refused for want of room, what ended
 * since is settled: it may free some.
 */
import { type JudgeItem, judgeAll, type SpendingWrite, type Verdict } from '../../core/rules/judge.ts'
import type { SubjectId } from '../../core/rules/rule-set.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import type { SettleCharges } from './settle-charges.ts'

export interface Judged {
  readonly verdicts: readonly Verdict[]
  /** By the database's clock. */
  readonly nowMs: number
}

export type KeepBooks = (
  items: readonly JudgeItem[],
  /** Writes; false: the books have changed, and everything is judged again. */
  write: (write: SpendingWrite, judged: Judged) => Promise<boolean>,
) => Promise<Judged>

const MAX_ROUNDS = 200

export function createKeepBooks(ports: {
  readonly store: Pick<Store, 'readSpending'>
  readonly settle: SettleCharges
}): KeepBooks {
  return async (items, write) => {
    const subjects = [...new Set(items.flatMap((item) => item.subjects))]
    const txIds = items.map(({ txId }) => txId)
    let hasSettled = false
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const read = await ports.store.readSpending({ subjects, txIds })
      const { verdicts, write: books } = judgeAll(read, items)
      if (!hasSettled && verdicts.some(lacksRoom)) {
        hasSettled = true
        if ((await ports.settle(lackingSubjects(verdicts))) > 0) continue
      }
      const judged = { verdicts, nowMs: read.nowMs }
      if (await write(books, judged)) return judged
    }
    throw new StoreUnavailable('the books of a spending rule are too busy')
  }
}

function lacksRoom({ refused }: Verdict): boolean {
  return refused !== null && refused.refusal.window !== null
}

function lackingSubjects(verdicts: readonly Verdict[]): readonly SubjectId[] {
  return [...new Set(verdicts.flatMap(({ refused }) => (refused === null ? [] : [refused.subject])))]
}
