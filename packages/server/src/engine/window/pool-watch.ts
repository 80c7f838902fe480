/** Looks at what a node's pool shows of a lane's unmined transactions: one query at a time, outside the cycles. */
import type { Lane } from '../../core/lane/lane.ts'
import type { InFlight } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable, type PoolLook } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { findSentRun, type SentRun } from './sent-run.ts'

/** Why it looked: a batch was sent; a batch was sent and part of it did not show; a block passed without the lowest. */
type Cause = 'batch' | 'again' | 'block'

export interface Sighting {
  readonly cause: Cause
  /** What should be there. */
  readonly run: SentRun
  readonly look: PoolLook
}

export interface PoolWatch {
  /** Queries now, or when the running query is answered. */
  look(unmined: readonly InFlight[], missingFrom: number | null, cause: 'batch' | 'block'): void
  /** Queries once more for the same ones, when the pool has had time to sort them in. */
  lookAgain(run: SentRun): void
  takeSighting(): Sighting | null
  /** Runs the query that had to wait. */
  goOn(unmined: readonly InFlight[], missingFrom: number | null): void
}

export interface PoolWatchPorts {
  readonly chain: Pick<Chain, 'lookAtPool'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

const SORTING_MS = 150

export function createPoolWatch({ chain, clock, telemetry, lane, wake }: PoolWatchPorts): PoolWatch {
  let looking = false
  let waiting: 'batch' | 'block' | null = null
  let sighting: Sighting | null = null

  function ask(run: SentRun, cause: Cause): void {
    looking = true
    chain
      .lookAtPool(lane.signer, run.hashes)
      .then(
        (look) => {
          sighting = { cause, run, look }
        },
        (error: unknown) => {
          // Nothing is concluded; the next batch or block queries again.
          if (!(error instanceof ChainUnavailable)) throw error
        },
      )
      .catch((error: unknown) => telemetry.log('error', 'mempool check failed', { ...lane, error }))
      .finally(() => {
        looking = false
        wake()
      })
  }

  function look(unmined: readonly InFlight[], missingFrom: number | null, cause: 'batch' | 'block'): void {
    if (looking || sighting !== null) {
      waiting = waiting === 'block' ? waiting : cause
      return
    }
    const run = findSentRun(unmined, missingFrom)
    if (run !== null) ask(run, cause)
  }

  return {
    look,
    lookAgain: (run) => {
      looking = true
      clock.schedule(SORTING_MS, () => ask(run, 'again'))
    },
    takeSighting: () => {
      const taken = sighting
      sighting = null
      return taken
    },
    goOn: (unmined, missingFrom) => {
      if (waiting === null || looking) return
      const cause = waiting
      waiting = null
      look(unmined, missingFrom, cause)
    },
  }
}
