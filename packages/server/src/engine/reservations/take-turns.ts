/**
 * The queue and the callers that ask for nonces take turns at the free places of a lane, so that neither keeps the other
 * waiting. Once a caller was granted a nonce, the next place is the queue's, if the queue wants one. Its turn ends when
 * it has taken a place, or when it had the chance and nothing in it could go.
 */
export interface Turns {
  /** How many of the free places callers may be granted now. */
  forCallers(scene: TurnScene): number
  /** Callers of these tenants were granted nonces. */
  granted(tenants: readonly string[]): void
  /** A pass of the queue has returned while there was room. */
  queuePassed(pass: { readonly taken: number; readonly hasFailures: boolean }): void
  /** Tenants that were granted a nonce, the latest last. */
  served(): readonly string[]
}

export interface TurnScene {
  readonly slots: number
  /** There may be a transaction in the queue that can go. */
  readonly queueWaits: boolean
  /** The lowest free nonce below one that the lane has sent; null if there is none. */
  readonly gap: number | null
}

/** Transactions that fail before they take a place do not end the queue's turn, but not forever. */
const MAX_FAILED_PASSES = 10
/** Tenants that were served longer ago count as never served. */
const MAX_SERVED = 1_000

export function createTurns(): Turns {
  let isQueuesTurn = false
  let failedPasses = 0
  let knownGap: number | null = null
  let served: readonly string[] = []

  return {
    forCallers: ({ slots, queueWaits, gap }) => {
      // What was sent waits for a new gap to be closed, so the queue is asked first.
      if (gap !== null && gap !== knownGap) isQueuesTurn = true
      knownGap = gap
      if (!queueWaits) return slots
      if (!isQueuesTurn) return Math.ceil(slots / 2)
      return gap === null ? Math.floor(slots / 2) : 0
    },
    granted: (tenants) => {
      if (tenants.length === 0) return
      isQueuesTurn = true
      failedPasses = 0
      const latest = [...new Set(tenants.toReversed())].reverse()
      served = [...served.filter((tenant) => !latest.includes(tenant)), ...latest].slice(-MAX_SERVED)
    },
    queuePassed: ({ taken, hasFailures }) => {
      if (taken === 0 && hasFailures && ++failedPasses < MAX_FAILED_PASSES) return
      isQueuesTurn = false
    },
    served: () => served,
  }
}
