/**
 * Turns at the node itself. All requests share one thread, so a flood of one tenant would make everybody wait. A tenant that
 * is alone is never held back. While several are there, each gets a share of the thread's time and only so many requests in
 * work; the rest of its own wait in its own line, unread. A tenant with little to do never waits.
 *
 * What a tenant uses is counted in milliseconds: so much for each request, and what long work, bytes and accepted
 * transactions cost on top. Who has used more than its share waits until time has made up for it. The share shrinks while
 * timers fire late and grows slowly while they do not; it starts small, so that the first burst of a newcomer is held back
 * too. A turn ends with the work, or after a moment: who takes longer waits for something else, and this thread is free.
 */
import type { Clock } from '../../ports/clock.ts'
import { refuseShare, type Tenant } from './tenant-pool.ts'

export interface WorkTurns {
  /**
   * Resolves when it is its turn, with what ends the work; with null where whoever asked has gone by then, and there is
   * nothing to do. Throws `tenant_limit` where too many of its own wait.
   */
  begin(tenant: Tenant, asked: TurnRequest): Promise<(() => void) | null>
  /** The tenant used the thread, or will, for so long besides what each request counts. */
  spend(tenant: Tenant, ms: number): void
  /** Resolves when the tenant has not used more than its share, and spends this then: for the pieces of long work. */
  spendWhenDue(tenant: Tenant, ms: number): Promise<void>
  /** Several tenants are there. */
  isCrowded(): boolean
  /** Tenants are held back: the thread was late a moment ago, and several are there. */
  isHoldingBack(): boolean
}

interface TurnRequest {
  /** Aborted when whoever asks has gone: then the place in line is free again. */
  readonly gone: AbortSignal
  /** One of a bounded number, such as a stream: it is never refused a place in line. */
  readonly isBounded?: boolean
}

interface Line {
  readonly waiting: Set<(mayStart: boolean) => void>
  /** Long work that rests between its pieces. */
  readonly resting: Set<{ readonly ms: number; goOn(): void }>
  running: number
  seenAt: number
  /** Thread time used beyond the share, as of `countedAt`. */
  usedMs: number
  countedAt: number
}

const LOOK_EVERY_MS = 10
/** Later than this, and others notice. */
const LATE_MS = 8
const CUT_EVERY_MS = 100
const LONGEST_TURN_MS = 250
const MOST_RUNNING = 16
const MOST_WAITING = 1_000
/** How long after its last request a tenant still counts. */
const SEEN_FOR_MS = 5_000
const RETRY_AFTER_MS = 1_000

/** Parts of the thread's time. All tenants together are left at least this much of it. */
const LEAST_SHARE = 0.4
const FIRST_SHARE = 0.25
const MOST_SHARE = 1
const CUT = 0.7
const GROWTH_PER_MS = 0.0002
/** What each request counts. */
const REQUEST_MS = 1
/** Used at once without waiting. */
const BURST_MS = 10
/** Beyond this nothing more is held against a tenant. */
const MOST_USED_MS = 10_000

export function createWorkTurns(clock: Pick<Clock, 'monotonic' | 'schedule'>): WorkTurns {
  const lines = new Map<Tenant, Line>()
  let share = FIRST_SHARE
  let cutAt = Number.NEGATIVE_INFINITY
  let isLooking = false

  const isCrowded = (): boolean => lines.size > 1

  /** What was used is made up for by time. */
  function count(line: Line): number {
    const now = clock.monotonic()
    line.usedMs = Math.max(0, line.usedMs - (now - line.countedAt) * share)
    line.countedAt = now
    return line.usedMs
  }

  const isDue = (line: Line): boolean => !isCrowded() || count(line) < BURST_MS

  const mayRun = (line: Line): boolean => !isCrowded() || (line.running < MOST_RUNNING && isDue(line))

  function use(line: Line, ms: number): void {
    line.usedMs = isCrowded() ? Math.min(MOST_USED_MS, count(line) + ms) : 0
  }

  function startWaiting(): void {
    for (const line of lines.values()) {
      for (const settle of line.waiting) {
        if (!mayRun(line)) break
        settle(true)
      }
      for (const piece of line.resting) {
        if (!isDue(line)) break
        line.resting.delete(piece)
        use(line, piece.ms)
        piece.goOn()
      }
    }
  }

  /** Only while somebody is there: a node at rest has no timers. */
  function look(): void {
    isLooking = true
    const startedAt = clock.monotonic()
    clock.schedule(LOOK_EVERY_MS, () => {
      isLooking = false
      const now = clock.monotonic()
      adjust(now - startedAt, now)
      for (const [tenant, line] of lines) {
        const isIdle = line.running === 0 && line.waiting.size === 0 && line.resting.size === 0
        if (isIdle && now - line.seenAt > SEEN_FOR_MS) lines.delete(tenant)
      }
      startWaiting()
      if (lines.size > 0) look()
    })
  }

  function adjust(tookMs: number, now: number): void {
    if (!isCrowded()) share = FIRST_SHARE
    else if (tookMs - LOOK_EVERY_MS <= LATE_MS) share = Math.min(MOST_SHARE, share + tookMs * GROWTH_PER_MS)
    else if (now - cutAt >= CUT_EVERY_MS) {
      share = Math.max(LEAST_SHARE / lines.size, share * CUT)
      cutAt = now
    }
  }

  function enter(line: Line): void {
    line.running += 1
    use(line, REQUEST_MS)
  }

  function getLine(tenant: Tenant): Line {
    const now = clock.monotonic()
    const line = lines.get(tenant) ?? createLine(now)
    lines.set(tenant, line)
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
    const cancel = clock.schedule(LONGEST_TURN_MS, end)
    return end
  }

  /** Whether it got its turn; false where who waits has gone. */
  function waitInLine(line: Line, gone: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (): void => settle(false)
      const settle = (mayStart: boolean): void => {
        line.waiting.delete(settle)
        gone.removeEventListener('abort', leave)
        // Counted here and not when it goes on, or others would start in between.
        if (mayStart) enter(line)
        resolve(mayStart)
      }
      line.waiting.add(settle)
      gone.addEventListener('abort', leave)
    })
  }

  return {
    isCrowded,
    isHoldingBack: () => isCrowded() && share < MOST_SHARE,
    async begin(tenant, { gone, isBounded = false }) {
      if (gone.aborted) return null
      const line = getLine(tenant)
      if (line.waiting.size === 0 && mayRun(line)) {
        enter(line)
        return endOnce(line)
      }
      if (line.waiting.size >= MOST_WAITING && !isBounded) {
        throw refuseShare({ what: 'requests in line', limit: MOST_WAITING, retryAfterMs: RETRY_AFTER_MS })
      }
      return (await waitInLine(line, gone)) ? endOnce(line) : null
    },
    spend(tenant, ms) {
      const line = lines.get(tenant)
      if (line !== undefined) use(line, ms)
    },
    async spendWhenDue(tenant, ms) {
      const line = lines.get(tenant)
      if (line === undefined) return
      if (line.resting.size === 0 && isDue(line)) use(line, ms)
      else await new Promise<void>((goOn) => line.resting.add({ ms, goOn }))
    },
  }
}

function createLine(now: number): Line {
  return { waiting: new Set(), resting: new Set(), running: 0, seenAt: now, usedMs: 0, countedAt: now }
}
