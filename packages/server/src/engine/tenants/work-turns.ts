/**
 * Turns at the node itself. All requests share one thread, so a flood from one tenant would make everyone wait. A
 * tenant that is alone is never held back. While several are active, each gets a share of the thread's time and a
 * limited number of requests in work. Its other requests wait in its own queue, unread. A tenant with little to do
 * never waits. Callers without a key make no tenant wait: they are held back as soon as one tenant is active.
 *
 * Usage is counted in milliseconds: a fixed amount per request, plus the cost of long work, bytes and accepted
 * transactions. A tenant that asks for more than the average of all, and has used more than its share, waits until
 * enough time has passed. The share follows how late the thread is (`busy-share.ts`). It is a share of what the machine
 * gives this process, which may be less than a whole processor. A turn ends with the work, or after a moment: work that
 * takes longer is waiting for something else, and this thread is free.
 */
import { AppError } from '../../core/app-error.ts'
import type { Clock } from '../../ports/clock.ts'
import { createBusyShare } from './busy-share.ts'
import type { Gone } from './gone.ts'
import { createRefusalLine, MAX_REFUSAL_MS, REFUSAL_EVERY_MS, type RefusalLine } from './refusal-line.ts'
import { ANONYMOUS, HEALTH_CHECKS, PUBLIC, refuseShare, type Tenant } from './tenant-pool.ts'

export interface WorkTurns {
  /**
   * Resolves when its turn comes, with a function that ends the work; with null if the caller has gone by then and
   * there is nothing to do. Throws `tenant_limit` if too many of the tenant's own requests wait.
   */
  begin(tenant: Tenant, asked: TurnRequest): Promise<(() => void) | null>
  /** The tenant used the thread, or will use it, for this long on top of what each request counts. */
  spend(tenant: Tenant, ms: number): void
  /**
   * For the pieces of long work: if the tenant has not used more than its share, spends this and returns null; else
   * resolves when it is spent. If it is not known before (0), what has to wait counts as long.
   */
  spendWhenDue(tenant: Tenant, ms: number): Promise<void> | null
  /**
   * Resolves when a refusal may be sent. While several tenants are active, those of one tenant are sent one by one after
   * the first few, and all of them while the thread is late: a caller that retries at once would cost more than the
   * refusal saves. Also resolves when the caller has gone. False: callers without a key wait for so many that this one
   * should not be sent at all.
   */
  untilRefusal(tenant: Tenant, gone: Gone): Promise<boolean>
  /** Several tenants are active. */
  isCrowded(): boolean
  /** Which part of the thread's time this tenant may use. All of it, unless another one is active. */
  shareOf(tenant: Tenant): number
}

interface TurnRequest {
  /** Aborted when the caller has gone: then its place in the queue is free again. */
  readonly gone: Gone
  /** One of a bounded number, such as a stream: it is never refused a place in the queue. */
  readonly isBounded?: boolean
  /** How long the thread will take for it, on top of what each request counts. */
  readonly ms?: number
}

interface Waiting {
  readonly since: number
  readonly isBounded: boolean
  settle(how: 'starts' | 'left' | 'refused'): void
}

interface Line {
  /** Of callers without a key. */
  readonly isAnonymous: boolean
  /** Of a tenant's share. */
  readonly part: number
  /** What each request counts. */
  readonly requestMs: number
  readonly waiting: Set<Waiting>
  /** Long work that rests between its pieces. */
  readonly resting: Set<{ readonly ms: number; goOn(): void }>
  running: number
  seenAt: number
  /** Thread time used beyond the share, as of `countedAt`. */
  usedMs: number
  /** Thread time used in the last second or so. */
  recentMs: number
  countedAt: number
  /** Asks for more than the average of all tenants. */
  isHeavy: boolean
  readonly refusals: RefusalLine
}

const LOOK_EVERY_MS = 10
const MAX_TURN_MS = 250
const MAX_RUNNING = 16
const MAX_WAITING = 1_000
const MAX_WAIT_MS = 10_000
/** While the thread is late. */
const REFUSAL_MS = 1_000
/** Of callers without a key. */
const MAX_REFUSALS = MAX_REFUSAL_MS / REFUSAL_EVERY_MS
/** Per look. */
const MAX_REFUSED = 2
/** How long after its last request a tenant still counts. */
const SEEN_FOR_MS = 15_000
const RETRY_AFTER_MS = 1_000
const WITHOUT_KEY = 'Too many requests without an API key are waiting. Retry after the time given.'

/** Whoever uses the thread for this long at once counts as active, even without a request. */
const LONG_MS = 5
/** What each request counts. */
const REQUEST_MS = 2
const HEALTH_CHECK_MS = 0.2
/** Of a tenant's share. */
const PUBLIC_PART = 0.25
/** May be used at once without waiting. */
const BURST_MS = 5
/** Usage beyond this is not counted against a tenant. */
const MAX_USED_MS = 10_000
const RECENT_MS = 1_000

/** `capacity`: the fraction of a processor that the thread gets when it has work. */
export function createWorkTurns(clock: Pick<Clock, 'monotonic' | 'schedule'>, capacity = () => 1): WorkTurns {
  const lines = new Map<Tenant, Line>()
  const share = createBusyShare()
  let isLooking = false

  function countTenants(): number {
    let count = lines.size
    for (const name of ANONYMOUS) if (lines.has(name)) count -= 1
    return count
  }

  /** Tenants are active besides this one. Who calls without a key because none is needed is not one. */
  function hasOthers(tenant: Tenant): boolean {
    const [own, open] = [lines.has(tenant) && !ANONYMOUS.includes(tenant), tenant !== null && lines.has(null)]
    return countTenants() > Number(own) + Number(open)
  }

  const isCrowded = (): boolean => countTenants() > 1

  /** Others are active for whom it has to be held back. */
  const hasRivals = (line: Line): boolean => countTenants() > (line.isAnonymous ? 0 : 1)

  /** Usage decays with time. */
  function count(line: Line): number {
    const now = clock.monotonic()
    const passedMs = now - line.countedAt
    line.usedMs = Math.max(0, line.usedMs - passedMs * share.now() * line.part * capacity())
    line.recentMs *= Math.exp(-passedMs / RECENT_MS)
    line.countedAt = now
    return line.usedMs
  }

  const isDue = (line: Line): boolean => !hasRivals(line) || count(line) < BURST_MS || !line.isHeavy

  const mayRun = (line: Line): boolean => !hasRivals(line) || (line.running < MAX_RUNNING && isDue(line))

  function use(line: Line, ms: number): void {
    line.usedMs = Math.min(MAX_USED_MS, count(line) + ms)
    line.recentMs += ms
    if (!hasRivals(line)) line.usedMs = 0
    // Much of this can happen before the next look.
    else if (ms >= LONG_MS) weigh()
  }

  function weigh(): void {
    const demands = [...lines.values()].map((line): [Line, number] => {
      count(line)
      return [line, line.recentMs + line.waiting.size * REQUEST_MS + line.resting.size]
    })
    const ofTenants = demands.filter(([line]) => !line.isAnonymous)
    const average = ofTenants.reduce((sum, [, demand]) => sum + demand, 0) / ofTenants.length
    for (const [line, demand] of demands) {
      line.isHeavy = line.isAnonymous || demand > average
      // It has waited for nothing. If others ask for less later, it must not have to wait for what it used before.
      if (!line.isHeavy) line.usedMs = Math.min(line.usedMs, BURST_MS)
    }
  }

  function startWaiting(): void {
    for (const line of lines.values()) {
      for (const { settle } of line.waiting) {
        if (!mayRun(line)) break
        settle('starts')
      }
      refuseOld(line)
      for (const piece of line.resting) {
        if (!isDue(line)) break
        line.resting.delete(piece)
        use(line, piece.ms)
        piece.goOn()
      }
    }
  }

  /**
   * A request that waited this long gets a time to come back, before its caller gives up. The oldest go first, a few
   * per look, so requests that arrived together do not all come back together.
   */
  function refuseOld({ waiting }: Line): void {
    const since = clock.monotonic() - MAX_WAIT_MS
    let left = MAX_REFUSED
    for (const entry of waiting) {
      if (entry.since > since || left === 0) return
      if (entry.isBounded) continue
      entry.settle('refused')
      left -= 1
    }
  }

  /** Only while a tenant is active: an idle node has no timers. */
  function look(): void {
    isLooking = true
    const startedAt = clock.monotonic()
    clock.schedule(LOOK_EVERY_MS, () => {
      isLooking = false
      const now = clock.monotonic()
      const tookMs = now - startedAt
      if ([...lines.values()].some(hasRivals)) share.adjust({ tookMs, lateMs: tookMs - LOOK_EVERY_MS, at: now })
      else share.reset()
      for (const [tenant, line] of lines) {
        line.refusals.send()
        const waiting = line.waiting.size + line.resting.size + line.refusals.size()
        const isIdle = line.running === 0 && waiting === 0
        if (isIdle && now - line.seenAt > SEEN_FOR_MS) lines.delete(tenant)
      }
      weigh()
      startWaiting()
      if (lines.size > 0) look()
    })
  }

  function enter(line: Line, { ms = 0 }: TurnRequest): void {
    line.running += 1
    use(line, line.requestMs + ms)
  }

  function getLine(tenant: Tenant): Line {
    const now = clock.monotonic()
    const known = lines.get(tenant)
    const line = known ?? createLine(tenant, clock)
    lines.set(tenant, line)
    // The share starts small, so that a newcomer's first burst is held back too.
    if (known === undefined && !line.isAnonymous && countTenants() === 2) share.reset()
    line.seenAt = now
    if (!isLooking) look()
    return line
  }

  function endOnce(line: Line): () => void {
    let isOver = false
    const end = (): void => {
      if (isOver) return
      isOver = true
      cancel()
      line.running -= 1
      startWaiting()
    }
    const cancel = clock.schedule(MAX_TURN_MS, end)
    return end
  }

  /** Whether it got its turn; false if the caller has gone. */
  function waitInLine(line: Line, asked: TurnRequest): Promise<boolean> {
    const { gone, isBounded = false } = asked
    return new Promise((resolve, reject) => {
      const leave = (): void => entry.settle('left')
      const entry: Waiting = {
        isBounded,
        since: clock.monotonic(),
        settle(how) {
          line.waiting.delete(entry)
          gone.removeEventListener('abort', leave)
          // Counted here and not when it continues, or others would start in between.
          if (how === 'starts') enter(line, asked)
          if (how === 'refused') reject(refuseWork(line))
          else resolve(how === 'starts')
        },
      }
      line.waiting.add(entry)
      gone.addEventListener('abort', leave)
    })
  }

  return {
    isCrowded,
    shareOf: (tenant) => (hasOthers(tenant) ? Math.min(1, share.now()) : 1),
    async begin(tenant, asked) {
      if (asked.gone.aborted) return null
      const line = getLine(tenant)
      if (line.waiting.size === 0 && mayRun(line)) {
        enter(line, asked)
        return endOnce(line)
      }
      if (line.waiting.size >= MAX_WAITING && asked.isBounded !== true) throw refuseWork(line)
      return (await waitInLine(line, asked)) ? endOnce(line) : null
    },
    spend(tenant, ms) {
      const line = ms < LONG_MS ? lines.get(tenant) : getLine(tenant)
      if (line !== undefined) use(line, ms)
    },
    async untilRefusal(tenant, gone) {
      // Who is only refused is active too.
      const line = getLine(tenant)
      if (!hasRivals(line)) return true
      if (line.isAnonymous && line.refusals.size() >= MAX_REFUSALS) return false
      // Those of callers without a key cost little, and a wrong key should be known soon.
      const mayBeSoon = share.isWhole() || line.isAnonymous
      if (!mayBeSoon || !line.refusals.skip()) await line.refusals.wait(gone, mayBeSoon ? 0 : REFUSAL_MS)
      return true
    },
    spendWhenDue(tenant, ms) {
      const line = lines.get(tenant)
      if (line === undefined) return null
      if (line.resting.size > 0 || !isDue(line))
        return new Promise((goOn) => line.resting.add({ ms: ms === 0 ? LONG_MS : ms, goOn }))
      use(line, ms)
      return null
    },
  }
}

function refuseWork({ isAnonymous }: Line): AppError {
  if (isAnonymous) return new AppError('overloaded', WITHOUT_KEY, { retryAfterMs: RETRY_AFTER_MS })
  return refuseShare({ what: 'requests in line', limit: MAX_WAITING, retryAfterMs: RETRY_AFTER_MS })
}

function createLine(tenant: Tenant, clock: Pick<Clock, 'monotonic'>): Line {
  const now = clock.monotonic()
  const isAnonymous = ANONYMOUS.includes(tenant)
  return {
    isAnonymous,
    part: tenant === PUBLIC ? PUBLIC_PART : 1,
    requestMs: tenant === HEALTH_CHECKS ? HEALTH_CHECK_MS : REQUEST_MS,
    waiting: new Set(),
    resting: new Set(),
    running: 0,
    seenAt: now,
    usedMs: 0,
    recentMs: 0,
    countedAt: now,
    isHeavy: isAnonymous,
    refusals: createRefusalLine(clock),
  }
}
