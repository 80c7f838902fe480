/**
 * Which part of the thread's time one tenant may use while several are active. It shrinks while timers fire late and
 * grows while they do not: fast while it is far below the share that was last too much, very slowly near it, because
 * everyone feels each time it is too much. It starts small, so a newcomer's first burst is held back too.
 */
export interface BusyShare {
  now(): number
  /** Nobody has to be held back. */
  isWhole(): boolean
  /** A timer fired after so long, which was so late. */
  adjust(look: { readonly tookMs: number; readonly lateMs: number; readonly at: number }): void
  /** A tenant is alone again. */
  reset(): void
}

const MIN = 0.1
const FIRST = 0.25
const WHOLE = 1
/** The cost of a request is an estimate: while the node keeps up, a tenant may get more by it than there is. */
const MAX = 4

/** Beyond this delay, others notice. */
const LATE_MS = 8
/** The thread is so late that others wait for it. */
const VERY_LATE_MS = 30
const CUT_EVERY_MS = 100
const CUT = 0.7
const DEEP_CUT = 0.4
const GROWTH_PER_MS = 0.0002
/** Close to the share that was last too much, it grows so much slower. */
const CLOSE = 0.5
const CAUTION = 0.1

export function createBusyShare(): BusyShare {
  let share = FIRST
  let cutAt = Number.NEGATIVE_INFINITY
  /** The share when the thread was last late. */
  let tooMuch = MAX

  return {
    now: () => share,
    isWhole: () => share >= WHOLE,
    reset: () => {
      share = FIRST
      tooMuch = MAX
    },
    adjust: ({ tookMs, lateMs, at }) => {
      if (lateMs <= LATE_MS) {
        const pace = share < Math.max(FIRST, tooMuch * CLOSE) ? GROWTH_PER_MS : GROWTH_PER_MS * CAUTION
        share = Math.min(MAX, share + tookMs * pace)
      } else if (at - cutAt >= CUT_EVERY_MS) {
        tooMuch = share
        share = Math.max(MIN, share * (lateMs > VERY_LATE_MS ? DEEP_CUT : CUT))
        cutAt = at
      }
    },
  }
}
