/**
 * How much of a chain's node one tenant may use at once. The cost of a call is known only after the node has answered:
 * it is the time that the answer took, without the round trip to the node. So a tenant begins with a few calls, gets
 * more while they are answered quickly, and fewer while they are slow. A tenant that is alone begins with a few too: a
 * node cannot be asked to stop, and the next tenant would have to wait until it is done. While others are active, a
 * tenant rests after slow calls, so the node has most of its time for the others. Whoever goes on with slow calls has one
 * request with the node at a time, whatever it is for, and rests longer.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Tenant } from './tenant-pool.ts'

export interface UpstreamPace {
  /** Calls that may go to the node together. */
  callsOf(tenant: Tenant): number
  /** Requests, of that many calls each, that may be with the node at once. */
  requestsOf(tenant: Tenant): number
  /**
   * Runs one request, now or after others of a tenant that has used much, and learns from it. Returns its answer, and how
   * long to rest before the next.
   */
  run<T>(tenant: Tenant, ask: () => Promise<T>): Promise<{ readonly answer: T; readonly restMs: number }>
}

interface UpstreamPaceOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  /** Tenants other than this one are active. */
  hasOthers(tenant: Tenant): boolean
  /** How long a round trip to the node takes, whatever is asked. */
  distanceMs(): number
}

interface Learned {
  readonly calls: number
  /** The node's time that slow calls took, less what was forgiven since; as of `at`. */
  readonly slowMs: number
  readonly at: number
  /** When the last slow one was answered. */
  readonly slowAt: number
}

const MAX_CALLS = 100
/** While others are active. Quick calls may be followed by as many slow ones. */
const MAX_BESIDE_OTHERS = 8
/** The same for a tenant whose slow calls have taken much of the node's time. */
const MAX_AFTER_SLOW = 1
const FIRST_CALLS = 4
/** For a tenant that is alone. */
const MIN_ALONE = 8
const SLOW_ALONE = 2
const MAX_REQUESTS = 4
/**
 * The longest round trip that is believed: as far as one point of the earth is from another. Where even the quickest answer
 * takes longer, the node is overloaded, perhaps by the very tenant whose calls are measured.
 */
const MAX_DISTANCE_MS = 300
const QUICK_MS = 20
const SLOW_MS = 60
/** Rest after slow calls, as a multiple of the time they took. */
const REST = 3
/** The same for a tenant whose slow calls have taken much of the node's time. */
const LONG_REST = 9
const MUCH_MS = 500
/** What one slow request counts at most: a node that pauses for a moment says nothing about the calls. */
const MAX_COUNTED_MS = 100
/** Of the time that passes: a burst of slow calls is remembered for a minute or so. */
const FORGIVEN = 0.01
const MAX_REST_MS = 5_000
const MAX_TENANTS = 1_000

/** Whatever fits is passed on. */
export const NO_PACE: UpstreamPace = {
  callsOf: () => MAX_CALLS,
  requestsOf: () => Number.POSITIVE_INFINITY,
  run: async (_tenant, ask) => ({ answer: await ask(), restMs: 0 }),
}

export function createUpstreamPace({ clock, hasOthers, distanceMs }: UpstreamPaceOptions): UpstreamPace {
  const learned = new Map<Tenant, Learned>()
  /** Of tenants that have used much: settles when the last request in line is done and has rested. */
  const lines = new Map<Tenant, Promise<void>>()

  function callsOf(tenant: Tenant): number {
    const calls = learned.get(tenant)?.calls ?? FIRST_CALLS
    if (!hasOthers(tenant)) return Math.max(MIN_ALONE, calls)
    return Math.min(hasUsedMuch(tenant) ? MAX_AFTER_SLOW : MAX_BESIDE_OTHERS, calls)
  }

  function slowMsOf(tenant: Tenant): number {
    const known = learned.get(tenant)
    return known === undefined ? 0 : Math.max(0, known.slowMs - (clock.monotonic() - known.at) * FORGIVEN)
  }

  const hasUsedMuch = (tenant: Tenant): boolean => slowMsOf(tenant) > MUCH_MS

  function nextCalls(calls: number, tookMs: number): number {
    if (tookMs <= QUICK_MS) return Math.min(MAX_CALLS, calls * 2)
    // As many as would have been quick.
    return tookMs <= SLOW_MS ? calls : Math.max(1, Math.floor((calls * QUICK_MS) / tookMs))
  }

  function learn(tenant: Tenant, calls: number, { startedAt, tookMs }: { startedAt: number; tookMs: number }): void {
    const now = clock.monotonic()
    const slowAt = learned.get(tenant)?.slowAt ?? Number.NEGATIVE_INFINITY
    const isSlow = tookMs > QUICK_MS
    // Those that were with the node at the same time count once.
    const countedMs = isSlow && startedAt >= slowAt ? Math.min(MAX_COUNTED_MS, tookMs) : 0
    const next = {
      calls: nextCalls(calls, tookMs),
      slowMs: slowMsOf(tenant) + countedMs,
      at: now,
      slowAt: isSlow ? now : slowAt,
    }
    learned.delete(tenant)
    learned.set(tenant, next)
    const [oldest] = learned.keys()
    if (learned.size > MAX_TENANTS && oldest !== undefined) learned.delete(oldest)
  }

  return {
    callsOf,
    requestsOf: (tenant) => {
      const isQuick = (learned.get(tenant)?.calls ?? 0) > FIRST_CALLS
      if (hasOthers(tenant)) return isQuick && !hasUsedMuch(tenant) ? MAX_REQUESTS : 1
      return isQuick ? Number.POSITIVE_INFINITY : SLOW_ALONE
    },
    async run(tenant, ask) {
      if (!hasOthers(tenant) || !hasUsedMuch(tenant)) {
        const { restMs, answer } = await measure(tenant, ask)
        return { restMs, answer: await answer }
      }
      // The rest is part of the line.
      return { restMs: 0, answer: await runInLine(tenant, ask) }
    },
  }

  /** An answer that does not come counts as slow too. */
  async function measure<T>(tenant: Tenant, ask: () => Promise<T>): Promise<{ answer: Promise<T>; restMs: number }> {
    const [startedAt, calls] = [clock.monotonic(), callsOf(tenant)]
    const answer = ask()
    await answer.catch(() => {})
    const travelMs = Math.min(MAX_DISTANCE_MS, distanceMs())
    const tookMs = Math.max(0, clock.monotonic() - startedAt - travelMs)
    learn(tenant, calls, { startedAt, tookMs })
    const rest = hasUsedMuch(tenant) ? LONG_REST : REST
    return { answer, restMs: hasOthers(tenant) && tookMs > QUICK_MS ? Math.min(MAX_REST_MS, tookMs * rest) : 0 }
  }

  async function runInLine<T>(tenant: Tenant, ask: () => Promise<T>): Promise<T> {
    const before = lines.get(tenant)
    let goOn = (): void => {}
    const over = new Promise<void>((resolve) => {
      goOn = resolve
    }).then(() => {
      if (lines.get(tenant) === over) lines.delete(tenant)
    })
    lines.set(tenant, over)
    await before
    const { answer, restMs } = await measure(tenant, ask)
    if (restMs > 0) clock.schedule(restMs, goOn)
    else goOn()
    return answer
  }
}
