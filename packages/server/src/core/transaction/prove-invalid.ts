/**
 * Our own arithmetic on bytes that the nodes call invalid. A node can be wrong, or lie, so its answer alone ends
 * nothing: only what we can calculate ourselves is proof. The rules here are the oldest and weakest form of each, which
 * every EVM chain has. Newer, stricter rules are left to the nodes, and then the bytes count as refused, not as
 * invalid.
 *
 * Signatures are not checked: our own signer made them. If it makes bad ones, every transaction is affected, and a
 * queue that ends one by one would be worse than one that is STUCK.
 */

import type { InvalidReason } from '../chain/send-outcome.ts'
import type { Hex } from '../hex.ts'
import type { Attempt, Intent } from './transaction.ts'

const TRANSACTION_GAS = 21_000n
const CREATION_GAS = 32_000n
const ZERO_BYTE_GAS = 4n
const OTHER_BYTE_GAS = 16n

export function isProvenInvalid(
  reason: InvalidReason,
  { gasLimit, fees }: Pick<Attempt, 'gasLimit' | 'fees'>,
  intent: Pick<Intent, 'to' | 'data'>,
): boolean {
  switch (reason) {
    case 'gas_too_low':
      return gasLimit < leastGas(intent)
    case 'fee_fields':
      return fees.type === 'eip1559' && fees.maxPriorityFeePerGas > fees.maxFeePerGas
    case 'malformed':
      return false
  }
}

/** No chain accepts less than this: the base cost, four or sixteen per byte of data, and the cost of a new contract. */
export function leastGas({ to, data }: { readonly to: string | null; readonly data: Hex }): bigint {
  let gas = to === null ? TRANSACTION_GAS + CREATION_GAS : TRANSACTION_GAS
  for (let at = 2; at < data.length; at += 2) {
    gas += data[at] === '0' && data[at + 1] === '0' ? ZERO_BYTE_GAS : OTHER_BYTE_GAS
  }
  return gas
}
