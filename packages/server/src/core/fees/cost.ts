/** The most that a transaction can cost its account: what the balance has to cover before a node accepts it. */

import type { InFlight } from '../transaction/transaction.ts'
import { type Fees, maxPricePerGas } from './fees.ts'

export function maxCost(value: bigint, gasLimit: bigint, fees: Fees): bigint {
  return value + gasLimit * maxPricePerGas(fees)
}

/** Whichever of its attempts is mined, it costs no more than this. */
export function maxCostInFlight(tx: InFlight): bigint {
  let dearest = 0n
  for (const { nonce, kind, gasLimit, fees } of tx.attempts) {
    if (nonce !== tx.nonce) continue
    const cost = maxCost(kind === 'cancel' ? 0n : tx.intent.value, gasLimit, fees)
    if (cost > dearest) dearest = cost
  }
  return dearest
}
