/** Timers in PostgreSQL, over a few connections of their own: a chain with many fires must never delay a lane. */
import type { TimerStore } from '../../../ports/timer-store.ts'
import { createDatabase, type DatabaseOptions } from '../database.ts'
import { findCommands, readPendingCommands, writeCommands } from './command-statements.ts'
import { insertCommands } from './insert-commands.ts'
import { loadTimers, readQueue, readTip, saveSnapshot } from './load-timers.ts'
import { meterFires } from './meter-fires.ts'
import { saveConditions } from './save-conditions.ts'
import { addTimerLeases, findTimerLease, keepTimerLeases, releaseTimerLeases } from './timer-lease-statements.ts'
import {
  countTimers,
  findTimer,
  findTimers,
  findTimersByKernelId,
  findTimersByRequest,
  listBetweenTimes,
  listFires,
  listTimers,
  listWithdrawn,
  readIncarnations,
} from './timer-reads.ts'
import { writeBlocks } from './write-blocks.ts'

const CONNECTIONS = 4

export function createPostgresTimerStore(options: DatabaseOptions): TimerStore {
  const database = createDatabase({ poolSize: CONNECTIONS, ...options })
  const added = new Set<number>()
  return {
    keepTimerLeases: async (nodeId, chainIds, ttlMs) => {
      const unknown = chainIds.filter((chainId) => !added.has(chainId))
      if (unknown.length > 0) await addTimerLeases(database, unknown)
      for (const chainId of unknown) added.add(chainId)
      return keepTimerLeases(database, nodeId, chainIds, ttlMs)
    },
    releaseTimerLeases: (leases) => releaseTimerLeases(database, leases),
    findTimerLease: (chainId) => findTimerLease(database, chainId),
    insertCommands: (chainId, commands, maxPending) => insertCommands(database, chainId, commands, maxPending),
    findCommands: (ids) => findCommands(database, ids),
    readPendingCommands: (chainId, limit) => readPendingCommands(database, chainId, limit),
    loadTimers: (chainId) => loadTimers(database, chainId),
    writeBlocks: (write) => writeBlocks(database, write),
    writeCommands: (write) => writeCommands(database, write),
    saveConditions: (lease, results) => saveConditions(database, lease, results),
    meterFires: (lease, after, limit) => meterFires(database, lease, after, limit),
    saveSnapshot: (lease, snapshot) => saveSnapshot(database, lease, snapshot),
    readIncarnations: (kernelIds) => readIncarnations(database, kernelIds),
    countTimers: (chainId, of, atMost) => countTimers(database, chainId, of, atMost),
    findTimer: (id) => findTimer(database, id),
    listBetweenTimes: (chainId, limit) => listBetweenTimes(database, chainId, limit),
    findTimers: (ids) => findTimers(database, ids),
    findTimersByKernelId: (kernelIds) => findTimersByKernelId(database, kernelIds),
    findTimersByRequest: (requests) => findTimersByRequest(database, requests),
    listTimers: (filter, page) => listTimers(database, filter, page),
    listFires: (id, page) => listFires(database, id, page),
    readTip: (chainId) => readTip(database, chainId),
    readQueue: (chainId) => readQueue(database, chainId),
    listWithdrawn: (chainId, limit) => listWithdrawn(database, chainId, limit),
    close: () => database.close(),
  }
}
