/** Which entry of docs/runbook.md says what to do about a transaction that needs a person. */
import type { Transaction } from '../transaction/transaction.ts'
import type { Cause } from './explanation.ts'

const ENTRIES: Readonly<Partial<Record<Cause, string>>> = {
  chain_unreachable: 'chain-unreachable',
  chain_standing: 'chain-standing',
  chain_rewound: 'chain-rewound',
  nonces_missing: 'final-reorg',
  no_owner: 'node-down',
  waiting_for_funds: 'out-of-funds',
  fee_above_cap: 'fee-above-cap',
  foreign_nonce: 'foreign-nonce',
  nonce_gap: 'nonce-drift',
  blocked_by_reservation: 'blocked-by-reservation',
}

const RUNBOOK = 'docs/runbook.md'

/** Null: nobody has to do anything. */
export function findRunbookEntry({ state }: Pick<Transaction, 'state'>, cause: Cause): string | null {
  const entry = ENTRIES[cause] ?? (state === 'STUCK' ? 'stuck' : null)
  return entry === null ? null : `${RUNBOOK}#${entry}`
}
