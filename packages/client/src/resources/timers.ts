/** Timers: calls at a block, every N blocks, or when an event is logged. */
import type {
  Fire,
  Timer,
  TimerChange,
  TimerParams,
  TimerParamsChange,
  TimerQueue,
  TimerRequest,
} from '../generated/api-types.ts'
import { createRequestId } from '../transport/create-request-id.ts'
import type { CallOptions, Request } from '../transport/operation.ts'

export interface TimerFilter {
  readonly chainId?: number
  readonly from?: string
  readonly to?: string
  readonly state?: Timer['state'] | readonly Timer['state'][]
}

export interface TimerListOptions extends CallOptions {
  /** How many are fetched at a time; at most 200. */
  readonly pageSize?: number
}

export interface Timers {
  /** Safe to retry: without a `requestId`, the client generates one. */
  create(timer: TimerRequest, options?: CallOptions): Promise<Timer>
  get(id: string, options?: CallOptions): Promise<Timer>
  /** Newest first, fetched page by page as you iterate. */
  list(filter?: TimerFilter, options?: TimerListOptions): AsyncIterableIterator<Timer>
  /** Schedule, calldata, gas limit or bid. A new schedule counts from now. The timer moves to the back of the queue. */
  update(id: string, change: TimerChange, options?: CallOptions): Promise<Timer>
  pause(id: string, options?: CallOptions): Promise<Timer>
  /** An interval counts from now, and a watch sees events from now on. */
  resume(id: string, options?: CallOptions): Promise<Timer>
  /** Permanent. Transactions it has already fired are still sent. */
  cancel(id: string, options?: CallOptions): Promise<Timer>
  /** Newest first, fetched page by page as you iterate. */
  fires(id: string, options?: TimerListOptions): AsyncIterableIterator<Fire>
  /** What fires at the next block, in order, and which limit holds back the others. */
  queue(query?: { readonly chainId?: number; readonly limit?: number }, options?: CallOptions): Promise<TimerQueue>
  /** Takes effect at the next epoch. */
  changeParams(
    change: TimerParamsChange,
    query?: { readonly chainId?: number },
    options?: CallOptions,
  ): Promise<TimerParams>
}

export function createTimers(request: Request): Timers {
  const byId = (id: string) => ({ params: { id } })
  return {
    create: (timer, options) =>
      request('POST /v1/timers', { body: { ...timer, requestId: timer.requestId ?? createRequestId() } }, options),
    get: (id, options) => request('GET /v1/timers/{id}', byId(id), options),
    async *list({ state, ...filter } = {}, { pageSize = 100, signal } = {}) {
      for (let before: string | null | undefined; before !== null; ) {
        const states = state === undefined ? {} : { state: [state].flat().join(',') }
        const query = { ...filter, ...states, limit: pageSize, ...(before !== undefined && { before }) }
        const page = await request('GET /v1/timers', { query }, { signal })
        yield* page.items
        before = page.next
      }
    },
    update: (id, body, options) => request('PATCH /v1/timers/{id}', { ...byId(id), body }, options),
    pause: (id, options) => request('POST /v1/timers/{id}/pause', byId(id), options),
    resume: (id, options) => request('POST /v1/timers/{id}/resume', byId(id), options),
    cancel: (id, options) => request('DELETE /v1/timers/{id}', byId(id), options),
    async *fires(id, { pageSize = 100, signal } = {}) {
      for (let before: string | null | undefined; before !== null; ) {
        const query = { limit: pageSize, ...(before !== undefined && { before }) }
        const page = await request('GET /v1/timers/{id}/fires', { ...byId(id), query }, { signal })
        yield* page.items
        before = page.next
      }
    },
    queue: (query = {}, options) => request('GET /v1/timers/queue', { query }, options),
    changeParams: (body, query = {}, options) => request('PATCH /v1/timers/params', { query, body }, options),
  }
}
