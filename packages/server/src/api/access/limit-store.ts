/** The store, limited to the signers and chains of a caller. Anything out of reach does not exist. */
import { type Caller, mayUse, mayUseChain } from '../../core/access/caller.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { LoadedLane } from '../../ports/lane-write.ts'
import type { ApiStore } from '../api-services.ts'
import { forbidLane } from './forbid-lane.ts'

const UNSEEN: LoadedLane = {
  cursor: null,
  inFlight: [],
  recyclable: [],
  window: null,
  seen: { balance: null, txCost: null, problems: [] },
}

export function limitStore(store: ApiStore, caller: Caller): ApiStore {
  const isSeen = <T extends { readonly intent: { readonly lane: Lane } }>(tx: T | null): T | null =>
    tx !== null && mayUse(caller, tx.intent.lane) ? tx : null
  const findTransaction: ApiStore['findTransaction'] = async (id) => isSeen(await store.findTransaction(id))
  return {
    findTransaction,
    findTransactionByHash: async (hash) => isSeen(await store.findTransactionByHash(hash)),
    listTransactions: (filter, page) => store.listTransactions({ ...filter, reach: caller }, page),
    readHistory: async (id, page) => ((await findTransaction(id)) === null ? [] : store.readHistory(id, page)),
    readEvents: (after, limit) => store.readEvents(after, limit, caller),
    readCompletions: (after, limit) => store.readCompletions(after, limit, caller),
    findLastEventId: store.findLastEventId,
    readHeaders: async (chainId, from, to) =>
      mayUseChain(caller, chainId) ? store.readHeaders(chainId, from, to) : [],
    countAhead: async (id) => ((await findTransaction(id)) === null ? null : store.countAhead(id)),
    loadLane: async (lane) => (mayUse(caller, lane) ? store.loadLane(lane) : UNSEEN),
    listLaneStatus: (filter) => store.listLaneStatus({ ...filter, reach: caller }),
    listLeases: async () => (await store.listLeases()).filter(({ lane }) => mayUse(caller, lane)),
    updateSigner: async (lane, change, note) => (mayUse(caller, lane) ? store.updateSigner(lane, change, note) : null),
    registerSigners: async (signers) => {
      for (const { lane } of signers) if (!mayUse(caller, lane)) throw forbidLane(lane)
      return store.registerSigners(signers)
    },
    listResets: async (lane, limit) => (mayUse(caller, lane) ? store.listResets(lane, limit) : []),
  }
}
