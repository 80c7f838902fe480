/** Rule sets and their books in memory. */
import type { Charge, SpendingAccount, SpendingWrite } from '../../core/rules/judge.ts'
import { type SubjectId, subjectsOf } from '../../core/rules/rule-set.ts'
import { inclusionOf, isTerminal, type Queued, type Transaction } from '../../core/transaction/transaction.ts'
import type { SpendingStore } from '../../ports/spending-store.ts'
import { endOf, UNSTORED_AFTER_MS } from '../../store/rules/charge-end.ts'
import { findMemoryTransaction, type MemoryState, notify } from './memory-state.ts'

export function createMemorySpending(state: MemoryState): SpendingStore {
  const { accounts, charges } = state
  return {
    listAccounts: async () => structuredClone(bySubject([...accounts.values()])),
    readSpending: async ({ subjects, txIds }) => ({
      nowMs: state.now(),
      accounts: structuredClone(bySubject(subjects.flatMap((subject) => accounts.get(subject) ?? []))),
      charges: structuredClone(
        [...charges.values()].filter(({ txId, subject }) => txIds.includes(txId) && subjects.includes(subject)),
      ),
    }),
    writeSpending: async (write) => writeSpendingInMemory(state, write),
    readEnds: async (subjects, limit) =>
      [...charges.values()]
        .filter(({ subject }) => subjects.includes(subject))
        .sort((a, b) => a.at - b.at)
        .flatMap((charge) => {
          const tx = findMemoryTransaction(state, charge.txId)?.tx
          if (tx === undefined)
            return charge.at < state.now() - UNSTORED_AFTER_MS ? [endOf(structuredClone(charge), null, null)] : []
          return isTerminal(tx) ? [endOf(structuredClone(charge), tx.state, inclusionOf(tx))] : []
        })
        .slice(0, limit),
    putRules: async (subject, rules, by) => {
      const before = accounts.get(subject)
      if (rules === null) {
        accounts.delete(subject)
        for (const [key, charge] of charges) if (charge.subject === subject) charges.delete(key)
      } else {
        accounts.set(subject, {
          subject,
          rules: structuredClone(rules),
          ledger: before?.ledger ?? {},
          version: (before?.version ?? firstVersion(state)) + 1,
          updatedAt: state.now(),
          updatedBy: by,
        })
      }
      if (rules !== null || before !== undefined) releaseHeld(state, subject)
      return before === undefined ? null : structuredClone(before.rules)
    },
  }
}

function fitsInMemory(state: MemoryState, { accounts }: SpendingWrite): boolean {
  return accounts.every(({ subject, version }) => state.accounts.get(subject)?.version === version)
}

export function writeSpendingInMemory(state: MemoryState, write: SpendingWrite): boolean {
  if (!fitsInMemory(state, write)) return false
  for (const { subject, version, ledger } of write.accounts) {
    const account = state.accounts.get(subject)
    if (account === undefined) continue
    state.accounts.set(subject, { ...account, ledger: structuredClone(ledger), version: version + 1 })
  }
  for (const dropped of write.dropped) state.charges.delete(chargeKey(dropped))
  for (const charge of write.charges) state.charges.set(chargeKey(charge), structuredClone(charge))
  return true
}

export function hasRulesInMemory(state: MemoryState, tx: Transaction): boolean {
  return subjectsOf(tx.intent.lane.signer, tx.keyId).some((subject) => state.accounts.has(subject))
}

/** Whatever the old rules held is due now. */
function releaseHeld(state: MemoryState, subject: SubjectId): void {
  for (const { lane, transactions } of state.lanes.values()) {
    const held = [...transactions.values()].filter(({ tx }) => isHeldFor(tx, subject))
    for (const row of held) row.tx = { ...(row.tx as Queued), retryAt: state.now() }
    if (held.length > 0) notify(state, { type: 'lane.work', lane })
  }
  notify(state, { type: 'rules.changed' })
}

function isHeldFor(tx: Transaction, subject: SubjectId): boolean {
  return (
    tx.state === 'QUEUED' &&
    tx.subState === 'held_by_rule' &&
    subjectsOf(tx.intent.lane.signer, tx.keyId).includes(subject)
  )
}

function chargeKey({ txId, subject }: Pick<Charge, 'txId' | 'subject'>): string {
  return `${txId} ${subject}`
}

function bySubject(accounts: readonly SpendingAccount[]): readonly SpendingAccount[] {
  return [...accounts].sort((a, b) => (a.subject < b.subject ? -1 : 1))
}

/** Above all that were there before: rules that are removed and set again are other rules. */
function firstVersion(state: MemoryState): number {
  state.spendingVersions += 1_000_000
  return state.spendingVersions
}
