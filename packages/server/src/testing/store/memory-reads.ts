/** Reads of the in-memory store. Every answer is frozen: a caller cannot change it. */
import { ALL_LANES, mayUse } from '../../core/access/caller.ts'
import { isReached } from '../../core/chain/chain-time.ts'
import type { Header } from '../../core/chain/finality.ts'
import { type Lane, laneKey } from '../../core/lane/lane.ts'
import { holdsNonce } from '../../core/lane/reservation.ts'
import { awaitsApproval } from '../../core/transaction/await-approval.ts'
import { PAUSED_ALONE } from '../../core/transaction/deferral.ts'
import {
  type Intent,
  inclusionOf,
  isInFlight,
  nonceOf,
  type Queued,
  type Transaction,
  type TxId,
} from '../../core/transaction/transaction.ts'
import type { MinedTransaction } from '../../ports/history.ts'
import type { ChainTimes, NonceLine, QueueDepth, QueueOptions } from '../../ports/lane-queue.ts'
import type { LoadedLane } from '../../ports/lane-write.ts'
import type { LaneStatus, Page, PageRequest, Store, TransactionFilter } from '../../ports/store.ts'
import { readPageCursor } from '../../store/rules/tx-id.ts'
import { freeze } from './freeze.ts'
import { heldBy } from './memory-leases.ts'
import { openReservations } from './memory-requests.ts'
import { hasRulesInMemory } from './memory-spending.ts'
import {
  findMemoryTransaction,
  isLeaseLive,
  isRemoved,
  type MemoryLane,
  type MemoryState,
  type MemoryTransaction,
  sortedLanes,
} from './memory-state.ts'

export function loadLaneInMemory(state: MemoryState, wanted: Lane): LoadedLane {
  const lane = state.lanes.get(laneKey(wanted))
  if (lane === undefined) return { cursor: null, inFlight: [], recyclable: [], window: null, seen: NOTHING_SEEN }
  const inFlight = transactionsOf(lane)
    .filter(isInFlight)
    .sort((a, b) => a.nonce - b.nonce)
  const recyclable = [...lane.nonces.values()].filter((mark) => mark.status === 'RECYCLABLE').map((mark) => mark.nonce)
  const { balance, txCost, problems } = lane.health
  return {
    cursor: lane.cursor,
    inFlight: freeze(inFlight),
    recyclable: recyclable.sort((a, b) => a - b),
    window: lane.health.window,
    seen: freeze({ balance, txCost, problems }),
  }
}

const NOTHING_SEEN = { balance: null, txCost: null, problems: [] }

export function readNonceLineInMemory(state: MemoryState, wanted: Lane): NonceLine {
  const lane = state.lanes.get(laneKey(wanted))
  const { cursor, recyclable } = loadLaneInMemory(state, wanted)
  const queued = lane === undefined ? [] : lineUp(state, lane).filter(({ tx }) => tx.intent.priority >= 0)
  return { cursor, recyclable, queued: queued.length }
}

export function readQueueInMemory(
  state: MemoryState,
  wanted: Lane,
  limit: number,
  { passOverUnfunded = false, passOverPaused = false }: QueueOptions = {},
): readonly Queued[] {
  const lane = state.lanes.get(laneKey(wanted))
  if (lane === undefined) return []
  return freeze(
    lineUp(state, lane)
      .filter(({ tx }) => {
        if ((tx.retryAt ?? 0) <= state.now()) return true
        if (passOverUnfunded && tx.subState === 'waiting_for_funds') return false
        return !(passOverPaused && tx.error !== null && PAUSED_ALONE.includes(tx.error.code))
      })
      .slice(0, limit)
      .map(({ tx }) => (hasRulesInMemory(state, tx) ? { ...tx, hasRules: true } : tx)),
  )
}

export function lanesWithWorkInMemory(state: MemoryState, nodeId: string): readonly Lane[] {
  return heldBy(state, nodeId)
    .filter((lane) => lineUp(state, lane).length > 0)
    .map(({ lane }) => lane)
}

/** Suspended ones too: a deadline does not wait for an operator. */
export function readExpiredInMemory(
  state: MemoryState,
  nodeId: string,
  limit: number,
  chains: ChainTimes,
): readonly Queued[] {
  const deadline = (tx: Transaction): number => {
    const approveBy = awaitsApproval(tx) ? tx.approval?.expiresAt : undefined
    return Math.min(tx.intent.validUntil ?? Number.POSITIVE_INFINITY, approveBy ?? Number.POSITIVE_INFINITY)
  }
  const isReleased = ({ intent: { lane, notBefore }, subState }: Transaction): boolean => {
    const chain = chains.get(lane.chainId)
    return subState === 'scheduled' && notBefore !== undefined && chain !== undefined && isReached(notBefore, chain)
  }
  const since = (tx: Transaction): number => (deadline(tx) <= state.now() ? deadline(tx) : tx.createdAt)
  const found = heldBy(state, nodeId)
    .flatMap(transactionsOf)
    .filter((tx) => tx.state === 'QUEUED')
    .filter((tx) => deadline(tx) <= state.now() || isReleased(tx))
    .sort((a, b) => since(a) - since(b) || (a.id < b.id ? -1 : 1))
  return freeze(found.slice(0, limit))
}

export function countAheadInMemory(state: MemoryState, id: TxId): number | null {
  const row = findMemoryTransaction(state, id)
  const lane = state.laneOf.get(id)
  if (row === undefined || lane === undefined || row.tx.state !== 'QUEUED') return null
  return lineUp(state, lane).filter((other) => comparePlaces(other, row) < 0).length
}

type QueuedRow = MemoryTransaction & { readonly tx: Queued }

function lineUp(state: MemoryState, lane: MemoryLane): readonly QueuedRow[] {
  return [...lane.transactions.values()].filter((row) => isInLine(row, state.now())).sort(comparePlaces)
}

/** Those that wait for approval, a rule, or their time let others pass. */
function isInLine(row: MemoryTransaction, now: number): row is QueuedRow {
  const { tx } = row
  if (tx.state !== 'QUEUED' || tx.suspended || tx.subState === 'awaiting_approval' || tx.subState === 'scheduled')
    return false
  return tx.subState !== 'held_by_rule' || (tx.retryAt ?? 0) <= now
}

function comparePlaces(a: MemoryTransaction, b: MemoryTransaction): number {
  return b.tx.intent.priority - a.tx.intent.priority || a.acceptedSeq - b.acceptedSeq
}

export function listTransactionsInMemory(
  state: MemoryState,
  filter: TransactionFilter,
  { after, limit, order = 'desc' }: PageRequest,
): Page<Transaction> {
  const place = readPageCursor(after)
  const isPast = ({ acceptedSeq }: MemoryTransaction) =>
    place === null || (order === 'asc' ? acceptedSeq > place : acceptedSeq < place)
  const matches = [...state.lanes.values()]
    .flatMap(({ transactions }) => [...transactions.values()])
    .filter((row) => isMatch(row.tx, filter) && isKnownTo(row, filter) && isPast(row))
    .sort((a, b) => (order === 'asc' ? a.acceptedSeq - b.acceptedSeq : b.acceptedSeq - a.acceptedSeq))
  const shown = matches.slice(0, limit)
  return {
    items: freeze(shown.map(({ tx }) => tx)),
    next: matches.length > limit ? (shown.at(-1)?.acceptedSeq.toString() ?? null) : null,
  }
}

function isMatch(tx: Transaction, filter: TransactionFilter): boolean {
  const { chainId, from, states, subState, hash, nonce, since, until, reach = ALL_LANES } = filter
  return (
    mayUse(reach, tx.intent.lane) &&
    (chainId === undefined || tx.intent.lane.chainId === chainId) &&
    (from === undefined || tx.intent.lane.signer === from) &&
    (states === undefined || states.includes(tx.state)) &&
    (subState === undefined || tx.subState === subState) &&
    (hash === undefined || tx.attempts.some((attempt) => attempt.hash === hash)) &&
    (nonce === undefined || nonceOf(tx) === nonce) &&
    (since === undefined || tx.createdAt >= since) &&
    (until === undefined || tx.createdAt < until) &&
    isAskedFor(tx.intent, filter)
  )
}

function isKnownTo({ tenant }: MemoryTransaction, { requestsOf }: TransactionFilter): boolean {
  return requestsOf === undefined || tenant === requestsOf || tenant === ''
}

function isAskedFor(intent: Intent, { to, requestId, requestIdPrefix, metadata = {} }: TransactionFilter): boolean {
  return (
    (to === undefined || intent.to === to) &&
    (requestId === undefined || intent.requestId === requestId) &&
    (requestIdPrefix === undefined || (intent.requestId?.startsWith(requestIdPrefix) ?? false)) &&
    Object.entries(metadata).every(([key, value]) => intent.metadata[key] === value)
  )
}

export function listMinedInMemory(state: MemoryState, chainId: number, limit: number): readonly MinedTransaction[] {
  return [...state.lanes.values()]
    .filter(({ lane }) => lane.chainId === chainId)
    .flatMap(({ transactions }) => [...transactions.values()])
    .flatMap((row) => (row.tx.state === 'TRACKING' && row.tx.inclusion !== null ? [{ ...row, tx: row.tx }] : []))
    .sort((a, b) => (b.tx.minedAt ?? 0) - (a.tx.minedAt ?? 0) || b.acceptedSeq - a.acceptedSeq)
    .slice(0, limit)
    .flatMap(({ tx: { id, intent, inclusion } }) => {
      if (inclusion === null) return []
      const { blockNumber, blockHash } = inclusion
      return [freeze({ txId: id, lane: intent.lane, blockNumber, blockHash, finality: intent.finality })]
    })
}

export function listStatusInMemory(
  state: MemoryState,
  { lane: wanted, reach = ALL_LANES, troubled = false }: Parameters<Store['listLaneStatus']>[0],
): readonly LaneStatus[] {
  return sortedLanes(state)
    .filter(({ lane }) => mayUse(reach, lane))
    .filter((each) => (wanted === undefined ? !isRemoved(each) : laneKey(each.lane) === laneKey(wanted)))
    .map((lane) => {
      const transactions = transactionsOf(lane)
      const { owner: nodeId, fence, expiresAt } = lane
      return {
        signer: freeze(lane.signer),
        cursor: lane.cursor,
        queued: transactions.filter((tx) => tx.state === 'QUEUED').length,
        inFlight: transactions.filter(isInFlight).length,
        stuck: transactions.filter((tx) => tx.state === 'STUCK').length,
        reserved: openReservations(lane)
          .filter(holdsNonce)
          .filter(({ yieldedAt, nonce }) => yieldedAt === null || !lane.live.has(nonce)).length,
        stuckReserved: openReservations(lane).filter(({ alarm }) => alarm !== null).length,
        lowestReserved: findLowestReserved(lane),
        free: [...lane.nonces.values()].filter((mark) => mark.status === 'RECYCLABLE').length,
        health: freeze(lane.health),
        lease: nodeId === null ? null : { nodeId, fence, expiresAt, live: isLeaseLive(state, lane) },
      }
    })
    .filter((status) => !troubled || isTroubled(status))
}

function isTroubled({ health, lease, queued, inFlight }: LaneStatus): boolean {
  return health.problems.length > 0 || (!(lease?.live ?? false) && queued + inFlight > 0)
}

export function countQueuedInMemory(state: MemoryState): readonly QueueDepth[] {
  return sortedLanes(state).flatMap(({ lane, transactions }) => {
    const counts = new Map<string, { queued: number; oldestAt: number }>()
    for (const { tx, tenant } of transactions.values()) {
      if (tx.state !== 'QUEUED') continue
      const { queued, oldestAt } = counts.get(tenant) ?? { queued: 0, oldestAt: state.now() }
      const waitsSince = tx.subState === 'scheduled' ? oldestAt : tx.createdAt
      counts.set(tenant, { queued: queued + 1, oldestAt: Math.min(oldestAt, waitsSince) })
    }
    return [...counts].map(([tenant, count]) => ({ lane, tenant, ...count }))
  })
}

export function readUnminedAgeInMemory(state: MemoryState, chainId: number): number | null {
  const since = sortedLanes(state)
    .filter(({ lane }) => lane.chainId === chainId)
    .flatMap(({ transactions }) => [...transactions.values()])
    .flatMap(({ tx }) => (isInFlight(tx) && inclusionOf(tx) === null && !tx.suspended ? [tx.waitingSince] : []))
  return since.length === 0 ? null : state.now() - Math.min(...since)
}

function findLowestReserved(lane: MemoryLane): LaneStatus['lowestReserved'] {
  const [lowest] = openReservations(lane)
    .filter(holdsNonce)
    .filter(({ inclusion }) => inclusion === null)
    .sort((a, b) => a.nonce - b.nonce)
  if (lowest === undefined) return null
  return {
    reservationId: lowest.id,
    nonce: lowest.nonce,
    lockedUntil: lowest.lockedUntil,
    tenant: lowest.tenant,
    holder: lowest.holder,
    hash: lowest.hashes.at(-1) ?? null,
    alarm: lowest.alarm?.cause ?? null,
    isUsed: lowest.state === 'USED',
    isFilling: lowest.fillOrderedAt !== null,
  }
}

/** Keeps one linked chain: a block that no longer fits takes all above it along. */
export function saveHeadersInMemory(
  state: MemoryState,
  chainId: number,
  headers: readonly Header[],
  keepFrom: number,
): void {
  const chain = state.headers.get(chainId) ?? new Map<number, Header>()
  state.headers.set(chainId, chain)
  const given = headers.filter((header) => header.number >= keepFrom).sort((a, b) => a.number - b.number)
  for (const header of given) chain.set(header.number, { ...header })
  const top = given.at(-1)
  const above = top && chain.get(top.number + 1)
  const isCut = top !== undefined && above !== undefined && above.parentHash !== top.hash
  for (const number of chain.keys()) {
    if (number < keepFrom || (isCut && number > top.number)) chain.delete(number)
  }
}

export function readHeadersInMemory(state: MemoryState, chainId: number, from: number, to: number): readonly Header[] {
  return [...(state.headers.get(chainId)?.values() ?? [])]
    .filter((header) => header.number >= from && header.number <= to)
    .sort((a, b) => a.number - b.number)
    .map((header) => ({ ...header }))
}

function transactionsOf(lane: MemoryLane): Transaction[] {
  return [...lane.transactions.values()].map(({ tx }) => tx)
}
