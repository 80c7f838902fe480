/** A store whose large reads take turns. */
import type { FairTurns } from '../../engine/tenants/fair-turns.ts'
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import type { ApiStore } from '../api-services.ts'

export function readInTurns(store: ApiStore, turns: FairTurns, tenant: Tenant): ApiStore {
  const run = <T>(read: () => Promise<T>): Promise<T> => turns.run(tenant, read)
  return {
    ...store,
    listTransactions: (filter, page) => run(() => store.listTransactions(filter, page)),
    readHistory: (id, page) => run(() => store.readHistory(id, page)),
    readEvents: (after, limit, reach) => run(() => store.readEvents(after, limit, reach)),
    readCompletions: (after, limit, reach) => run(() => store.readCompletions(after, limit, reach)),
    listLaneStatus: (filter) => run(() => store.listLaneStatus(filter)),
    countAhead: (id) => run(() => store.countAhead(id)),
    loadLane: (lane) => run(() => store.loadLane(lane)),
  }
}
