/**
 * Turns at the node itself. All requests share one thread, so a flood of one tenant would make everybody wait. As long as
 * a tenant is alone, or the thread keeps up, nothing is held back. When timers fire late and others are there too, each
 * tenant may have only so many requests in work; the rest of its own wait in its own line, unread. The number is halved
 * while the thread is late and grows again while it is not. A tenant with little to do never waits. A turn ends with the
 * work, or after a moment: who takes longer waits for something else, and this thread is free.
 */
import type { Clock } from '../../ports/clock.ts'
import { refuseShare, type Tenant } from './tenant-pool.ts'

export interface WorkTurns {
  /**
   * Resolves when it is its turn, with what ends the work; with null where whoever asked has gone by then, and there is
   * nothing to do. Throws `tenant_limit` where too many of its own wait.
   */
  begin(tenant: Tenant, asked: TurnRequest): Promise<(() => void) | null>
  /** How many of anything one tenant may have in work now. */
  most(): number
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
  running: number
  seenAt: number
}

const LOOK_EVERY_MS = 25
/** Later than this, and others notice. */
const LATE_MS = 10
const CUT_EVERY_MS = 100
const LONGEST_TURN_MS = 250
const FEWEST = 2
const MOST = 64
const MOST_WAITING = 1_000
/** How long after its last request a tenant still counts. */
const SEEN_FOR_MS = 5_000
const RETRY_AFTER_MS = 1_000

export function createWorkTurns(clock: Pick<Clock, 'monotonic' | 'schedule'>): WorkTurns {
  const lines = new Map<Tenant, Line>()
  let limit = MOST
  let cutAt = Number.NEGATIVE_INFINITY
  let isLooking = false

  const isCrowded = (): boolean => lines.size > 1

  const most = (): number => (isCrowded() ? limit : Number.POSITIVE_INFINITY)

  function mayRun(line: Line): boolean {
    return line.running < most()
  }

  function startWaiting(): void {
    for (const line of lines.values()) {
      for (const settle of line.waiting) {
        if (!mayRun(line)) break
        settle(true)
      }
    }
  }

  /** Only while somebody is there: a node at rest has no timers. */
  function look(): void {
    isLooking = true
    const expected = clock.monotonic() + LOOK_EVERY_MS
    clock.schedule(LOOK_EVERY_MS, () => {
      isLooking = false
      const now = clock.monotonic()
      adjust(now - expected, now)
      for (const [tenant, line] of lines) {
        const isGone = line.running === 0 && line.waiting.size === 0 && now - line.seenAt > SEEN_FOR_MS
        if (isGone) lines.delete(tenant)
      }
      startWaiting()
      if (lines.size > 0) look()
    })
  }

  function adjust(lateMs: number, now: number): void {
    if (lateMs <= LATE_MS) limit = Math.min(MOST, limit + Math.max(1, Math.floor(limit / 16)))
    else if (isCrowded() && now - cutAt >= CUT_EVERY_MS) {
      limit = Math.max(FEWEST, Math.floor(limit / 2))
      cutAt = now
    }
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
        if (mayStart) line.running += 1
        resolve(mayStart)
      }
      line.waiting.add(settle)
      gone.addEventListener('abort', leave)
    })
  }

  return {
    most,
    isHoldingBack: () => isCrowded() && limit < MOST,
    async begin(tenant, { gone, isBounded = false }) {
      if (gone.aborted) return null
      const line = lines.get(tenant) ?? { waiting: new Set(), running: 0, seenAt: 0 }
      lines.set(tenant, line)
      line.seenAt = clock.monotonic()
      if (!isLooking) look()
      if (line.waiting.size === 0 && mayRun(line)) {
        line.running += 1
        return endOnce(line)
      }
      if (line.waiting.size >= MOST_WAITING && !isBounded) {
        throw refuseShare({ what: 'requests in line', limit: MOST_WAITING, retryAfterMs: RETRY_AFTER_MS })
      }
      return (await waitInLine(line, gone)) ? endOnce(line) : null
    },
  }
}
