/**
 * How much of a chain's node one tenant may use at once. The cost of a call is known only after the node has answered:
 * it is the time that the answer took, without the round trip to the node. So a tenant begins with a few calls, gets
 * more while they are answered quickly, and fewer while they are slow. A tenant that is alone begins with a few too: a
 * node cannot be asked to stop, and the next tenant would have to wait until it is done. While others ask the same node, a
 * tenant rests after slow calls, so the node has most of its time for the others. Whoever goes on with slow calls has one
 * request with the node at a time, whatever it is for, and rests longer: the slower it was, the longer, because others may
 * wait for all of it.
 *
 * Slow is what takes far longer than what the others ask for, and longer than the round trip to the node: on a node that is
 * slow for everybody, or far away, nobody is held back. Nor is a request that began while a slow one of another tenant was
 * with the node.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Tenant } from './tenant-pool.ts'

export interface UpstreamPace {
  /** Calls that may go to the node together. */
  callsOf(tenant: Tenant): number
  /** Requests, of that many calls each, that may be with the node at once. */
  requestsOf(tenant: Tenant): number
  /** Others have asked the node lately. */
  hasOthers(tenant: Tenant): boolean
  /**
   * Runs one request, now or after others of a tenant that has used much, and learns from it unless it turns out that
   * nothing had to be asked. Returns its answer, and how long to rest before the next.
   */
  run<T>(
    tenant: Tenant,
    ask: () => Promise<T>,
    wasAsked?: () => boolean,
  ): Promise<{ readonly answer: T; readonly restMs: number }>
}

interface UpstreamPaceOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  /** How long a round trip to the node takes, whatever is asked. */
  distanceMs(): number
}

interface Learned {
  readonly calls: number
  /** What most of its requests take at least. */
  readonly usualMs: number
  /** When it was last answered. */
  readonly at: number
  /** The node's time that slow calls took, less what was forgiven since; as of `at`. */
  readonly slowMs: number
  /** When the last slow one was answered. */
  readonly slowAt: number
}

interface Measured {
  readonly startedAt: number
  readonly tookMs: number
  /** Not part of it. */
  readonly travelMs: number
  /** Of other tenants: were with the node when it began. */
  readonly before: readonly Running[]
}

interface Running {
  readonly tenant: Tenant
  readonly startedAt: number
  endedAt: number | null
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
/** How long after its last answer a tenant still counts. */
const ACTIVE_MS = 15_000
/**
 * The longest round trip that is believed: as far as one point of the earth is from another. Where even the quickest answer
 * takes longer, the node is overloaded, perhaps by the very tenant whose calls are measured.
 */
const MAX_DISTANCE_MS = 300
/** At least; on a slower node, as a multiple of what others usually wait. */
const QUICK_MS = 10
const QUICK = 1.5
const SLOW_MS = 20
const SLOW = 3
/** Rest after slow calls, as a multiple of the time they took. */
const REST = 3
/** The same for a tenant whose slow calls have taken much of the node's time; twice as much for what was twice as slow. */
const LONG_REST = 9
const MUCH_MS = 300
/** What one slow request counts at most: a node that pauses for a moment says nothing about the calls. */
const MAX_COUNTED_MS = 100
/** Of the time that passes: a burst of slow calls is remembered for a minute or so. */
const FORGIVEN = 0.01
const MAX_SLOW_MS = 1_500
/** `usualMs` follows quicker answers soon, and slower ones hardly: others may have made them slow. */
const FALL = 0.2
const RISE = 0.01
const MAX_REST_MS = 5_000
const MAX_TENANTS = 1_000

/** Whatever fits is passed on. */
export const NO_PACE: UpstreamPace = {
  callsOf: () => MAX_CALLS,
  requestsOf: () => Number.POSITIVE_INFINITY,
  hasOthers: () => false,
  run: async (_tenant, ask) => ({ answer: await ask(), restMs: 0 }),
}

/** Work without a tenant is the service's own, or that of the only caller of a service without keys: it has no pace. */
export function createUpstreamPace({ clock, distanceMs }: UpstreamPaceOptions): UpstreamPace {
  const learned = new Map<Tenant, Learned>()
  /** Of tenants that have used much: settles when the last request in line is done and has rested. */
  const lines = new Map<Tenant, Promise<void>>()
  /** With the node now. */
  const running = new Set<Running>()

  function othersOf(tenant: Tenant): readonly Learned[] {
    const since = clock.monotonic() - ACTIVE_MS
    return [...learned].flatMap(([other, known]) => (other !== tenant && known.at > since ? [known] : []))
  }

  const hasOthers = (tenant: Tenant): boolean => tenant !== null && othersOf(tenant).length > 0

  /** What its requests are compared with: what others wait for theirs, or else what it usually waits itself. */
  function referenceOf(tenant: Tenant): number {
    const others = othersOf(tenant).map(({ usualMs }) => usualMs)
    return others.length > 0 ? Math.min(...others) : (learned.get(tenant)?.usualMs ?? 0)
  }

  function callsOf(tenant: Tenant): number {
    if (tenant === null) return MAX_CALLS
    const calls = learned.get(tenant)?.calls ?? FIRST_CALLS
    if (!hasOthers(tenant)) return Math.max(MIN_ALONE, calls)
    return Math.min(hasUsedMuch(tenant) ? MAX_AFTER_SLOW : MAX_BESIDE_OTHERS, calls)
  }

  function slowMsOf(tenant: Tenant): number {
    const known = learned.get(tenant)
    return known === undefined ? 0 : Math.max(0, known.slowMs - (clock.monotonic() - known.at) * FORGIVEN)
  }

  const hasUsedMuch = (tenant: Tenant): boolean => slowMsOf(tenant) > MUCH_MS

  /** Returns how many times as long as a slow request it took; 0 if it was not slow. */
  function learn(tenant: Tenant, calls: number, { startedAt, tookMs, travelMs, before }: Measured): number {
    const now = clock.monotonic()
    const known = learned.get(tenant)
    const reference = referenceOf(tenant)
    const quickMs = Math.max(QUICK_MS, reference * QUICK, travelMs)
    const slowMs = Math.max(SLOW_MS, reference * SLOW, travelMs)
    const limitMs = Math.max(QUICK_MS, reference * SLOW, travelMs)
    const isExcused = before.some((other) => (other.endedAt ?? now) - other.startedAt > limitMs)
    const isSlow = tookMs > limitMs && !isExcused
    // Those that were with the node at the same time count once.
    const isCounted = isSlow && startedAt >= (known?.slowAt ?? Number.NEGATIVE_INFINITY)
    const usualMs = known?.usualMs ?? tookMs
    const next: Learned = {
      calls: isExcused ? (known?.calls ?? FIRST_CALLS) : nextCalls(calls, tookMs, { quickMs, slowMs }),
      usualMs: usualMs + (tookMs - usualMs) * (tookMs < usualMs ? FALL : RISE),
      at: now,
      slowMs: Math.min(MAX_SLOW_MS, slowMsOf(tenant) + (isCounted ? Math.min(MAX_COUNTED_MS, tookMs) : 0)),
      slowAt: isSlow ? now : (known?.slowAt ?? Number.NEGATIVE_INFINITY),
    }
    learned.delete(tenant)
    learned.set(tenant, next)
    const [oldest] = learned.keys()
    if (learned.size > MAX_TENANTS && oldest !== undefined) learned.delete(oldest)
    return isSlow ? tookMs / limitMs : 0
  }

  /** An answer that does not come counts too. */
  async function measure<T>(
    tenant: Tenant,
    ask: () => Promise<T>,
    wasAsked: () => boolean,
  ): Promise<{ readonly answer: Promise<T>; readonly restMs: number }> {
    const [startedAt, calls] = [clock.monotonic(), callsOf(tenant)]
    const before = [...running].filter((other) => other.tenant !== tenant)
    const own: Running = { tenant, startedAt, endedAt: null }
    running.add(own)
    const answer = (async () => ask())()
    await answer.catch(() => {})
    running.delete(own)
    own.endedAt = clock.monotonic()
    const travelMs = Math.min(MAX_DISTANCE_MS, distanceMs())
    const tookMs = Math.max(0, own.endedAt - startedAt - travelMs)
    const slowness = tenant !== null && wasAsked() ? learn(tenant, calls, { startedAt, tookMs, travelMs, before }) : 0
    const rest = hasUsedMuch(tenant) ? LONG_REST * slowness : REST
    return { answer, restMs: slowness > 0 && hasOthers(tenant) ? Math.min(MAX_REST_MS, tookMs * rest) : 0 }
  }

  async function runInLine<T>(tenant: Tenant, ask: () => Promise<T>, wasAsked: () => boolean): Promise<T> {
    const before = lines.get(tenant)
    let goOn = (): void => {}
    const over = new Promise<void>((resolve) => {
      goOn = resolve
    }).then(() => {
      if (lines.get(tenant) === over) lines.delete(tenant)
    })
    lines.set(tenant, over)
    await before
    const { answer, restMs } = await measure(tenant, ask, wasAsked)
    if (restMs > 0) clock.schedule(restMs, goOn)
    else goOn()
    return answer
  }

  return {
    callsOf,
    hasOthers,
    requestsOf: (tenant) => {
      if (tenant === null) return Number.POSITIVE_INFINITY
      const isQuick = (learned.get(tenant)?.calls ?? 0) > FIRST_CALLS
      if (hasOthers(tenant)) return isQuick && !hasUsedMuch(tenant) ? MAX_REQUESTS : 1
      return isQuick ? Number.POSITIVE_INFINITY : SLOW_ALONE
    },
    async run(tenant, ask, wasAsked = () => true) {
      // The rest is part of the line.
      if (hasOthers(tenant) && hasUsedMuch(tenant)) return { restMs: 0, answer: await runInLine(tenant, ask, wasAsked) }
      const { restMs, answer } = await measure(tenant, ask, wasAsked)
      return { restMs, answer: await answer }
    },
  }
}

function nextCalls(
  calls: number,
  tookMs: number,
  { quickMs, slowMs }: { readonly quickMs: number; readonly slowMs: number },
): number {
  if (tookMs <= quickMs) return Math.min(MAX_CALLS, calls * 2)
  // As many as would have been quick.
  return tookMs <= slowMs ? calls : Math.max(1, Math.floor((calls * quickMs) / tookMs))
}
