/** Lane writes as the JSON rows that the writing statement takes. */
import type { Confirmation } from '../../../core/chain/finality.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import { awaitsApproval } from '../../../core/transaction/await-approval.ts'
import { isTerminal, type Transaction } from '../../../core/transaction/transaction.ts'
import type { HistoryNote } from '../../../core/transaction/tx-event.ts'
import type { ReservationSave } from '../../../ports/lane-requests.ts'
import type { LaneWrite, NonceMark, TxSave } from '../../../ports/lane-write.ts'
import { type CountedNote, compactNotes } from '../../rules/history-note.ts'
import { findLaneTimes } from '../../rules/lane-times.ts'
import { takesNonces } from '../../rules/takes-nonces.ts'
import { toBytes, toJson, toStored, toTime } from '../json-text.ts'

/** A lane write, or an amendment, which carries no lease. */
export interface Change {
  readonly lane: Lane
  readonly by: { readonly nodeId: string; readonly fence: number } | null
  readonly cursor: LaneWrite['cursor']
  readonly saves: readonly TxSave[]
  readonly nonces: readonly NonceMark[]
  readonly notes: LaneWrite['notes']
  readonly reservations: LaneWrite['reservations']
  readonly reset: LaneWrite['reset']
  readonly balance: LaneWrite['balance']
  readonly counts?: LaneWrite['counts']
  readonly window?: LaneWrite['window']
  readonly txCost?: LaneWrite['txCost']
  readonly problems?: LaneWrite['problems']
  /** Payload of a notice to send if it is written. */
  readonly notice: string | null
}

/** The values of the statement: lanes, saves, reservations and proofs. `timeline`: the last known one of the server. */
export function toStatementValues(
  changes: readonly Change[],
  timeline: number | null,
): readonly [string, string, string, string] {
  const saves: unknown[] = []
  const proofs = createProofs()
  const reservations = changes.flatMap((change, lane) =>
    change.reservations.map((save) => toReservationRow(save, lane, change.by)),
  )
  for (const [lane, change] of changes.entries()) {
    for (const save of change.saves) saves.push(toSaveRow(save, saves.length, lane, proofs))
  }
  return [
    toJson(changes.map((change, ord) => ({ ...toLaneRow(change, ord), timeline }))),
    toJson(saves),
    toJson(reservations),
    toJson(proofs.list),
  ]
}

/** All transactions of a block are confirmed by the same blocks: each list is sent once. */
function createProofs() {
  const list: (readonly Confirmation[])[] = []
  const places = new Map<string, number>()
  return {
    list,
    /** Where the list is. */
    place(confirmations: readonly Confirmation[]): number {
      const key = confirmations.map(({ blockHash }) => blockHash).join()
      const known = places.get(key)
      if (known !== undefined) return known
      places.set(key, list.length)
      return list.push(confirmations) - 1
    },
  }
}

function toLaneRow(change: Change, ord: number) {
  const { lane, by, cursor, saves, nonces, notice, notes, reservations, reset, balance, counts, window } = change
  const { txCost, problems } = change
  const { minedAt, confirmedAt, signedAt } = findLaneTimes(change)
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
    notes: notes.length === 0 ? null : notes.map(toLaneNoteRow),
    reservations: reservations.length,
    reset_id: reset?.id ?? null,
    reset_state: reset?.state ?? null,
    refusal: reset?.refusal ?? null,
    reset_txs: reset?.state === 'CANCELLING' ? reset.txIds : null,
    mined_at: toTime(minedAt),
    final_at: toTime(confirmedAt),
    signed_at: toTime(signedAt),
    balance: toStored(balance?.wei ?? null),
    balance_at: toTime(balance?.at ?? null),
    latest: counts?.latest ?? null,
    pending: counts?.pending ?? null,
    counts_at: toTime(counts?.at ?? null),
    drift: counts?.drift ?? null,
    send_window: window ?? null,
    tx_cost: toStored(txCost?.wei ?? null),
    tx_cost_samples: txCost?.samples ?? null,
    problems: problems ?? null,
    takes: takesNonces(change),
  }
}

function toLaneNoteRow({ type, cause, detail }: HistoryNote, ord: number) {
  return { ord, type, cause, detail: toStored(detail) }
}

function toReservationRow({ before, reservation, locks }: ReservationSave, lane: number, by: Change['by']) {
  const { id, state, nonce, inclusion, result, reservedAt, minedAt, finalAt, alarm, yieldedAt } = reservation
  return {
    lane,
    reservation_id: id,
    version: before.version,
    state,
    nonce,
    fencing_token: nonce === null ? null : (by?.fence ?? null),
    locks,
    inclusion: toStored(inclusion),
    result,
    reserved_at: toTime(reservedAt),
    mined_at: toTime(minedAt),
    final_at: toTime(finalAt),
    alarm: alarm?.cause ?? null,
    alarm_at: toTime(alarm?.at ?? null),
    yielded_at: toTime(yieldedAt),
  }
}

/** A statement can change each row only once, and only its last mark counts. */
function lastMarks(nonces: readonly NonceMark[]) {
  if (nonces.length === 0) return null
  const byNonce = new Map(nonces.map((mark) => [mark.nonce, mark]))
  return [...byNonce.values()].map(({ nonce, status, txId, reservationId }) => ({
    nonce,
    status,
    tx_id: txId,
    reservation_id: reservationId ?? null,
  }))
}

/**
 * One literal with every column: rows of one shape are built and written several times as fast as rows put together.
 * Most columns are null most of the time: undefined is left out of the JSON, and so is read as null.
 */
function toSaveRow(save: TxSave, ord: number, lane: number, proofs: ReturnType<typeof createProofs>) {
  const { before, tx } = save
  const notes = compactNotes(save, before.state)
  const signed = 'fence' in tx ? tx : null
  const waiting = tx.state === 'QUEUED' ? tx : null
  const ended = isTerminal(tx) ? tx : null
  const proven = ended !== null && ended.nonce !== null ? ended : null
  const mined = tx.state === 'TRACKING' ? tx : proven
  return {
    ord,
    lane,
    tx_id: tx.id,
    version: before.version,
    state: tx.state,
    sub_state: tx.subState,
    error: tx.error ?? undefined,
    suspended: tx.suspended,
    retry_at: timeOf(waiting?.retryAt),
    prepare_failures: waiting?.prepareFailures ?? 0,
    nonce: signed?.nonce,
    fencing_token: signed?.fence,
    node_id: signed?.nodeId,
    allocated_at: timeOf(signed?.allocatedAt),
    waiting_since: timeOf(signed?.waitingSince),
    submitted_at: timeOf(signed?.submittedAt),
    last_submit_at: timeOf(signed?.lastSubmitAt),
    submit_count: signed?.submitCount,
    refusals: signed?.refusals,
    next_resubmit_at: timeOf(signed?.nextResubmitAt),
    new_forks: signed?.newForks,
    wish: signed?.requestedReplacement,
    may_be_held: signed?.mayBeHeld,
    refusal: signed?.refusal,
    inclusion: mined?.inclusion ? toStored(mined.inclusion) : undefined,
    mined_at: timeOf(mined?.minedAt),
    proof: proven?.confirmations ? proofs.place(proven.confirmations) : undefined,
    stuck_at: timeOf(tx.state === 'STUCK' ? tx.stuckAt : null),
    final_at: timeOf(ended?.finalAt),
    approval: tx.approval,
    approve_by: timeOf(awaitsApproval(tx) ? tx.approval?.expiresAt : null),
    attempts: toAttemptRows(tx, before.attemptCount) ?? undefined,
    notes: notes.map(toNoteRow),
    note_count: notes.length,
    may_repeat: notes[0]?.mayRepeat ?? false,
    opens_after: findOpening(notes) ?? undefined,
  }
}

function timeOf(ms: number | null | undefined): string | undefined {
  return ms === undefined ? undefined : (toTime(ms) ?? undefined)
}

/** Routine notes that may repeat come first, so the first note says whether it is worth looking. */
function toNoteRow({ type, cause, detail, count, from, to, subState, mayRepeat }: CountedNote, ord: number) {
  return {
    ord,
    type,
    cause: cause ?? undefined,
    detail: toStored(detail),
    count,
    from_state: from ?? undefined,
    to_state: to,
    sub_state: subState,
    may_repeat: mayRepeat,
  }
}

/** How many entries precede the first that may be counted from now on. Null if that does not change. */
function findOpening(notes: readonly CountedNote[]): number | null {
  const place = notes.findLastIndex(({ opens }) => opens !== 'nothing')
  if (place < 0) return null
  return notes[place]?.opens === 'with_itself' ? place : place + 1
}

function toAttemptRows(tx: Transaction, stored: number) {
  if (tx.attempts.length <= stored) return null
  return tx.attempts.slice(stored).map((attempt, index) => ({
    hash: toBytes(attempt.hash),
    ordinal: stored + index,
    raw: toBytes(attempt.raw),
    kind: attempt.kind,
    nonce: attempt.nonce,
    gas_limit: toStored(attempt.gasLimit),
    fees: toStored(attempt.fees),
    created_at: toTime(attempt.createdAt),
  }))
}
