/**
 * The services as one caller may use them. A key that is limited to some signers and chains is limited here, under all
 * routes at once, so that no route can forget it: what is out of its reach is not there, whatever is asked. Only who names
 * a signer to send from is told that the key is not good for it, since that tells nothing of what there is.
 *
 * Every service is listed, those that need no limit too: one that is new does not compile until it is decided here.
 */

import { actorOf, type Caller, hasScope, mayUse, mayUseChain, reachesAll } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { LowestReserved } from '../../core/lane/reservation.ts'
import type { ManagedTimer } from '../../core/timer/timer.ts'
import type { AcceptRequest } from '../../engine/accept/accept-request.ts'
import type { LoadedLane } from '../../ports/store.ts'
import type { ApiServices, ApiStore } from '../api-services.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { readInTurns } from '../server/read-in-turns.ts'

export function limitServices(all: ApiServices, caller: Caller): ApiServices {
  const services = { ...all, store: readInTurns(all.store, all.reads, caller.tenant) }
  const named =
    caller.keyId === null
      ? services
      : { ...services, ...signRequests(services, caller), timers: limitTimers(services.timers, caller) }
  return reachesAll(caller) ? named : limitReach(named, caller)
}

type Signed = Pick<ApiServices, 'accept' | 'acceptBatch' | 'waits' | 'reservations' | 'store' | 'readLogs'>

/**
 * The history of a transaction begins with who sent it; what the key may spend on it goes with it; and what is asked for
 * counts against the tenant's share.
 */
function signRequests(services: ApiServices, caller: Caller): Signed {
  const { accept, waits, readLogs } = services
  const { tenant } = caller
  const own = { by: actorOf(caller), tenant, maxFeeWei: caller.maxTxFeeWei }
  const sign = (request: AcceptRequest): AcceptRequest => ({ ...request, ...own })
  const findRefusal = (request: AcceptRequest) => refusePriority(request, caller)
  const acceptBatch = refuseItems(services, caller, findRefusal)
  return {
    accept: async (request, submit) => {
      const refusal = findRefusal(request)
      if (refusal !== null) throw refusal
      return accept(sign(request), submit)
    },
    acceptBatch: (requests) => acceptBatch(requests.map(sign)),
    waits: { ...waits, enter: (purpose) => waits.enter(purpose, tenant) },
    readLogs: (chainId, hash) => readLogs(chainId, hash, tenant),
    ...hideReservations(services, caller),
  }
}

/** Of another tenant's reservations only an operator learns more than that the nonce is taken. */
function hideReservations(services: ApiServices, caller: Caller): Pick<ApiServices, 'reservations' | 'store'> {
  const { reservations, store } = services
  const { tenant } = caller
  if (hasScope(caller, 'operate') || tenant === null) return { reservations, store }
  return {
    store: {
      ...store,
      listLaneStatus: async (filter) =>
        (await store.listLaneStatus(filter)).map((status) =>
          status.lowestReserved === null || status.lowestReserved.tenant === tenant
            ? status
            : { ...status, lowestReserved: hideHolder(status.lowestReserved) },
        ),
    },
    reservations: {
      ...reservations,
      list: (lane, page) => reservations.list(lane, page, tenant),
      find: async (id) => {
        const found = await reservations.find(id)
        if (found.tenant === tenant) return found
        throw new AppError('not_found', `There is no reservation ${id}.`)
      },
    },
  }
}

function hideHolder(lowest: LowestReserved): LowestReserved {
  return { ...lowest, reservationId: null, tenant: null, holder: null, hash: null }
}

/** To go before others in the queue of a signer is a right of its own. */
function refusePriority({ priority }: AcceptRequest, caller: Caller): AppError | null {
  if (priority === null || priority <= 0 || hasScope(caller, 'priority')) return null
  const message = `A priority above 0 needs the scope priority. API key ${actorOf(caller)} does not have it.`
  return new AppError('forbidden', message, { field: 'priority', scope: 'priority' })
}

/** A batch without the items that are refused for who asks; each still gets its answer, in its place. */
function refuseItems(
  { acceptBatch, access }: Pick<ApiServices, 'acceptBatch' | 'access'>,
  caller: Caller,
  findRefusal: (request: AcceptRequest) => AppError | null,
): ApiServices['acceptBatch'] {
  return async (requests) => {
    const refusals = requests.map(findRefusal)
    // The batch as a whole is answered, so that nobody else sees that some of it was refused for who asked.
    if (refusals.some((refusal) => refusal !== null)) await access.recordRefusal(caller, BATCH)
    const answers = [...(await acceptBatch(requests.filter((_, index) => refusals[index] === null)))]
    return refusals.map((reason) => {
      const answer = reason === null ? answers.shift() : { status: 'rejected' as const, reason }
      if (answer === undefined) throw new Error('a request of a batch has no answer')
      return answer
    })
  }
}

function limitReach(services: ApiServices, caller: Caller): ApiServices {
  const {
    nodeId,
    access,
    apiKeys,
    audit,
    waits,
    bodies,
    work,
    pieces,
    reads,
    clock,
    readiness,
    telemetry,
    dashboardDir,
  } = services
  const { finalityOf, maxTxFeeOf } = services
  return {
    pieces,
    ...{
      nodeId,
      access,
      apiKeys,
      waits,
      bodies,
      work,
      reads,
      clock,
      readiness,
      telemetry,
      dashboardDir,
      finalityOf,
      maxTxFeeOf,
    },
    ...limitWrites(services, caller),
    store: limitStore(services.store, caller),
    audit: {
      listAudit: (page) => refuseOrRun(caller, 'The audit', () => audit.listAudit(page)),
      checkAudit: (from) => refuseOrRun(caller, 'The audit', () => audit.checkAudit(from)),
    },
    renderMetrics: () => refuseOrRun(caller, 'The metrics', services.renderMetrics),
    webhooks: limitWebhooks(services.webhooks, caller),
    timers: services.timers,
    eventStreams: {
      open: (request) => services.eventStreams.open({ ...request, caller }),
      openSource: services.eventStreams.openSource,
      close: services.eventStreams.close,
    },
    chainStatus: () => services.chainStatus().filter(({ chainId }) => mayUseChain(caller, chainId)),
    onChain: services.onChain,
    viewOf: (chainId) => (mayUseChain(caller, chainId) ? services.viewOf(chainId) : null),
    feeMarkets: {
      read: async (chainId) => {
        if (mayUseChain(caller, chainId)) return services.feeMarkets.read(chainId)
        throw new AppError('not_found', `This service does not follow chain ${chainId}.`, { field: 'chainId' })
      },
    },
    ownKeys: {
      addresses: () => services.ownKeys.addresses().filter((address) => caller.signers?.includes(address) ?? true),
      defaultPolicy: services.ownKeys.defaultPolicy,
    },
    healthOf: services.healthOf,
    countOf: async (lane) => (mayUse(caller, lane) ? services.countOf(lane) : null),
    baseFeeOf: async (chainId) => (mayUseChain(caller, chainId) ? services.baseFeeOf(chainId) : null),
    readLogs: async (chainId, hash) => (mayUseChain(caller, chainId) ? services.readLogs(chainId, hash) : null),
    listNodes: services.listNodes,
    silentNodes: services.silentNodes,
  }
}

/**
 * Timers of lanes out of reach are not there. Another tenant's can be seen, as its transactions can, but only an operator
 * may change them. The parameters of a chain are everybody's.
 */
function limitTimers(timers: ApiServices['timers'], caller: Caller): ApiServices['timers'] {
  const laneOf = ({ spec }: ManagedTimer): Lane => ({ chainId: spec.chainId, signer: spec.owner })
  const get: typeof timers.get = async (id) => {
    const timer = await timers.get(id)
    if (mayUse(caller, laneOf(timer))) return timer
    throw new AppError('not_found', `There is no timer ${id}.`, { field: 'id' })
  }
  const own = async (id: string): Promise<void> => {
    const { tenant } = await get(id)
    if (tenant === (caller.tenant ?? '') || hasScope(caller, 'operate')) return
    throw new AppError('forbidden', 'The timer belongs to another tenant. Changing it needs the scope operate.')
  }
  const change =
    <A extends readonly unknown[]>(run: (id: string, ...args: A) => Promise<ManagedTimer>) =>
    async (id: string, ...args: A) => {
      await own(id)
      return run(id, ...args)
    }
  return {
    get,
    create: async (wanted) => {
      const lane = { chainId: wanted.chainId ?? 0, signer: wanted.owner }
      const reach = wanted.chainId === null ? { ...caller, chains: null } : caller
      if (!mayUse(reach, lane)) throw forbidLane(lane)
      if (wanted.chainId === null && caller.chains !== null)
        throw new AppError('invalid_request', 'chainId is required: your API key is limited to some chains.', {
          field: 'chainId',
        })
      return timers.create(wanted)
    },
    list: (filter, page) => timers.list({ ...filter, reach: caller }, page),
    listFires: async (id, page) => {
      await get(id)
      return timers.listFires(id, page)
    },
    update: change(timers.update),
    cancel: change(timers.cancel),
    pause: change(timers.pause),
    resume: change(timers.resume),
    queue: (chainId, limit) => refuseOrRun(caller, 'The queue of timers', () => timers.queue(chainId, limit)),
    changeParams: (chainId, params) =>
      refuseOrRun(caller, 'The parameters of timers', () => timers.changeParams(chainId, params)),
  }
}

/** A webhook outlives its maker's key and is told of whatever it asks for, so that only who reaches all may deal with them. */
function limitWebhooks(webhooks: ApiServices['webhooks'], caller: Caller): ApiServices['webhooks'] {
  const guard =
    <A extends readonly unknown[], T>(run: (...args: A) => Promise<T>) =>
    (...args: A) =>
      refuseOrRun(caller, 'A webhook', () => run(...args))
  return {
    create: guard(webhooks.create),
    list: guard(webhooks.list),
    get: guard(webhooks.get),
    update: guard(webhooks.update),
    remove: guard(webhooks.remove),
    listDeliveries: guard(webhooks.listDeliveries),
    redeliver: guard(webhooks.redeliver),
    test: guard(webhooks.test),
  }
}

const BATCH = { operation: 'createTransactionBatch', target: '/v1/transactions/batch' }

type Writes = Pick<
  ApiServices,
  'accept' | 'acceptBatch' | 'operate' | 'reservations' | 'takeBack' | 'resets' | 'fillGaps'
>

function limitWrites(services: ApiServices, caller: Caller): Writes {
  const { reservations, resets, store } = services
  const findRefusal = (request: AcceptRequest): AppError | null => {
    const chainId = request.chainId ?? soleChainOf(services)
    // Where no chain is named and there are several, the request is refused for that.
    const isAllowed = mayUse(chainId === null ? { ...caller, chains: null } : caller, {
      chainId: chainId ?? 0,
      signer: request.from,
    })
    return isAllowed ? null : forbidLane({ chainId: chainId ?? 0, signer: request.from })
  }
  const findReservation = async (id: string) => {
    const found = await reservations.find(id)
    if (mayUse(caller, found.lane)) return found
    throw new AppError('not_found', `There is no reservation ${id}.`)
  }
  return {
    accept: async (request, submit) => {
      const refusal = findRefusal(request)
      if (refusal !== null) throw refusal
      return services.accept(request, submit)
    },
    acceptBatch: refuseItems(services, caller, findRefusal),
    operate: async (id, request) => {
      const tx = await store.findTransaction(id)
      if (tx === null || !mayUse(caller, tx.intent.lane))
        throw new AppError('not_found', `There is no transaction ${id}.`)
      return services.operate(id, request)
    },
    reservations: {
      reserve: async (request) => {
        if (!mayUse(caller, request.lane)) throw forbidLane(request.lane)
        return reservations.reserve(request)
      },
      find: findReservation,
      act: async (id, lockOwner, act) => {
        await findReservation(id)
        return reservations.act(id, lockOwner, act)
      },
      list: async (lane, page, tenant) => {
        if (!mayUse(caller, lane)) throw forbidLane(lane)
        return reservations.list(lane, page, tenant)
      },
    },
    takeBack: async (lane, order) => {
      if (!mayUse(caller, lane)) throw forbidLane(lane)
      return services.takeBack(lane, order)
    },
    fillGaps: async (lane, by) => {
      if (!mayUse(caller, lane)) throw forbidLane(lane)
      return services.fillGaps(lane, by)
    },
    resets: {
      reset: async (lane, by, options) => {
        if (!mayUse(caller, lane)) throw forbidLane(lane)
        return resets.reset(lane, by, options)
      },
      find: async (id) => {
        const reset = await resets.find(id)
        return reset !== null && mayUse(caller, reset.lane) ? reset : null
      },
    },
  }
}

const UNSEEN: LoadedLane = {
  ...{ cursor: null, inFlight: [], recyclable: [], window: null },
  seen: { balance: null, txCost: null, problems: [] },
}

function limitStore(store: ApiStore, caller: Caller): ApiStore {
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

function soleChainOf({ chainStatus }: Pick<ApiServices, 'chainStatus'>): number | null {
  const [only, ...others] = chainStatus()
  return only !== undefined && others.length === 0 ? only.chainId : null
}

async function refuseOrRun<T>(caller: Caller, what: string, run: () => Promise<T>): Promise<T> {
  if (reachesAll(caller)) return run()
  throw new AppError('forbidden', `${what} covers all signers, but your API key is limited to some signers or chains.`)
}

function forbidLane({ chainId, signer }: Lane): AppError {
  const where = chainId === 0 ? '' : ` on chain ${chainId}`
  return new AppError('forbidden', `Your API key may not use ${checksumAddress(signer)}${where}.`, { field: 'from' })
}
