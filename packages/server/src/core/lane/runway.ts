/** How many more transactions a signer's balance pays for, and when that is too few. */
import type { Policy } from './policy.ts'

/** What one transaction of a lane costs its account: the fee, and the value if it succeeded. */
export interface TxCost {
  readonly wei: bigint
  /** How many transactions it averages, up to `MAX_SAMPLES`; 0: a plain transfer at the current price. */
  readonly samples: number
}

/** Recent enough to follow prices, long enough not to jump with one transaction. */
const MAX_SAMPLES = 20

export function addSample(average: TxCost | null, costWei: bigint): TxCost {
  if (average === null || average.samples === 0) return { wei: costWei, samples: 1 }
  const samples = Math.min(average.samples + 1, MAX_SAMPLES)
  return { wei: average.wei + (costWei - average.wei) / BigInt(samples), samples }
}

const TRANSFER_GAS = 21_000n

export function estimateTxCost(pricePerGasWei: bigint): TxCost {
  return { wei: TRANSFER_GAS * pricePerGasWei, samples: 0 }
}

/** Null: unknown, or transactions cost nothing here. */
export function countRunway(balanceWei: bigint, cost: TxCost | null): number | null {
  if (cost === null || cost.wei <= 0n) return null
  const count = balanceWei / cost.wei
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(count)
}

export interface Funds {
  readonly balanceWei: bigint
  readonly txCost: TxCost | null
  /** It has sent something, or wants to. An empty, unused account is no reason for an alarm. */
  readonly isInUse: boolean
}

/** Once low, it takes half as much again to recover: a balance around the limit is reported once, not every block. */
export function isBalanceLow({ balanceWei, txCost, isInUse }: Funds, policy: LowPolicy, wasLow: boolean): boolean {
  const isBelow = (limitWei: bigint) => balanceWei * 2n < limitWei * (wasLow ? 3n : 2n)
  if (policy.lowBalanceWei !== null && isBelow(policy.lowBalanceWei)) return true
  if (policy.lowRunway === null || txCost === null || !isInUse) return false
  return txCost.wei > 0n && isBelow(txCost.wei * BigInt(policy.lowRunway))
}

type LowPolicy = Pick<Policy, 'lowBalanceWei' | 'lowRunway'>
