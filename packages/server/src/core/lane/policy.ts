/** What Drover may and may not do for a signer: two presets, with every field configurable per signer. */
import type { Finality } from '../chain/finality.ts'

/** `on_order`: only if an operator or the stuck hook orders it. `automatic`: also by itself, if price is the reason. */
export const REPLACEMENTS = ['never', 'on_order', 'automatic'] as const
export type MayReplace = (typeof REPLACEMENTS)[number]

export interface Policy {
  readonly preset: 'stable' | 'fast'
  /** Transactions of the lane that hold a slot at once; `auto`: as many as the chain's nodes keep, see window.ts. */
  readonly maxInFlight: number | 'auto'
  /** When a transaction gives its slot to the next one. */
  readonly slotHeldUntil: 'mined' | 'final'
  /** The most transactions that are mined and not final. */
  readonly maxUnfinal: number
  /** The same bytes are sent again after this long without inclusion. */
  readonly resubmitIntervalMs: number
  /** Without inclusion for this long, or after this many refused sends, the transaction is STUCK. */
  readonly stuckAfterMs: number
  readonly maxSubmitAttempts: number
  /** Whether another transaction may replace a sent one: fee bump, cancel, fill. */
  readonly mayReplace: MayReplace
  /** After this long without inclusion, and only if its price is the reason, it is signed again at a higher one. */
  readonly bumpAfterMs: number
  /** A queued transaction that the balance does not cover blocks those behind it, or lets them go first. */
  readonly onDeferral: 'hold' | 'pass_over'
  /** Warn below this balance; null: never. */
  readonly lowBalanceWei: bigint | null
  /** Warn when the balance pays for fewer transactions than this; null: never. */
  readonly lowRunway: number | null
  /** Someone else uses the key too: a nonce is max(cursor, chain). */
  readonly externalUse: boolean
  readonly onForeignNonce: 'stuck' | 'requeue'
  /** Estimated gas is multiplied by this, in percent. */
  readonly gasLimitPercent: number
  /** No attempt may offer more than this per gas, in wei. */
  readonly maxFeePerGasWei: bigint | null
  /** No transaction may cost more than this in fees, in wei; null: the chain's limit alone. */
  readonly maxTxFeeWei: bigint | null
  /** Null: the chain's rule. */
  readonly finality: Finality | null
}

/** Stability before speed: one at a time, and nothing is replaced or filled without an order. */
export const STABLE: Policy = {
  preset: 'stable',
  maxInFlight: 1,
  slotHeldUntil: 'final',
  maxUnfinal: 10_000,
  resubmitIntervalMs: 30_000,
  stuckAfterMs: 15 * 60_000,
  maxSubmitAttempts: 10,
  mayReplace: 'on_order',
  bumpAfterMs: 30_000,
  onDeferral: 'hold',
  lowBalanceWei: null,
  lowRunway: 20,
  externalUse: false,
  onForeignNonce: 'stuck',
  gasLimitPercent: 120,
  maxFeePerGasWei: null,
  maxTxFeeWei: null,
  finality: null,
}

/** For a signer whose policy is unknown. */
export const CAREFUL: Policy = { ...STABLE, mayReplace: 'never' }

export const FAST: Policy = {
  ...STABLE,
  preset: 'fast',
  maxInFlight: 'auto',
  slotHeldUntil: 'mined',
  mayReplace: 'automatic',
  externalUse: true,
  onForeignNonce: 'requeue',
  onDeferral: 'pass_over',
}

export const PRESETS: Readonly<Record<Policy['preset'], Policy>> = { stable: STABLE, fast: FAST }

/** Replaces without an order: bumps, fills gaps, makes way, and cancels transactions past their deadline. */
export function replacesByItself({ mayReplace }: Pick<Policy, 'mayReplace'>): boolean {
  return mayReplace === 'automatic'
}

/** Policies were stored with yes or no before the choice in between existed. */
export function readMayReplace(stored: MayReplace | boolean): MayReplace {
  if (typeof stored === 'boolean') return stored ? 'automatic' : 'never'
  return stored
}
