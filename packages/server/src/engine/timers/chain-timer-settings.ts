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
  /** Of the places at one watched key, and at one contract. */
  readonly tenantSharePercent: number
  readonly retryMs: number
  /** By which times become heights. */
  readonly blockTimeMs: number
}
