/** What every request of an API key carries: who sent it, its tenant, and what it may spend. Applies also to keys without limits. */
import { actorOf, type Caller, hasScope } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { LowestReserved } from '../../core/lane/reservation.ts'
import { type AcceptRequest, type Sender, signRequest } from '../../engine/accept/accept-request.ts'
import type { ApiServices } from '../api-services.ts'
import { refuseItems } from './refuse-items.ts'

type Signed = Pick<
  ApiServices,
  'accept' | 'acceptBatch' | 'waits' | 'reservations' | 'store' | 'readLogs' | 'readRevert'
>

/** The history of a transaction starts with its sender. Waits, reads and reservations count against the share of the tenant. */
export function signRequests(services: ApiServices, caller: Caller): Signed {
  const { accept, waits, readLogs, readRevert } = services
  const { tenant } = caller
  const sender: Sender = {
    by: actorOf(caller),
    tenant,
    maxFeeWei: caller.maxTxFeeWei,
    ...(caller.keyId !== null && { keyId: caller.keyId }),
  }
  const sign = (request: AcceptRequest): AcceptRequest => signRequest(request, sender)
  const findRefusal = (request: AcceptRequest) => refusePriority(request, caller)
  const acceptBatch = refuseItems(services, caller, findRefusal)
  return {
    accept: async (request, submit) => {
      const refusal = findRefusal(request)
      if (refusal !== null) throw refusal
      return accept(sign(request), submit)
    },
    acceptBatch: (requests, gone) => acceptBatch(requests.map(sign), gone),
    waits: { ...waits, enter: (purpose) => waits.enter(purpose, tenant) },
    readLogs: (chainId, hash) => readLogs(chainId, hash, tenant),
    readRevert: (tx) => readRevert(tx, tenant),
    ...hideReservations(services, caller),
  }
}

/** Only an operator sees more of another tenant's reservation than that the nonce is taken. */
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

/** Going first in the queue of a signer needs its own scope. */
function refusePriority({ priority }: AcceptRequest, caller: Caller): AppError | null {
  if (priority === null || priority <= 0 || hasScope(caller, 'priority')) return null
  const message = `A priority above 0 needs the scope priority. API key ${actorOf(caller)} does not have it.`
  return new AppError('forbidden', message, { field: 'priority', scope: 'priority' })
}
