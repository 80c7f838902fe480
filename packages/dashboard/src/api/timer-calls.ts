/** Calls about timers. */

import type { TimerQueueResource, TimerResource } from './api-resources.ts'
import type { List } from './list.ts'
import type { Requester } from './requester.ts'

export interface TimerPage extends List<TimerResource> {
  readonly next: string | null
}

export interface NewTimer {
  readonly chainId: number
  readonly from: string
  readonly to: string
  readonly name?: string
  readonly schedule:
    | { readonly type: 'timeout'; readonly blocks: number }
    | { readonly type: 'interval'; readonly blocks: number }
    | { readonly type: 'watch'; readonly contract: string; readonly event?: string }
  readonly call?: { readonly function: string; readonly args: readonly unknown[] }
}

export function createTimerCalls({ get, call }: Pick<Requester, 'get' | 'call'>) {
  return {
    listTimers: (states: string | null, before: string | null) =>
      get<TimerPage>(
        `/v1/timers?${new URLSearchParams({
          limit: '50',
          ...(states !== null && { state: states }),
          ...(before !== null && { before }),
        })}`,
      ),
    showTimerQueue: (chainId: number) => get<TimerQueueResource>(`/v1/timers/queue?chainId=${chainId}&limit=50`),
    createTimer: (timer: NewTimer) => call<TimerResource>('POST', '/v1/timers', timer),
    pauseTimer: (id: string) => call<TimerResource>('POST', `/v1/timers/${id}/pause`),
    resumeTimer: (id: string) => call<TimerResource>('POST', `/v1/timers/${id}/resume`),
    cancelTimer: (id: string) => call<TimerResource>('DELETE', `/v1/timers/${id}`),
  }
}
