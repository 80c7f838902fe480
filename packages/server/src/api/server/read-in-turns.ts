/** A store whose large reads take turns, and long pages are read in parts. */
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import type { Page, PageRequest } from '../../ports/store.ts'
import type { ApiServices, ApiStore } from '../api-services.ts'

/** Rows per read while several tenants are active: 50 rows take the thread 8 ms at once, and others feel it. */
const PART = 20

export function readInTurns(
  { store, reads: turns, work }: Pick<ApiServices, 'store' | 'reads' | 'work'>,
  tenant: Tenant,
): ApiStore {
  const run = <T>(read: () => Promise<T>): Promise<T> => turns.run(tenant, read)
  return {
    ...store,
    listTransactions: (filter, page) => {
      const list = (part: PageRequest) => run(() => store.listTransactions(filter, part))
      return work.isCrowded() ? listInParts(list, page) : list(page)
    },
    readHistory: (id, page) => run(() => store.readHistory(id, page)),
    readEvents: (after, limit, reach) => run(() => store.readEvents(after, limit, reach)),
    readCompletions: (after, limit, reach) => run(() => store.readCompletions(after, limit, reach)),
    listLaneStatus: (filter) => run(() => store.listLaneStatus(filter)),
    countAhead: (id) => run(() => store.countAhead(id)),
    loadLane: (lane) => run(() => store.loadLane(lane)),
  }
}

async function listInParts<T>(list: (page: PageRequest) => Promise<Page<T>>, page: PageRequest): Promise<Page<T>> {
  const items: T[] = []
  let { after } = page
  for (;;) {
    const part = await list({ ...page, after, limit: Math.min(PART, page.limit - items.length) })
    items.push(...part.items)
    if (part.next === null || items.length >= page.limit) return { items, next: part.next }
    after = part.next
  }
}
