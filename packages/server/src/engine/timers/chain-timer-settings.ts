/** How the timers of one chain behave. */
import type { Finality } from '../../core/chain/finality.ts'

export interface ChainTimerSettings {
  /** When a fire may be sent. */
  readonly deliverAt: Finality
  /** The chain's own rule. */
  readonly finality: Finality
  /** How deep a reorg can be followed. */
  readonly reorgDepth: number
  readonly maxQueuedPerSigner: number
  readonly retryMs: number
}
