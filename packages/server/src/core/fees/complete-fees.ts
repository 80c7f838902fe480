/** Fills in the fees that a caller left out, the way nodes do: a lone field is completed from the market. */
import type { FeeMarket, Fees, Speed, WantedFees } from './fees.ts'

interface Completion {
  readonly speed: Speed
  /** The maximum for filled-in fields. */
  readonly capWei: bigint | null
}

export function completeFees(wanted: WantedFees, market: FeeMarket, { speed, capWei }: Completion): Fees {
  if (wanted.type === 'legacy') return { type: 'legacy', gasPrice: wanted.gasPrice ?? market.gasPrice }
  const { maxFeePerGas: most, maxPriorityFeePerGas: tip } = wanted
  const usualTip = market.priorityFeePerGas[speed]
  const maxFeePerGas = most ?? outlast(market, tip ?? usualTip, capWei)
  const maxPriorityFeePerGas = tip ?? smaller(usualTip, maxFeePerGas)
  return { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }
}

/** Twice the base fee outlasts six full blocks in a row; never below the tip, which no node would accept. */
function outlast({ baseFeePerGas, gasPrice }: FeeMarket, tip: bigint, capWei: bigint | null): bigint {
  const wanted = baseFeePerGas === null ? larger(gasPrice, tip) : baseFeePerGas * 2n + tip
  return capWei === null ? wanted : larger(smaller(wanted, capWei), tip)
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
