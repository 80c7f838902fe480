/** Timers as one caller may use them. */
import { actorOf, type Caller, hasScope, mayUse } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { ManagedTimer } from '../../core/timer/timer.ts'
import type { ApiServices } from '../api-services.ts'
import { forbidLane } from './forbid-lane.ts'
import { refuseOrRun } from './refuse-or-run.ts'

/**
 * Timers of lanes out of reach do not exist. Callers can see another tenant's timers, as they can its transactions, but
 * only an operator may change them. The parameters of a chain are public.
 */
export function limitTimers(timers: ApiServices['timers'], caller: Caller): ApiServices['timers'] {
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
      refuseBid(wanted.bid, caller)
      return timers.create(wanted)
    },
    list: (filter, page) => timers.list({ ...filter, reach: caller }, page),
    listFires: async (id, page) => {
      await get(id)
      return timers.listFires(id, page)
    },
    update: change(async (id: string, terms: Parameters<typeof timers.update>[1]) => {
      refuseBid(terms.bid ?? 0n, caller)
      return timers.update(id, terms)
    }),
    cancel: change(timers.cancel),
    pause: change(timers.pause),
    resume: change(timers.resume),
    queue: (chainId, limit) => refuseOrRun(caller, 'The queue of timers', () => timers.queue(chainId, limit)),
    changeParams: (chainId, params) =>
      refuseOrRun(caller, 'The parameters of timers', () => timers.changeParams(chainId, params)),
  }
}

/** Bids cost nothing, so anybody could always be first: going before others needs its own scope. */
function refuseBid(bid: bigint, caller: Caller): void {
  if (bid <= 0n || hasScope(caller, 'priority')) return
  const message = `A bid above 0 needs the scope priority. API key ${actorOf(caller)} does not have it.`
  throw new AppError('forbidden', message, { field: 'bid', scope: 'priority' })
}
