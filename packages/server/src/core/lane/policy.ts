/** What Drover may and may not do for a signer: two presets, every field of which can be set per signer. */
import type { Finality } from '../chain/finality.ts'

/** `on_order`: only where an operator or the stuck hook says so. `automatic`: also by itself, where price is the reason. */
export const REPLACEMENTS = ['never', 'on_order', 'automatic'] as const
export type MayReplace = (typeof REPLACEMENTS)[number]

export interface Policy {
  readonly preset: 'stable' | 'fast'
  /** Transactions of the lane that hold a slot at one time; `auto`: as many as the chain's nodes keep, see window.ts. */
  readonly maxInFlight: number | 'auto'
  /** When a transaction gives its slot to the next one. */
  readonly slotHeldUntil: 'mined' | 'final'
  /** Most transactions that are mined and not final. */
  readonly maxUnfinal: number
  /** The same bytes go out again after this long without inclusion. */
  readonly resubmitIntervalMs: number
  /** Without inclusion for this long, or after this many refused sends, the transaction is STUCK. */
  readonly stuckAfterMs: number
  readonly maxSubmitAttempts: number
  /** Whether another transaction may take the place of a sent one: fee bump, cancel, fill. */
  readonly mayReplace: MayReplace
  /** Without inclusion for this long, and only if its price is why, a transaction is signed again at a higher one. */
  readonly bumpAfterMs: number
  /** A queued transaction that the balance does not cover holds those behind it, or lets them go first. */
  readonly onDeferral: 'hold' | 'pass_over'
  /** Below this balance a warning is given; null: never. */
  readonly lowBalanceWei: bigint | null
  /** The same below so many transactions that the balance still pays for; null: never. */
  readonly lowRunway: number | null
  /** The key is used by somebody else too: a nonce is max(cursor, chain). */
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

/** Stability before speed: one at a time, and nothing is replaced or filled unless somebody orders it. */
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

/** For a signer whose policy is not known. */
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

/** Replaces without being asked: bumps, fills gaps, makes way, and cancels what is past its deadline. */
export function replacesByItself({ mayReplace }: Pick<Policy, 'mayReplace'>): boolean {
  return mayReplace === 'automatic'
}

/** Policies were stored with yes or no before there was the choice between. */
export function readMayReplace(stored: MayReplace | boolean): MayReplace {
  if (typeof stored === 'boolean') return stored ? 'automatic' : 'never'
  return stored
}
