/** Which entry of docs/runbook.md says what to do about whatever needs a person. */
import type { ChainState } from '../chain/chain-health.ts'
import type { LaneProblemCode } from '../lane/lane-problem.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { Cause } from './explanation.ts'

const ENTRIES: Readonly<Partial<Record<Cause, string>>> = {
  chain_unreachable: 'chain-unreachable',
  chain_standing: 'chain-stalled',
  chain_rewound: 'chain-rewound',
  send_endpoint_away: 'send-endpoint-away',
  nonces_missing: 'final-reorg',
  no_owner: 'node-down',
  waiting_for_funds: 'out-of-funds',
  waiting_for_key: 'key-unavailable',
  fee_above_cap: 'fee-above-cap',
  held_by_rule: 'held-by-rule',
  awaiting_approval: 'awaiting-approval',
  foreign_nonce: 'foreign-nonce',
  nonce_gap: 'nonce-drift',
  blocked_by_reservation: 'blocked-by-reservation',
}

const LANE_ENTRIES: Readonly<Record<LaneProblemCode, string>> = {
  no_owner: 'node-down',
  owner_silent: 'node-down',
  key_unavailable: 'key-unavailable',
  foreign_nonce: 'foreign-nonce',
  stuck: 'stuck',
  out_of_funds: 'out-of-funds',
  fee_above_cap: 'fee-above-cap',
  blocked_by_reservation: 'blocked-by-reservation',
  balance_low: 'balance-low',
}

const CHAIN_ENTRIES: Readonly<Partial<Record<ChainState, string>>> = {
  unreachable: 'chain-unreachable',
  standing: 'chain-stalled',
  rewound: 'chain-rewound',
}

const RUNBOOK = 'docs/runbook.md'

export const DATABASE_ENTRY = `${RUNBOOK}#database-down`
export const SILENT_NODE_ENTRY = `${RUNBOOK}#node-down`
export const KEY_STORE_ENTRY = `${RUNBOOK}#key-unavailable`
export const TAKEOVER_ENTRY = `${RUNBOOK}#takeover`
export const FINAL_REORG_ENTRY = `${RUNBOOK}#final-reorg`

const [ENDPOINT_ENTRY, WRONG_CHAIN_ENTRY] = [`${RUNBOOK}#rpc-endpoint`, `${RUNBOOK}#rpc-wrong-chain`]

export function endpointRunbookEntry(isWrongChain: boolean): string {
  return isWrongChain ? WRONG_CHAIN_ENTRY : ENDPOINT_ENTRY
}

/** Null: the chain only starts. */
export function chainRunbookEntry(state: ChainState): string | null {
  const entry = CHAIN_ENTRIES[state]
  return entry === undefined ? null : `${RUNBOOK}#${entry}`
}

/** Null: nobody has to do anything. */
export function findRunbookEntry({ state }: Pick<Transaction, 'state'>, cause: Cause): string | null {
  const entry = ENTRIES[cause] ?? (state === 'STUCK' ? 'stuck' : null)
  return entry === null ? null : `${RUNBOOK}#${entry}`
}

export function laneRunbookEntry(code: LaneProblemCode): string {
  return `${RUNBOOK}#${LANE_ENTRIES[code]}`
}
