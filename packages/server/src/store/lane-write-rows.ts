/** Lane writes as the JSON rows that the writing statement takes. */
import type { Lane } from '../core/lane.ts'
import type { Transaction } from '../core/transaction.ts'
import type { LaneWrite, NonceMark, TxSave } from '../ports/store.ts'
import { compactNotes } from './history-note.ts'
import { toBytes, toJson, toTime } from './json-text.ts'

/** A lane write, or an amendment, which carries no lease. */
export interface Change {
  readonly lane: Lane
  readonly by: { readonly nodeId: string; readonly fence: number } | null
  readonly cursor: LaneWrite['cursor']
  readonly saves: readonly TxSave[]
  readonly nonces: readonly NonceMark[]
  /** Payload of a notice to send if it is written. */
  readonly notice: string | null
}

/** The values of the statement: lanes and saves. */
export function toStatementValues(changes: readonly Change[]): readonly [string, string] {
  const saves: unknown[] = []
  for (const [lane, change] of changes.entries()) {
    for (const save of change.saves) saves.push(toSaveRow(save, saves.length, lane, change.by))
  }
  return [toJson(changes.map(toLaneRow)), toJson(saves)]
}

function toLaneRow({ lane, by, cursor, saves, nonces, notice }: Change, ord: number) {
  return {
    ord,
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    owner_node: by?.nodeId ?? null,
    fence: by?.fence ?? null,
    moves: cursor !== null,
    expected: cursor?.expected ?? null,
    next: cursor?.next ?? null,
    saves: saves.length,
    nonces: lastMarks(nonces),
    notice,
  }
}

/** One row of the table can change once in a statement, and only its last mark counts. */
function lastMarks(nonces: readonly NonceMark[]) {
  if (nonces.length === 0) return null
  const byNonce = new Map(nonces.map((mark) => [mark.nonce, mark]))
  return [...byNonce.values()].map(({ nonce, status, txId }) => ({ nonce, status, tx_id: txId }))
}

function toSaveRow(save: TxSave, ord: number, lane: number, by: Change['by']) {
  const { before, tx } = save
  const notes = compactNotes(save)
  return {
    ord,
    lane,
    tx_id: tx.id,
    version: before.version,
    from_state: before.state,
    by_node: by?.nodeId ?? null,
    by_fence: by?.fence ?? null,
    ...toLifeColumns(tx),
    attempts: toAttemptRows(tx, before.attemptCount),
    notes: notes.map(({ type, cause, detail, count }, place) => ({ ord: place, type, cause, detail, count })),
    note_count: notes.length,
    first_count: notes[0]?.count ?? null,
    first_key: notes[0]?.key ?? null,
    last_key: notes.at(-1)?.key ?? null,
  }
}

/** What a state does not carry is left out, which makes its column null. */
function toLifeColumns(tx: Transaction) {
  const base = {
    state: tx.state,
    sub_state: tx.subState,
    error: tx.error,
    suspended: tx.suspended,
    prepare_failures: 'prepareFailures' in tx ? tx.prepareFailures : 0,
  }
  switch (tx.state) {
    case 'QUEUED':
      return { ...base, retry_at: toTime(tx.retryAt) }
    case 'ALLOCATED':
      return { ...base, ...toSignedColumns(tx) }
    case 'TRACKING':
      return { ...base, ...toSignedColumns(tx), inclusion: tx.inclusion, mined_at: toTime(tx.minedAt) }
    case 'STUCK':
      return { ...base, ...toSignedColumns(tx), stuck_at: toTime(tx.stuckAt) }
    case 'CONFIRMED':
    case 'FAILED_FINAL':
    case 'CANCELLED':
    case 'EXPIRED':
      if (tx.nonce === null) return { ...base, final_at: toTime(tx.finalAt) }
      return {
        ...base,
        ...toSignedColumns(tx),
        inclusion: tx.inclusion,
        confirmations: tx.confirmations,
        mined_at: toTime(tx.minedAt),
        final_at: toTime(tx.finalAt),
      }
  }
}

type Signed = Extract<Transaction, { readonly fence: number }>

function toSignedColumns(tx: Signed) {
  return {
    nonce: tx.nonce,
    fencing_token: tx.fence,
    node_id: tx.nodeId,
    allocated_at: toTime(tx.allocatedAt),
    waiting_since: toTime(tx.waitingSince),
    submitted_at: toTime(tx.submittedAt),
    last_submit_at: toTime(tx.lastSubmitAt),
    submit_count: tx.submitCount,
    refusals: tx.refusals,
    next_resubmit_at: toTime(tx.nextResubmitAt),
    new_forks: tx.newForks,
  }
}

function toAttemptRows(tx: Transaction, stored: number) {
  if (tx.attempts.length <= stored) return null
  return tx.attempts.slice(stored).map((attempt, index) => ({
    hash: toBytes(attempt.hash),
    ordinal: stored + index,
    raw: toBytes(attempt.raw),
    kind: attempt.kind,
    nonce: attempt.nonce,
    gas_limit: attempt.gasLimit,
    fees: attempt.fees,
    created_at: toTime(attempt.createdAt),
  }))
}
