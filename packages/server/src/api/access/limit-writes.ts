/** Write operations, limited to the signers and chains of a caller. */
import { type Caller, mayUse } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { AcceptRequest } from '../../engine/accept/accept-request.ts'
import type { ApiServices } from '../api-services.ts'
import { forbidLane } from './forbid-lane.ts'
import { refuseItems } from './refuse-items.ts'

type Writes = Pick<
  ApiServices,
  'accept' | 'acceptBatch' | 'operate' | 'decideApproval' | 'reservations' | 'takeBack' | 'resets' | 'fillGaps'
>

export function limitWrites(services: ApiServices, caller: Caller): Writes {
  const { reservations, resets, store } = services
  const findRefusal = (request: AcceptRequest): AppError | null => {
    const chainId = request.chainId ?? soleChainOf(services)
    // If no chain is named and there are several, the request is refused for that reason.
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
    decideApproval: async (id, decision) => {
      const tx = await store.findTransaction(id)
      if (tx === null || !mayUse(caller, tx.intent.lane))
        throw new AppError('not_found', `There is no transaction ${id}.`)
      return services.decideApproval(id, decision)
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

function soleChainOf({ chainStatus }: Pick<ApiServices, 'chainStatus'>): number | null {
  const [only, ...others] = chainStatus()
  return only !== undefined && others.length === 0 ? only.chainId : null
}
