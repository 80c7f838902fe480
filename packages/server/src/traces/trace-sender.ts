/**
 * Sends traces to a collector, in batches, one request at a time. What does not fit into the queue, or is refused for good,
 * is dropped and counted. Nothing waits for it.
 */
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Span } from './trace.ts'

export interface TraceSender {
  add(trace: readonly Span[]): void
  /** Sends what is queued, once, and then no more. */
  stop(): Promise<void>
}

/** `failed` is worth another try, `refused` is not. */
export type PostTraces = (
  spans: readonly Span[],
) => Promise<{ readonly type: 'sent' } | { readonly type: 'refused' | 'failed'; readonly why: string }>

interface SenderPorts {
  readonly post: PostTraces
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>
}

const MAX_QUEUED = 2_048
const BATCH = 256
const LINGER_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

export function createTraceSender({ post, clock, telemetry }: SenderPorts): TraceSender {
  const queue: (readonly Span[])[] = []
  let pauseMs = LINGER_MS
  let isPlanned = false
  let cancelPlan = (): void => {}
  let sending: Promise<void> = Promise.resolve()
  let stopped = false

  const count = (result: string, by: number) => telemetry.count('drover_traces_total', { result }, by)

  function plan(): void {
    if (isPlanned || stopped || queue.length === 0) return
    isPlanned = true
    cancelPlan = clock.schedule(pauseMs, () => {
      sending = flush().finally(() => {
        isPlanned = false
        plan()
      })
    })
  }

  async function flush(): Promise<void> {
    const batch = queue.splice(0, BATCH)
    const result = await post(batch.flat())
    if (result.type === 'refused')
      telemetry.log('warn', 'the trace collector refused traces', { why: result.why, traces: batch.length })
    if (result.type !== 'failed') {
      pauseMs = LINGER_MS
      return count(result.type, batch.length)
    }
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    telemetry.log('warn', 'the trace collector does not take traces; trying again', { why: result.why })
    const room = MAX_QUEUED - queue.length
    queue.unshift(...batch.slice(0, room))
    if (batch.length > room) count('dropped', batch.length - room)
  }

  return {
    add(trace) {
      if (stopped || queue.length >= MAX_QUEUED) return count('dropped', 1)
      queue.push(trace)
      plan()
    },
    async stop() {
      stopped = true
      cancelPlan()
      await sending
      if (queue.length > 0) await flush()
      if (queue.length > 0) count('dropped', queue.length)
    },
  }
}
