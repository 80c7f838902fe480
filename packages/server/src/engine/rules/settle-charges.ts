/** Replaces what ended transactions could have spent by what they did spend. Any node may do it, at any time. */
import type { SubjectId } from '../../core/rules/rule-set.ts'
import { type ChargeEnd, settleAll } from '../../core/rules/settle.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { Store } from '../../ports/store.ts'

/** Returns how many were settled. */
export type SettleCharges = (subjects: readonly SubjectId[]) => Promise<number>

/** For transactions that were charged and then not stored, because an earlier request had the same id. */
export type ReleaseCharges = (txIds: readonly TxId[], subjects: readonly SubjectId[]) => Promise<number>

type BookStore = Pick<Store, 'readEnds' | 'readSpending' | 'writeSpending'>

const BATCH = 500
/** Others write to the same books: whoever comes later tries again, a few times. */
const TRIES = 5

export function createSettleCharges(store: BookStore): SettleCharges {
  return async (subjects) =>
    subjects.length === 0 ? 0 : await settleEnds(store, () => store.readEnds(subjects, BATCH))
}

export function createReleaseCharges(store: BookStore): ReleaseCharges {
  return (txIds, subjects) =>
    settleEnds(store, async () => {
      const { charges } = await store.readSpending({ subjects, txIds })
      return charges.map((charge) => ({ charge, mined: null }))
    })
}

async function settleEnds(store: BookStore, find: () => Promise<readonly ChargeEnd[]>): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const ends = await find()
    if (ends.length === 0) return 0
    const own = [...new Set(ends.map(({ charge }) => charge.subject))]
    const read = await store.readSpending({ subjects: own, txIds: ends.map(({ charge }) => charge.txId) })
    const isOpen = new Set(read.charges.map(({ txId, subject, at }) => `${txId} ${subject} ${at}`))
    const open = ends.filter(({ charge: { txId, subject, at } }) => isOpen.has(`${txId} ${subject} ${at}`))
    if (open.length === 0) return 0
    if (await store.writeSpending(settleAll(read.accounts, open, read.nowMs))) return open.length
  }
  return 0
}
