/** The store in PostgreSQL: the authority over every lane, lease, nonce and transaction. */
import type { Store } from '../../ports/store.ts'
import { createDatabase, type DatabaseOptions } from './database.ts'
import { readHeaders, saveHeaders } from './header-statements.ts'
import {
  countAhead,
  countQueued,
  createLaneLoads,
  listMined,
  readExpired,
  readNonceLine,
  readUnminedAge,
} from './lanes/lane-reads.ts'
import { deleteLaneEvents, deleteReservations } from './lanes/lane-retention.ts'
import {
  acquireLeases,
  lanesWithWork,
  listLeases,
  releaseLeases,
  renewLeases,
  requestLeases,
} from './lanes/lease-statements.ts'
import { orderReservations } from './lanes/order-reservations.ts'
import { setSendsPrivately } from './lanes/private-sends.ts'
import { createQueueReads } from './lanes/queue-reads.ts'
import { removeSigner } from './lanes/remove-signer.ts'
import {
  actOnReservation,
  createLaneRequestReads,
  findReservations,
  insertReservations,
  lanesAsked,
} from './lanes/reservation-statements.ts'
import { findReset, insertReset, listResets } from './lanes/reset-statements.ts'
import { listLaneStatus, listSigners, registerSigners, updateSigner } from './lanes/signer-statements.ts'
import { createTimeline } from './lanes/timeline.ts'
import { amend, writeLanes } from './lanes/write-lanes.ts'
import { heartbeat, listNodes, ping, removeNode } from './node-statements.ts'
import { createNoticeListener } from './notice-listener.ts'
import { createSpendingStatements } from './rules/spending-statements.ts'
import { findLastEventId, readCompletions, readEvents, readHistory } from './transactions/event-reads.ts'
import { insertTransactions } from './transactions/insert-transactions.ts'
import { deleteRetired, forgetRequests, retireTransactions } from './transactions/retention-statements.ts'
import { listTransactions } from './transactions/transaction-list.ts'
import {
  findRequests,
  findTransaction,
  findTransactionByHash,
  findTransactions,
} from './transactions/transaction-reads.ts'

export type PostgresStoreOptions = DatabaseOptions

/** Connects when first used. The schema must have been brought up to date by `migrate`. */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  const database = createDatabase(options)
  const timeline = createTimeline(database, options.telemetry)
  const notices = createNoticeListener({
    databaseUrl: options.databaseUrl,
    telemetry: options.telemetry,
    applicationName: options.applicationName ?? 'drover',
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
  })
  return {
    ping: () => ping(database),
    insertTransactions: (batch, spending) => insertTransactions(database, batch, spending),
    ...createSpendingStatements(database),
    countQueued: () => countQueued(database),
    readUnminedAge: (chainId) => readUnminedAge(database, chainId),
    retireTransactions: (look) => retireTransactions(database, look),
    deleteRetired: (retiredForMs, limit) => deleteRetired(database, retiredForMs, limit),
    forgetRequests: (deletedForMs, limit) => forgetRequests(database, deletedForMs, limit),
    deleteReservations: (finalForMs, limit) => deleteReservations(database, finalForMs, limit),
    deleteLaneEvents: (olderThanMs, limit, onlyArchived) =>
      deleteLaneEvents(database, olderThanMs, limit, onlyArchived),
    registerSigners: (signers, options) => registerSigners(database, signers, options),
    removeSigner: (signer, note) => removeSigner(database, signer, note),
    listSigners: () => listSigners(database),
    updateSigner: (lane, change, note) => updateSigner(database, lane, change, note),
    setSendsPrivately: (lanes, sendsPrivately, note) => setSendsPrivately(database, lanes, sendsPrivately, note),
    listLaneStatus: (filter) => listLaneStatus(database, filter),
    heartbeat: (node) => heartbeat(database, node),
    listNodes: () => listNodes(database),
    removeNode: (nodeId) => removeNode(database, nodeId),
    acquireLeases: (nodeId, lanes, ttlMs, privately) => acquireLeases(database, nodeId, lanes, ttlMs, privately),
    renewLeases: (nodeId, ttlMs) => renewLeases(database, nodeId, ttlMs),
    requestLeases: (nodeId, lanes) => requestLeases(database, nodeId, lanes),
    releaseLeases: (leases) => releaseLeases(database, leases),
    listLeases: () => listLeases(database),
    lanesWithWork: (nodeId) => lanesWithWork(database, nodeId),
    readExpired: (nodeId, limit, chains = new Map()) => readExpired(database, nodeId, limit, chains),
    insertReservations: (request) => insertReservations(database, request),
    findReservations: (ids) => findReservations(database, ids),
    actOnReservation: (id, lockOwner, act) => actOnReservation(database, id, lockOwner, act),
    orderReservations: (order) => orderReservations(database, order),
    insertReset: (reset) => insertReset(database, reset),
    findReset: (id) => findReset(database, id),
    listResets: (lane, limit) => listResets(database, lane, limit),
    readLaneRequests: createLaneRequestReads(database),
    lanesAsked: (nodeId) => lanesAsked(database, nodeId),
    loadLane: createLaneLoads(database, timeline),
    readNonceLine: (lane) => readNonceLine(database, lane),
    readQueue: createQueueReads(database),
    writeLanes: (writes) => writeLanes(database, writes, timeline.known()),
    amend: (save, nonces) => amend(database, save, nonces),
    findTransaction: (id) => findTransaction(database, id),
    findTransactions: (ids) => findTransactions(database, ids),
    findRequests: (keys) => findRequests(database, keys),
    findTransactionByHash: (hash) => findTransactionByHash(database, hash),
    listTransactions: (filter, page) => listTransactions(database, filter, page),
    countAhead: (id) => countAhead(database, id),
    listMined: (chainId, limit) => listMined(database, chainId, limit),
    readHistory: (id, page) => readHistory(database, id, page),
    readEvents: (after, limit, reach) => readEvents(database, after, limit, reach),
    readCompletions: (after, limit, reach) => readCompletions(database, after, limit, reach),
    findLastEventId: () => findLastEventId(database),
    saveHeaders: (chainId, headers, keepFrom) => saveHeaders(database, chainId, headers, keepFrom),
    readHeaders: (chainId, from, to) => readHeaders(database, chainId, from, to),
    listen: (listener) => notices.listen(listener),
    close: async () => {
      await Promise.all([notices.close(), database.close()])
    },
  }
}
