/**
 * The most that one transaction may cost in fees, whatever the source of the price: the market, the caller, a bump, a
 * fill, a cancel. Everything that is signed is checked against `findFeeCap`, and nothing else.
 *
 * A cap can be set for the chain, the signer and the API key. The lowest counts, so a level can lower what another
 * allows but never raise it. The chain always has one unless an operator set `none`.
 */
import { formatAmount, formatGwei } from '../amount.ts'
import type { Policy } from '../lane/policy.ts'
import type { Intent } from '../transaction/transaction.ts'
import type { CapSource } from './fee-limit.ts'
import { maxPricePerGas, type WantedFees } from './fees.ts'

/** One ETH, or one unit of the chain's own currency. */
export const DEFAULT_MAX_TX_FEE_WEI = 10n ** 18n

export interface FeeRules {
  /** The chain's cap on the fee of one transaction; null only if an operator set `none`. */
  readonly chainMaxFeeWei: bigint | null
  readonly policy: Pick<Policy, 'maxTxFeeWei' | 'maxFeePerGasWei'>
}

export interface FeeCap {
  /** The highest price per gas that stays within it. */
  readonly perGasWei: bigint
  /** The most the whole transaction may cost; null if the limit is per gas. */
  readonly feeWei: bigint | null
  readonly source: CapSource
}

/** The tightest limit for a transaction with this gas limit; null: no limit. */
export function findFeeCap(intent: Pick<Intent, 'maxFeeWei'>, gasLimit: bigint, rules: FeeRules): FeeCap | null {
  const { maxTxFeeWei } = rules.policy
  const whole = (feeWei: bigint | null, source: CapSource): FeeCap | null =>
    feeWei === null ? null : { perGasWei: feeWei / (gasLimit > 0n ? gasLimit : 1n), feeWei, source }
  return [
    whole(rules.chainMaxFeeWei, 'chain'),
    whole(maxTxFeeWei, 'signer'),
    whole(intent.maxFeeWei, 'key'),
    capPerGas(rules.policy),
  ].reduce(lowerCap, null)
}

/** The signer's limit per gas alone. */
export function capPerGas({ maxFeePerGasWei }: Pick<Policy, 'maxFeePerGasWei'>): FeeCap | null {
  return maxFeePerGasWei === null ? null : { perGasWei: maxFeePerGasWei, feeWei: null, source: 'signer_per_gas' }
}

/** A caller's own fees are the most that a replacement of its transaction may offer. */
export function capByRequest(cap: FeeCap | null, fees: WantedFees): FeeCap | null {
  const perGasWei = maxPricePerGas(fees)
  return perGasWei === null ? cap : lowerCap(cap, { perGasWei, feeWei: null, source: 'request' })
}

/** Fees that a caller left out are completed within the cap. */
export function isWithinCap(fees: WantedFees, cap: FeeCap | null): boolean {
  return cap === null || (highestNamed(fees) ?? 0n) <= cap.perGasWei
}

/** The highest price per gas that the caller set; null if it set none. */
export function highestNamed(fees: WantedFees): bigint | null {
  if (fees.type === 'legacy') return fees.gasPrice
  const { maxFeePerGas: most, maxPriorityFeePerGas: tip } = fees
  return most === null || (tip !== null && tip > most) ? tip : most
}

const SET_BY: Readonly<Record<CapSource, string>> = {
  chain: 'the chain setting maxTxFee',
  signer: "maxTxFee in the signer's policy",
  key: 'maxTxFee of the API key',
  signer_per_gas: "maxFeePerGas in the signer's policy",
  request: "the request's own fees",
}

/** E.g. `47619.048 gwei per gas (1 ETH per transaction, set by the chain setting maxTxFee)`. `asked` is the price above it. */
export function describeCap({ perGasWei, feeWei, source }: FeeCap, asked: bigint = perGasWei): string {
  const whole = feeWei === null ? '' : `${formatAmount(feeWei)} per transaction, `
  return `${formatGwei(perGasWei, asked)} per gas (${whole}set by ${SET_BY[source]})`
}

function lowerCap(a: FeeCap | null, b: FeeCap | null): FeeCap | null {
  if (a === null || b === null) return a ?? b
  return b.perGasWei < a.perGasWei ? b : a
}
