/** Acceptance and lane writes of the in-memory store: everything is checked before anything is changed. */
import { laneKey } from '../../core/lane/lane.ts'
import type { SpendingWrite } from '../../core/rules/judge.ts'
import { isTerminal, nonceOf, type Transaction } from '../../core/transaction/transaction.ts'
import type { AmendResult, LaneWrite, LaneWriteResult, NonceMark, TxSave } from '../../ports/lane-write.ts'
import type { InsertOutcome, NewTransaction } from '../../ports/store.ts'
import { bindingSubjects } from '../../store/rules/binding-subjects.ts'
import { acceptedNote } from '../../store/rules/history-note.ts'
import { toQueued } from '../../store/rules/queued-transaction.ts'
import { takesNonces } from '../../store/rules/takes-nonces.ts'
import { freeze } from './freeze.ts'
import { appendLaneNotes, appendNotes } from './memory-events.ts'
import { answerReset, isOpen, isResetPossible, seeHealth, storeReservation } from './memory-lane-writes.ts'
import { writeSpendingInMemory } from './memory-spending.ts'
import {
  findMemoryRequest,
  findMemoryTransaction,
  isLeaseLive,
  isRemoved,
  type MemoryLane,
  type MemoryState,
  type MemoryTransaction,
  noteMemoryRequest,
  notify,
} from './memory-state.ts'

export function insertInMemory(
  state: MemoryState,
  batch: readonly NewTransaction[],
  spending?: SpendingWrite,
): readonly InsertOutcome[] {
  const fits = spending === undefined || writeSpendingInMemory(state, spending)
  const touched = new Set<MemoryLane>()
  const outcomes = batch.map((entry) => {
    const outcome = insertOne(state, entry, fits)
    const lane = state.lanes.get(laneKey(entry.intent.lane))
    if (outcome.type === 'inserted' && lane !== undefined) touched.add(lane)
    return outcome
  })
  for (const { lane } of touched) notify(state, { type: 'lane.work', lane })
  if (touched.size > 0) notify(state, { type: 'events.appended' })
  return outcomes
}

function insertOne(state: MemoryState, entry: NewTransaction, fits: boolean): InsertOutcome {
  const { id, intent, by, tenant = '', keyId, approval, judgedBy = [] } = entry
  const lane = state.lanes.get(laneKey(intent.lane))
  if (lane === undefined || isRemoved(lane)) return { type: 'unknown_signer' }
  const byRequest = intent.requestId === null ? undefined : findMemoryRequest(lane, tenant, intent.requestId)
  const earlier = findMemoryTransaction(state, id) ?? (byRequest && findMemoryTransaction(state, byRequest))
  if (earlier) {
    return earlier.tx.intent.requestDigest === intent.requestDigest
      ? { type: 'existing', transaction: freeze(earlier.tx) }
      : { type: 'conflict', transactionId: earlier.tx.id }
  }
  const retired = byRequest === undefined ? undefined : state.retired.get(byRequest)
  if (byRequest !== undefined && retired !== undefined) {
    const isSame = retired.requestDigest === intent.requestDigest
    return { type: isSame ? 'deleted' : 'conflict', transactionId: byRequest }
  }
  const unjudged = bindingSubjects(entry).some((subject) => state.accounts.has(subject) && !judgedBy.includes(subject))
  if (unjudged || (judgedBy.length > 0 && !fits)) return { type: 'not_judged' }
  const own = { ...(keyId !== undefined && { keyId }), ...(approval !== undefined && { approval }) }
  const queued = freeze(toQueued({ id, intent, ...own }, state.now()))
  state.acceptedSeq += 1
  const { acceptedSeq } = state
  const row: MemoryTransaction = { tx: queued, acceptedSeq, tenant, routine: new Map() }
  lane.transactions.set(id, row)
  state.laneOf.set(id, lane)
  if (intent.requestId !== null) noteMemoryRequest(lane, tenant, intent.requestId, id)
  appendNotes(state, row, null, null, [acceptedNote(by)])
  return { type: 'inserted', transaction: queued }
}

export function writeLanesInMemory(state: MemoryState, writes: readonly LaneWrite[]): readonly LaneWriteResult[] {
  const keys = writes.map(({ lease }) => laneKey(lease.lane))
  if (new Set(keys).size !== keys.length) throw new Error('a lane has two writes in one call')
  for (const write of writes) assertOfLane(write)
  return writes.map((write) => writeLane(state, write))
}

function assertOfLane({ lease, saves, reservations }: LaneWrite): void {
  const ids = new Set(saves.map(({ tx }) => tx.id))
  if (ids.size !== saves.length) throw new Error('a transaction is saved twice in one write')
  for (const { tx } of saves) {
    if (laneKey(tx.intent.lane) !== laneKey(lease.lane)) throw new Error(`transaction ${tx.id} is not of the lane`)
  }
  for (const { reservation } of reservations) {
    const { id, lane } = reservation
    if (laneKey(lane) !== laneKey(lease.lane)) throw new Error(`reservation ${id} is not of the lane`)
  }
}

function writeLane(state: MemoryState, write: LaneWrite): LaneWriteResult {
  const { lease, cursor, saves, nonces } = write
  const lane = state.lanes.get(laneKey(lease.lane))
  if (lane === undefined || !isLeaseLive(state, lane)) return { type: 'fenced' }
  if (lane.owner !== lease.nodeId || lane.fence !== lease.fence) return { type: 'fenced' }
  if (lane.signer.paused && takesNonces(write)) return { type: 'stale', detail: 'the lane is paused' }
  if (cursor !== null && cursor.expected !== lane.cursor) return { type: 'stale', detail: 'the cursor has moved' }
  if (!saves.every((save) => isCurrent(lane, save)) || !write.reservations.every((save) => isOpen(lane, save))) {
    return { type: 'stale', detail: 'a transaction or reservation changed or is final' }
  }
  if (!isResetPossible(lane, write))
    return { type: 'stale', detail: 'the reset is answered, or a nonce above it is alive' }
  const refusal = findRefusal(state, lane, write)
  if (refusal !== null) return { type: 'refused', detail: refusal }
  answerReset(state, lane, write)
  if (cursor !== null) lane.cursor = cursor.next
  for (const save of write.reservations) storeReservation(state, lane, save)
  for (const mark of nonces) lane.nonces.set(mark.nonce, { ...mark })
  lane.health = seeHealth(lane.health, write)
  let added = appendLaneNotes(state, lane.lane, lease, write.notes)
  for (const save of saves) added += store(state, lane, save, lease)
  if (added > 0) notify(state, { type: 'events.appended' })
  return { type: 'written', versions: saves.map((save) => save.before.version + 1) }
}

export function amendInMemory(state: MemoryState, save: TxSave, nonces: readonly NonceMark[]): AmendResult {
  const lane = state.laneOf.get(save.tx.id)
  if (lane === undefined || !isCurrent(lane, save)) return { type: 'stale' }
  const refusal = findRefusal(state, lane, { cursor: null, saves: [save], nonces, reset: null })
  if (refusal !== null) throw new Error(`an amendment of ${save.tx.id} was refused: ${refusal}`)
  for (const mark of nonces) lane.nonces.set(mark.nonce, { ...mark })
  const added = store(state, lane, save, null)
  notify(state, { type: 'lane.amended', lane: lane.lane, txId: save.tx.id })
  if (added > 0) notify(state, { type: 'events.appended' })
  return { type: 'written', version: save.before.version + 1 }
}

function isCurrent(lane: MemoryLane, { before, tx }: TxSave): boolean {
  const row = lane.transactions.get(tx.id)
  return row !== undefined && row.tx.version === before.version && !isTerminal(row.tx)
}

/** The constraints of the database, or null where all hold. */
function findRefusal(
  state: MemoryState,
  lane: MemoryLane,
  { cursor, saves, nonces, reset }: Pick<LaneWrite, 'cursor' | 'saves' | 'nonces' | 'reset'>,
): string | null {
  const goesBack = cursor !== null && lane.cursor !== null && cursor.next < lane.cursor
  if (goesBack && reset === null) return 'the cursor never goes back'
  for (const mark of new Map(nonces.map((each) => [each.nonce, each])).values()) {
    const had = lane.nonces.get(mark.nonce)
    const isYielded = had?.status === 'RESERVED' && holderOf(had) === null
    const isFree = had === undefined || had.status === 'RECYCLABLE' || isYielded
    const holder = holderOf(mark)
    if (!isFree && holder !== null && holder !== holderOf(had)) return `nonce ${mark.nonce} is taken`
  }
  return findKnownAttempt(state, saves) ?? findSharedNonce(lane, saves)
}

function holderOf({ txId, reservationId }: NonceMark): string | null {
  return txId ?? reservationId ?? null
}

function findKnownAttempt(state: MemoryState, saves: readonly TxSave[]): string | null {
  const given = new Set<string>()
  for (const { tx, before } of saves) {
    for (const { hash } of tx.attempts.slice(before.attemptCount)) {
      if (state.hashes.has(hash) || given.has(hash)) return `attempt ${hash} exists`
      given.add(hash)
    }
  }
  return null
}

function findSharedNonce(lane: MemoryLane, saves: readonly TxSave[]): string | null {
  const saved = new Set(saves.map(({ tx }) => tx.id))
  const taken = new Set<number>()
  for (const { tx } of saves) {
    const nonce = liveNonce(tx)
    if (nonce === null) continue
    const holder = lane.live.get(nonce)
    if (taken.has(nonce) || (holder !== undefined && !saved.has(holder))) {
      return `two live transactions share nonce ${nonce}`
    }
    taken.add(nonce)
  }
  return null
}

function liveNonce(tx: Transaction): number | null {
  return isTerminal(tx) ? null : nonceOf(tx)
}

function store(
  state: MemoryState,
  lane: MemoryLane,
  { before, tx, notes }: TxSave,
  by: { readonly nodeId: string; readonly fence: number } | null,
): number {
  const row = lane.transactions.get(tx.id)
  if (row === undefined) throw new Error(`transaction ${tx.id} vanished`)
  // What was accepted stays as it was: a save carries it along but cannot change it.
  const { id, intent, createdAt } = row.tx
  const had = liveNonce(row.tx)
  const has = liveNonce(tx)
  if (had !== null && had !== has && lane.live.get(had) === id) lane.live.delete(had)
  if (has !== null) lane.live.set(has, id)
  row.tx = freeze({ ...tx, id, intent, createdAt, version: before.version + 1 })
  for (const { hash } of tx.attempts.slice(before.attemptCount)) state.hashes.set(hash, tx.id)
  return appendNotes(state, row, before.state, by, notes)
}
