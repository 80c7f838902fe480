/** Checks what is signed against what it may cost. */
import { maxPricePerGas } from '../../../server/src/core/fees/fees.ts'
import type { Address, Hash } from '../../../server/src/core/hex.ts'
import { laneKey } from '../../../server/src/core/lane/lane.ts'
import type { Attempt, Transaction } from '../../../server/src/core/transaction/transaction.ts'
import type { UnsignedTransaction } from '../../../server/src/ports/signer.ts'
import type { MemoryState } from '../../../server/src/testing/store/memory-state.ts'
import { GWEI, MAX_TX_FEE_WEI, type Setup } from '../cluster/setup.ts'
import { Violation } from '../run/violation.ts'

interface CostPorts {
  readonly state: MemoryState
  readonly setup: Setup
}

/**
 * The honest tip is at most 2 gwei, and each bump raises it by an eighth. Anything above this came from a lying node.
 */
const MAX_HONEST_TIP = 45n * GWEI

export function createCostCheck({ state, setup }: CostPorts) {
  return {
    signed(address: Address, { gasLimit, fees, chainId, nonce }: UnsignedTransaction, hash: Hash): void {
      const price = maxPricePerGas(fees)
      const what = `${hash.slice(0, 10)} (nonce ${nonce})`
      if (price * gasLimit > MAX_TX_FEE_WEI)
        throw new Violation('G11', `${what} may cost ${price * gasLimit} wei, and the cap is ${MAX_TX_FEE_WEI}`)
      const lane = state.lanes.get(laneKey({ chainId, signer: address }))
      const cap = lane?.signer.policy.maxFeePerGasWei ?? null
      if (cap !== null && price > cap && !setup.policiesChange)
        throw new Violation('G11', `${what} offers ${price} wei per gas, and the cap of its signer is ${cap}`)
      const tip = fees.type === 'eip1559' ? fees.maxPriorityFeePerGas : 0n
      if (setup.hasHonestPrices && tip > MAX_HONEST_TIP)
        throw new Violation('G11', `${what} offers a tip of ${tip} wei on the word of one RPC node`)
    },
    attempt({ id, intent }: Transaction, { gasLimit, fees, hash }: Attempt): void {
      const cost = maxPricePerGas(fees) * gasLimit
      if (intent.maxFeeWei !== null && cost > intent.maxFeeWei)
        throw new Violation(
          'G11',
          `${hash.slice(0, 10)} of ${id} may cost ${cost} wei, and its own cap is ${intent.maxFeeWei}`,
        )
    },
  }
}
