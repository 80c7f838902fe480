/**
 * The store as a model in memory: same answers, same refusals, no database. It has no timers and no chance of its own,
 * so a simulation that moves the clock by hand gets the same run every time. Each call happens at once, as one step;
 * only its answer comes later.
 */

import { ALL_LANES, mayUse, type Reach } from '../../core/access/caller.ts'
import { laneKey } from '../../core/lane/lane.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import { isCompletion } from '../../core/webhook/event-filter.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { SignerRecord, Store } from '../../ports/store.ts'
import { LATEST_SCHEMA_VERSION } from '../../store/postgres/schema-version.ts'
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
  saveHeadersInMemory,
} from './memory-reads.ts'
import { createMemoryRequests } from './memory-requests.ts'
import { createMemoryRetention } from './memory-retention.ts'
import {
  createMemoryState,
  findMemoryRequest,
  findMemoryTransaction,
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
    insertTransactions: async (batch) => insertInMemory(state, batch),
    countQueued: async () => countQueuedInMemory(state),
    ...createMemoryRetention(state),
    registerSigners: async (signers) => registerSigners(state, signers),
    listSigners: async () => sortedLanes(state).map(({ signer }) => structuredClone(signer)),
    updateSigner: async (lane, change, note) => updateSigner(state, lane, change, note),
    ...createMemoryRequests(state),
    listLaneStatus: async (filter) => listStatusInMemory(state, filter),
    heartbeat: async (node) => heartbeatInMemory(state, node),
    listNodes: async () => listNodesInMemory(state),
    removeNode: async (nodeId) => {
      if (state.nodes.delete(nodeId)) notify(state, { type: 'nodes.changed' })
    },
    acquireLeases: async (nodeId, lanes, ttlMs) => acquireInMemory(state, nodeId, lanes, ttlMs),
    renewLeases: async (nodeId, ttlMs) => renewInMemory(state, nodeId, ttlMs),
    requestLeases: async (nodeId, lanes) => requestInMemory(state, nodeId, lanes),
    releaseLeases: async (leases) => releaseInMemory(state, leases),
    listLeases: async () => listLeasesInMemory(state),
    lanesWithWork: async (nodeId) => lanesWithWorkInMemory(state, nodeId),
    readExpired: async (nodeId, limit) => readExpiredInMemory(state, nodeId, limit),
    loadLane: async (lane) => loadLaneInMemory(state, lane),
    readNonceLine: async (lane) => readNonceLineInMemory(state, lane),
    readQueue: async (lane, limit, options) => readQueueInMemory(state, lane, limit, options),
    writeLanes: async (writes) => writeLanesInMemory(state, writes),
    amend: async (save, nonces) => amendInMemory(state, save, nonces),
    findTransaction: async (id) => copy(findMemoryTransaction(state, id)?.tx),
    findTransactions: async (ids) =>
      [...new Set(ids)].flatMap((id) => copy(findMemoryTransaction(state, id)?.tx) ?? []),
    findRequests: async (keys) =>
      keys.map(({ lane, tenant, requestId }) => {
        const id = findMemoryRequest(state.lanes.get(laneKey(lane)), tenant, requestId)
        return copy(findMemoryTransaction(state, id ?? '')?.tx)
      }),
    findTransactionByHash: async (hash) => copy(findMemoryTransaction(state, state.hashes.get(hash) ?? '')?.tx),
    listTransactions: async (filter, page) => listTransactionsInMemory(state, filter, page),
    countAhead: async (id) => countAheadInMemory(state, id),
    listMined: async (chainId, limit) => listMinedInMemory(state, chainId, limit),
    readHistory: async (id, page) => readHistoryInMemory(state, id, page),
    readCompletions: async (after, limit, reach) =>
      complete(state, eventsAfter(state, after, reach).filter(isCompletion).slice(0, limit)),
    readEvents: async (after, limit, reach) => complete(state, eventsAfter(state, after, reach).slice(0, limit)),
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

function registerSigners(state: MemoryState, signers: Parameters<Store['registerSigners']>[0]): void {
  const before = state.lanes.size
  for (const { lane, policy, label } of signers) {
    if (state.lanes.has(laneKey(lane))) continue
    // Handed out as it is, with leases and notices, and so not to be changed by anyone.
    const own = Object.freeze({ ...lane })
    state.lanes.set(laneKey(lane), {
      lane: own,
      signer: { lane: own, policy: structuredClone(policy), label, paused: false, createdAt: state.now() },
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
        balance: null,
        counts: null,
        window: null,
        txCost: null,
        problems: [],
      },
    })
  }
  if (state.lanes.size > before) notify(state, { type: 'nodes.changed' })
}

function updateSigner(
  state: MemoryState,
  lane: SignerRecord['lane'],
  change: Parameters<Store['updateSigner']>[1],
  note: HistoryNote,
): SignerRecord | null {
  const row = state.lanes.get(laneKey(lane))
  if (row === undefined) return null
  row.signer = { ...row.signer, ...structuredClone(change) }
  appendLaneNotes(state, row.lane, null, [note])
  notify(state, { type: 'lane.work', lane: row.lane })
  notify(state, { type: 'nodes.changed' })
  notify(state, { type: 'events.appended' })
  return structuredClone(row.signer)
}

function eventsAfter(state: MemoryState, after: number, reach: Reach = ALL_LANES): readonly HistoryEntry[] {
  return state.events
    .slice(Math.max(0, after))
    .filter(({ lane, txId }) => mayUse(reach, lane) && !(txId !== null && state.deleted.has(txId)))
}

function copy<T>(value: T | undefined): T | null {
  return value === undefined ? null : structuredClone(value)
}
