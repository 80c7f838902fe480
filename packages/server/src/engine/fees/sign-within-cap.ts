/**
 * The last check before a signature: nothing above its cap is signed, whatever was planned and by whichever part.
 * Everything the engine signs is signed here.
 */
import { formatGwei } from '../../core/amount.ts'
import { describeCap, type FeeRules, findFeeCap, isWithinCap } from '../../core/fees/fee-cap.ts'
import { maxPricePerGas } from '../../core/fees/fees.ts'
import type { Address } from '../../core/hex.ts'
import type { Intent } from '../../core/transaction/transaction.ts'
import type { SignedTransaction, Signer, UnsignedTransaction } from '../../ports/signer.ts'

/** Not signed. Prices are capped before they get here: either the cap was lowered meanwhile, or we have a bug. */
export class FeeAboveCap extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FeeAboveCap'
  }
}

interface CapRules {
  readonly intent: Pick<Intent, 'maxFeeWei'>
  readonly rules: FeeRules
}

/** Why it would not be signed; null: it is within its cap. */
export function findExcess(
  { gasLimit, fees }: Pick<UnsignedTransaction, 'gasLimit' | 'fees'>,
  { intent, rules }: CapRules,
): string | null {
  const cap = findFeeCap(intent, gasLimit, rules)
  if (cap === null || isWithinCap(fees, cap)) return null
  const price = maxPricePerGas(fees)
  return `it would offer ${formatGwei(price, cap.perGasWei)} per gas, but the limit is ${describeCap(cap, price)}`
}

export async function signWithinCap(
  signer: Signer,
  from: Address,
  unsigned: UnsignedTransaction,
  given: CapRules,
): Promise<SignedTransaction> {
  const excess = findExcess(unsigned, given)
  if (excess !== null) throw new FeeAboveCap(excess)
  return await signer.sign(from, unsigned)
}
