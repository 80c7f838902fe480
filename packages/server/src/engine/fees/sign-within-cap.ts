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

export async function signWithinCap(
  signer: Signer,
  from: Address,
  unsigned: UnsignedTransaction,
  { intent, rules }: { readonly intent: Pick<Intent, 'maxFeeWei'>; readonly rules: FeeRules },
): Promise<SignedTransaction> {
  const cap = findFeeCap(intent, unsigned.gasLimit, rules)
  if (cap !== null && !isWithinCap(unsigned.fees, cap)) {
    const price = maxPricePerGas(unsigned.fees)
    const offered = formatGwei(price, cap.perGasWei)
    throw new FeeAboveCap(`it would offer ${offered} per gas, but the limit is ${describeCap(cap, price)}`)
  }
  return await signer.sign(from, unsigned)
}
