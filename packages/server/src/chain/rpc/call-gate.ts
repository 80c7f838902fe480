/**
 * The gate to one node: calls wait here until a connection is free, any pause that the node asked for has ended, and
 * its rate allows them. The most urgent goes first. A waiting call gets one step more urgent every quarter of a second,
 * so heads alone can never use up everything that a node allows. While the last request was refused, one at a time goes
 * out as a probe.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Priority } from './call-priority.ts'
import type { CallRate } from './call-rate.ts'

export interface Entry {
  /** Calls that want to leave. */
  readonly wanted: number
  /** Fewer than this are of no use. */
  readonly atLeast: number
  readonly priority: Priority
  /** By the monotonic clock: a call that cannot leave before this is rejected. */
  readonly deadline: number
}

export interface CallGate {
  /** Resolves with how many calls may leave now, or 0: too late, or too many wait. After them comes one `leave`. */
  enter(entry: Entry): Promise<number>
  leave(): void
  /** Nothing leaves for this long; then one request at a time, until `resume`. */
  pause(ms: number): void
  resume(): void
  pausedMs(): number
  /** The last request was refused, and none was answered since. */
  isProbing(): boolean
  /** Something that came now would have to wait. */
  isBusy(): boolean
  close(): void
}

interface Waiting extends Entry {
  readonly since: number
  settle(granted: number): void
}

interface GateOptions {
  readonly maxConcurrent: number
  readonly rate: CallRate
  readonly clock: Clock
  /** Calls that one request may hold now. */
  batchSize(): number
}

const MAX_WAITING_CALLS = 10_000
const MS_PER_STEP = 250

export function createCallGate({ maxConcurrent, rate, clock, batchSize }: GateOptions): CallGate {
  let waiting: Waiting[] = []
  let running = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let probing = false
  let closed = false
  let cancelTimer: (() => void) | null = null

  const countWaiting = () => waiting.reduce((sum, { wanted }) => sum + wanted, 0)
  const urgencyOf = ({ priority, since }: Waiting) => priority * MS_PER_STEP + since

  function findFirst(): Waiting | undefined {
    return waiting.reduce<Waiting | undefined>(
      (first, next) => (first === undefined || urgencyOf(next) < urgencyOf(first) ? next : first),
      undefined,
    )
  }

  /** How long the first in line has to wait for time alone; null: for a connection. */
  function waitOf(first: Entry): number | null {
    if (running >= maxConcurrent || (probing && running > 0)) return null
    const needed = Math.min(first.wanted, first.atLeast, batchSize())
    return Math.max(pausedUntil - clock.monotonic(), rate.waitMs(needed))
  }

  function pump(): void {
    cancelTimer?.()
    cancelTimer = null
    for (let first = findFirst(); first !== undefined; first = findFirst()) {
      const waitMs = waitOf(first)
      if (waitMs === null) return
      const size = Math.min(first.wanted, batchSize())
      const granted = waitMs > 0 ? 0 : rate.take(size, Math.min(first.atLeast, size))
      if (granted === 0) {
        cancelTimer = clock.schedule(Math.max(1, waitMs), pump)
        return
      }
      running++
      first.settle(granted)
    }
  }

  /** True where those ahead use up all that the rate allows until then. */
  function comesTooLate({ deadline, priority }: Entry): boolean {
    if (pausedUntil > deadline) return true
    const ahead = waiting.filter((other) => other.priority <= priority).reduce((sum, other) => sum + other.wanted, 0)
    return clock.monotonic() + rate.waitMs(ahead + 1) > deadline
  }

  function enter(entry: Entry): Promise<number> {
    if (closed || comesTooLate(entry) || countWaiting() + entry.wanted > MAX_WAITING_CALLS) return Promise.resolve(0)
    return new Promise((resolve) => {
      const cancelDeadline = clock.schedule(Math.max(0, entry.deadline - clock.monotonic()), () => item.settle(0))
      const item: Waiting = {
        ...entry,
        since: clock.monotonic(),
        settle(granted) {
          cancelDeadline()
          waiting = waiting.filter((other) => other !== item)
          resolve(granted)
        },
      }
      waiting.push(item)
      pump()
    })
  }

  return {
    enter,
    leave() {
      running--
      pump()
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms)
      probing = true
    },
    resume() {
      probing = false
      pump()
    },
    pausedMs: () => Math.max(0, pausedUntil - clock.monotonic()),
    isProbing: () => probing,
    isBusy: () =>
      waiting.length > 0 ||
      running >= maxConcurrent ||
      probing ||
      pausedUntil > clock.monotonic() ||
      rate.waitMs(2) > 0,
    close() {
      closed = true
      cancelTimer?.()
      for (const item of [...waiting]) item.settle(0)
    },
  }
}
