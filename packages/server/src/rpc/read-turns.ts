/**
 * What calls read from the database, in turns. A batch may hold a thousand reads and a tenant may send hundreds of
 * batches, while the database has a few connections for everybody, the lanes included.
 */
import { AppError } from '../core/app-error.ts'
import type { Hash } from '../core/hex.ts'
import type { Lane } from '../core/lane.ts'
import type { Transaction } from '../core/transaction.ts'
import { createFairTurns } from '../engine/tenants/fair-turns.ts'
import type { Tenant } from '../engine/tenants/tenant-pool.ts'
import type { NonceLine, SignerRecord, Store } from '../ports/store.ts'

export interface RpcReads {
  findTransactionByHash(hash: Hash, tenant: Tenant): Promise<Transaction | null>
  readNonceLine(lane: Lane, tenant: Tenant): Promise<NonceLine>
  listSigners(tenant: Tenant): Promise<readonly SignerRecord[]>
}

/** The pool of the store has 10 connections. */
const MAX_RUNNING = 6
/** Each message has only some of its calls waiting here, and messages are bounded. */
const MAX_WAITING = 20_000

export function createReadTurns(
  store: Pick<Store, 'findTransactionByHash' | 'readNonceLine' | 'listSigners'>,
  { sharePercent }: { readonly sharePercent?: number },
): RpcReads {
  const turns = createFairTurns({
    ...{ what: 'reads of the database', maxRunning: MAX_RUNNING, maxWaiting: MAX_WAITING, sharePercent },
    whenFull: () => new AppError('overloaded', 'Too many calls wait for the database; try again later.'),
  })
  return {
    findTransactionByHash: (hash, tenant) => turns.run(tenant, () => store.findTransactionByHash(hash)),
    readNonceLine: (lane, tenant) => turns.run(tenant, () => store.readNonceLine(lane)),
    listSigners: (tenant) => turns.run(tenant, () => store.listSigners()),
  }
}
