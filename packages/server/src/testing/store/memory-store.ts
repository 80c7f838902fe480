/**
 * The store as a model in memory: same answers, same refusals, no database. It has no timers and no chance of its own,
 * so a simulation that moves the clock by hand gets the same run every time. Each call happens at once, as one step;
 * only its answer comes later.
 */

import { ALL_LANES, mayUse, type Reach } from '../../core/access/caller.ts'
import { type Lane, laneKey } from '../../core/lane/lane.ts'
import { isTerminal } from '../../core/transaction/transaction.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import { isCompletion } from '../../core/webhook/event-filter.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { DeletedRequest, SignerRecord, Store } from '../../ports/store.ts'
import { LATEST_SCHEMA_VERSION } from '../../store/postgres/schema-version.ts'
import { freeze } from './freeze.ts'
import { appendLaneNotes, complete, readHistoryInMemory } from './memory-events.ts'
import {
  acquireInMemory,
  heartbeatInMemory,
  listLeasesInMemory,
  listNodesInMemory,
  releaseInMemory,
  renewInMemory,
  requestInMemory,
} from './memory-leases.ts'
import {
  countAheadInMemory,
  countQueuedInMemory,
  lanesWithWorkInMemory,
  listMinedInMemory,
  listStatusInMemory,
  listTransactionsInMemory,
  loadLaneInMemory,
  readExpiredInMemory,
  readHeadersInMemory,
  readNonceLineInMemory,
  readQueueInMemory,
  readUnminedAgeInMemory,
  saveHeadersInMemory,
} from './memory-reads.ts'
import { createMemoryRequests } from './memory-requests.ts'
import { createMemoryRetention } from './memory-retention.ts'
import { createMemorySpending } from './memory-spending.ts'
import {
  createMemoryState,
  findMemoryRequest,
  findMemoryTransaction,
  isRemoved,
  type MemoryState,
  notify,
  sortedLanes,
} from './memory-state.ts'
import { amendInMemory, insertInMemory, writeLanesInMemory } from './memory-writes.ts'

interface MemoryPorts {
  readonly clock: Pick<Clock, 'now'>
  /** For whoever wants to look inside; left out: nobody. */
  readonly state?: MemoryState
}

export function createMemoryStore({ clock, state = createMemoryState(() => clock.now()) }: MemoryPorts): Store {
  return {
    ping: async () => ({ schemaVersion: LATEST_SCHEMA_VERSION, nowMs: state.now() }),
    insertTransactions: async (batch, spending) => insertInMemory(state, batch, spending),
    ...createMemorySpending(state),
    countQueued: async () => countQueuedInMemory(state),
    readUnminedAge: async (chainId) => readUnminedAgeInMemory(state, chainId),
    ...createMemoryRetention(state),
    registerSigners: async (signers, options) => registerSigners(state, signers, options?.restores ?? false),
    removeSigner: async (signer, note) => removeInMemory(state, signer, note),
    listSigners: async () =>
      sortedLanes(state)
        .filter((lane) => !isRemoved(lane))
        .map(({ signer, health }) =>
          freeze(
            health.problems.some(({ code }) => code === 'key_unavailable') ? { ...signer, isKeyAway: true } : signer,
          ),
        ),
    updateSigner: async (lane, change, note) => updateSigner(state, lane, change, note),
    setSendsPrivately: async (lanes, sendsPrivately, note) =>
      setSendsPrivatelyInMemory(state, lanes, sendsPrivately, note),
    ...createMemoryRequests(state),
    listLaneStatus: async (filter) => listStatusInMemory(state, filter),
    heartbeat: async (node) => heartbeatInMemory(state, node),
    listNodes: async () => listNodesInMemory(state),
    removeNode: async (nodeId) => {
      if (state.nodes.delete(nodeId)) notify(state, { type: 'nodes.changed' })
    },
    acquireLeases: async (nodeId, lanes, ttlMs, privately) => acquireInMemory(state, nodeId, lanes, ttlMs, privately),
    renewLeases: async (nodeId, ttlMs) => renewInMemory(state, nodeId, ttlMs),
    requestLeases: async (nodeId, lanes) => requestInMemory(state, nodeId, lanes),
    releaseLeases: async (leases) => releaseInMemory(state, leases),
    listLeases: async () => listLeasesInMemory(state),
    lanesWithWork: async (nodeId) => lanesWithWorkInMemory(state, nodeId),
    readExpired: async (nodeId, limit, chains = new Map()) => readExpiredInMemory(state, nodeId, limit, chains),
    loadLane: async (lane) => loadLaneInMemory(state, lane),
    readNonceLine: async (lane) => readNonceLineInMemory(state, lane),
    readQueue: async (lane, limit, options) => readQueueInMemory(state, lane, limit, options),
    writeLanes: async (writes) => writeLanesInMemory(state, writes),
    amend: async (save, nonces) => amendInMemory(state, save, nonces),
    findTransaction: async (id) => orNull(findMemoryTransaction(state, id)?.tx),
    findTransactions: async (ids) =>
      [...new Set(ids)].flatMap((id) => orNull(findMemoryTransaction(state, id)?.tx) ?? []),
    findRequests: async (keys) =>
      keys.map(({ lane, tenant, requestId }) => {
        const id = findMemoryRequest(state.lanes.get(laneKey(lane)), tenant, requestId) ?? ''
        const retired = state.retired.get(id)
        const deleted: DeletedRequest | undefined = retired && {
          state: 'DELETED',
          id,
          requestDigest: retired.requestDigest,
        }
        return orNull(findMemoryTransaction(state, id)?.tx ?? deleted)
      }),
    findTransactionByHash: async (hash) => orNull(findMemoryTransaction(state, state.hashes.get(hash) ?? '')?.tx),
    listTransactions: async (filter, page) => listTransactionsInMemory(state, filter, page),
    countAhead: async (id) => countAheadInMemory(state, id),
    listMined: async (chainId, limit) => listMinedInMemory(state, chainId, limit),
    readHistory: async (id, page) => readHistoryInMemory(state, id, page),
    readCompletions: async (after, limit, reach) =>
      complete(state, eventsAfter(state, after, limit, reach, isCompletion)),
    readEvents: async (after, limit, reach) => complete(state, eventsAfter(state, after, limit, reach)),
    findLastEventId: async () => state.events.length,
    saveHeaders: async (chainId, headers, keepFrom) => saveHeadersInMemory(state, chainId, headers, keepFrom),
    readHeaders: async (chainId, from, to) => readHeadersInMemory(state, chainId, from, to),
    listen: (listener) => {
      const own: typeof listener = (notice) => listener(notice)
      state.listeners.add(own)
      return () => {
        state.listeners.delete(own)
      }
    },
    close: async () => state.listeners.clear(),
  }
}

function registerSigners(
  state: MemoryState,
  signers: Parameters<Store['registerSigners']>[0],
  restores: boolean,
): void {
  const before = state.lanes.size
  let restored = 0
  for (const { lane, policy, label } of signers) {
    const known = state.lanes.get(laneKey(lane))
    if (known !== undefined) {
      if (!restores || !isRemoved(known)) continue
      const { removedAt: _removedAt, ...signer } = known.signer
      known.signer = { ...signer, policy: structuredClone(policy), label }
      restored++
      continue
    }
    // Handed out as it is, with leases and notices, and so not to be changed by anyone.
    const own = Object.freeze({ ...lane })
    state.lanes.set(laneKey(lane), {
      lane: own,
      signer: { lane: own, policy: freeze(policy), label, paused: false, createdAt: state.now() },
      owner: null,
      fence: 0,
      expiresAt: Number.NEGATIVE_INFINITY,
      wantedBy: null,
      cursor: null,
      nonces: new Map(),
      live: new Map(),
      transactions: new Map(),
      requests: new Map(),
      reservations: new Map(),
      resets: [],
      health: {
        lastConfirmationAt: null,
        lastNonceMovementAt: null,
        lastSignedAt: null,
        balance: null,
        counts: null,
        window: null,
        txCost: null,
        problems: [],
      },
    })
  }
  if (state.lanes.size > before || restored > 0) notify(state, { type: 'nodes.changed' })
}

function removeInMemory(
  state: MemoryState,
  signer: SignerRecord['lane']['signer'],
  note: HistoryNote,
): Awaited<ReturnType<Store['removeSigner']>> {
  const lanes = sortedLanes(state).filter((lane) => lane.lane.signer === signer && !isRemoved(lane))
  if (lanes.length === 0) return { type: 'unknown' }
  const open = lanes.reduce((sum, { transactions, reservations }) => {
    const held = [...reservations.values()].filter(({ reservation }) => reservation.finalAt === null).length
    return sum + [...transactions.values()].filter(({ tx }) => !isTerminal(tx)).length + held
  }, 0)
  if (open > 0) return { type: 'busy', open }
  for (const row of lanes) {
    row.signer = { ...row.signer, removedAt: state.now() }
    appendLaneNotes(state, row.lane, null, [note])
  }
  notify(state, { type: 'nodes.changed' })
  notify(state, { type: 'events.appended' })
  return { type: 'removed', lanes: lanes.map(({ lane }) => lane) }
}

function setSendsPrivatelyInMemory(
  state: MemoryState,
  lanes: readonly Lane[],
  sendsPrivately: boolean,
  note: HistoryNote,
): readonly Lane[] {
  const wanted = new Set(lanes.map(laneKey))
  const changed = sortedLanes(state).filter(
    ({ lane, signer }) => wanted.has(laneKey(lane)) && (signer.sendsPrivately === true) !== sendsPrivately,
  )
  for (const row of changed) {
    const { sendsPrivately: _before, ...signer } = row.signer
    row.signer = { ...signer, ...(sendsPrivately && { sendsPrivately: true }) }
    appendLaneNotes(state, row.lane, null, [note])
  }
  if (changed.length > 0) {
    notify(state, { type: 'nodes.changed' })
    notify(state, { type: 'events.appended' })
  }
  return changed.map(({ lane }) => lane)
}

function updateSigner(
  state: MemoryState,
  lane: SignerRecord['lane'],
  change: Parameters<Store['updateSigner']>[1],
  note: HistoryNote,
): SignerRecord | null {
  const row = state.lanes.get(laneKey(lane))
  if (row === undefined) return null
  row.signer = { ...row.signer, ...freeze(change) }
  appendLaneNotes(state, row.lane, null, [note])
  notify(state, { type: 'lane.work', lane: row.lane })
  notify(state, { type: 'nodes.changed' })
  notify(state, { type: 'events.appended' })
  return freeze(row.signer)
}

function eventsAfter(
  { events, deleted, deletedEvents }: MemoryState,
  after: number,
  limit: number,
  reach: Reach = ALL_LANES,
  isWanted: (event: HistoryEntry) => boolean = () => true,
): readonly HistoryEntry[] {
  const found: HistoryEntry[] = []
  for (let at = Math.max(0, after); at < events.length && found.length < limit; at++) {
    const event = events[at]
    if (event === undefined || deletedEvents.has(event.eventId)) continue
    if (event.txId !== null && deleted.has(event.txId)) continue
    if (mayUse(reach, event.lane) && isWanted(event)) found.push(event)
  }
  return found
}

function orNull<T>(value: T | undefined): T | null {
  return value === undefined ? null : freeze(value)
}
