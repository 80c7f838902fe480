/** The event hub over `@drover/client`: a stream of server-sent events, or pages where a proxy lets no stream through. */
import type { Drover } from '@drover/client'
import type { ApiClient } from '../api/api-client.ts'
import type { EventResource } from '../api/api-resources.ts'
import type { KeyHolder } from '../api/key-holder.ts'
import { backOff } from '../generated/back-off.ts'
import { createEventHub, type EventHub } from './event-hub.ts'
import { createReach, type Reach } from './reach.ts'

const TAIL = 2_000
const PAUSE = { first: 1_000, max: 15_000 }

export interface BrowserEventHub extends EventHub {
  /** Whether events arrive. Other requests may well be answered while they do not. */
  readonly reach: Reach
}

export function createBrowserEventHub(ports: { readonly api: ApiClient; readonly keys: KeyHolder }): BrowserEventHub {
  const { api, keys } = ports
  const reach = createReach({ fetch: keys.fetch, now: () => Date.now() })
  let client: Drover | null = null
  const hub = createEventHub({
    readTail: () => api.readTail(TAIL),
    async *follow(after, signal) {
      // Loaded apart: the page shows what is there before it listens for what is new.
      const { createDrover } = await import('@drover/client')
      client ??= createDrover({ url: location.origin, fetch: reach.fetch })
      yield* client.events({ after, signal }) as AsyncIterable<EventResource>
    },
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    async awaitTurn(failures, signal) {
      if (failures > 0) await pause(backOff(failures, PAUSE), signal)
      // Without the key that the service wants, every try would be refused.
      while (keys.status().type === 'needed' && !signal.aborted) await nextStatus(keys)
    },
  })
  return { ...hub, reach }
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function nextStatus(keys: KeyHolder): Promise<void> {
  return new Promise((resolve) => {
    const leave = keys.onStatus(() => {
      leave()
      resolve()
    })
  })
}
