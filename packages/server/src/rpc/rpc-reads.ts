/** What calls read from the database, in turns. */
import type { Hash } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import type { Transaction } from '../core/transaction/transaction.ts'
import type { FairTurns } from '../engine/tenants/fair-turns.ts'
import type { Tenant } from '../engine/tenants/tenant-pool.ts'
import type { NonceLine } from '../ports/lane-queue.ts'
import type { SignerRecord, Store } from '../ports/store.ts'

export interface RpcReads {
  findTransactionByHash(hash: Hash, tenant: Tenant): Promise<Transaction | null>
  readNonceLine(lane: Lane, tenant: Tenant): Promise<NonceLine>
  listSigners(tenant: Tenant): Promise<readonly SignerRecord[]>
}

export function createRpcReads(
  store: Pick<Store, 'findTransactionByHash' | 'readNonceLine' | 'listSigners'>,
  turns: FairTurns,
): RpcReads {
  return {
    findTransactionByHash: (hash, tenant) => turns.run(tenant, () => store.findTransactionByHash(hash)),
    readNonceLine: (lane, tenant) => turns.run(tenant, () => store.readNonceLine(lane)),
    listSigners: (tenant) => turns.run(tenant, () => store.listSigners()),
  }
}
