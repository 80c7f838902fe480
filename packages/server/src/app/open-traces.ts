/** Traces to an OpenTelemetry collector, if there is one. */
import type { Config } from '../config/config.ts'
import { createNodeTail } from '../engine/wait/event-tail.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createPostTraces } from '../traces/post-traces.ts'
import { followTraces } from '../traces/trace-follower.ts'
import { createTraceSender } from '../traces/trace-sender.ts'

interface TracePorts {
  readonly store: Pick<Store, 'listen' | 'readEvents' | 'findLastEventId' | 'readHistory'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
}

export interface Traces {
  start(): void
  /** Sends what has ended so far. */
  stop(): Promise<void>
}

const NO_TRACES: Traces = { start: () => {}, stop: async () => {} }

export function openTraces({ traces: { url } }: Config, ports: TracePorts): Traces {
  if (url === null) return NO_TRACES
  const { store, clock, telemetry, nodeId } = ports
  const feed = createNodeTail({ store, clock, telemetry })
  const sender = createTraceSender({ post: createPostTraces(url, nodeId), clock, telemetry })
  let unfollow = async (): Promise<void> => {}
  return {
    start() {
      unfollow = followTraces({ feed, store, sender, telemetry, nodeId })
    },
    async stop() {
      await unfollow()
      await feed.close()
      await sender.stop()
    },
  }
}
