/**
 * What a gas oracle of the operator says, held against what the RPC nodes say. It is believed within a factor of theirs,
 * and not at all beyond it, so neither a broken nor a hostile oracle decides what is paid. The base fee always comes from
 * the chain itself.
 */
import { formatGwei } from '../amount.ts'
import type { FeeMarket } from './fees.ts'

/** In wei. Null: it does not say. */
export interface OracleQuote {
  readonly maxFeePerGas: bigint | null
  readonly priorityFeePerGas: bigint | null
}

export type OracleVerdict =
  | { readonly type: 'used'; readonly market: FeeMarket }
  | { readonly type: 'refused'; readonly reason: string }

/** How many times as much, or as little, as the RPC nodes an oracle may say. */
const BELIEVED_FACTOR = 10n
/** Below this no difference counts: on a quiet chain everything is many times nothing. */
const NO_JUMP_WEI = 2_000_000_000n

export function applyOracle(market: FeeMarket, quote: OracleQuote): OracleVerdict {
  const { maxFeePerGas, priorityFeePerGas } = quote
  if (maxFeePerGas === null && priorityFeePerGas === null) return refuse('it has no price')
  return market.baseFeePerGas === null ? applyGasPrice(market, quote) : applyTip(market, market.baseFeePerGas, quote)
}

function applyGasPrice(market: FeeMarket, { maxFeePerGas, priorityFeePerGas }: OracleQuote): OracleVerdict {
  const gasPrice = maxFeePerGas ?? priorityFeePerGas ?? 0n
  const problem = compare('price', gasPrice, market.gasPrice)
  return problem === null ? { type: 'used', market: { ...market, gasPrice } } : refuse(problem)
}

function applyTip(market: FeeMarket, base: bigint, { maxFeePerGas, priorityFeePerGas }: OracleQuote): OracleVerdict {
  const nodes = market.priorityFeePerGas
  const tip = priorityFeePerGas ?? nodes.standard
  const problem = compare('tip', tip, nodes.standard)
  if (problem !== null) return refuse(problem)
  if (maxFeePerGas !== null) {
    // A lower one keeps everything from being mined.
    if (maxFeePerGas < base + tip)
      return refuse(`its max fee ${formatGwei(maxFeePerGas)} is below base fee and tip, ${formatGwei(base + tip)}`)
    const tooHigh = compare('max fee', maxFeePerGas, base * 2n + tip)
    if (tooHigh !== null) return refuse(tooHigh)
  }
  const slow = min(nodes.slow, tip)
  const fast = max(nodes.fast, tip)
  const priced: FeeMarket = { ...market, gasPrice: base + tip, priorityFeePerGas: { slow, standard: tip, fast } }
  return { type: 'used', market: maxFeePerGas === null ? priced : { ...priced, maxFeePerGas } }
}

function compare(name: string, said: bigint, nodes: bigint): string | null {
  const isNear =
    said <= max(nodes * BELIEVED_FACTOR, NO_JUMP_WEI) && (said * BELIEVED_FACTOR >= nodes || nodes <= NO_JUMP_WEI)
  return isNear ? null : `its ${name} ${formatGwei(said)} is too far from ${formatGwei(nodes)} of the RPC nodes`
}

function refuse(reason: string): OracleVerdict {
  return { type: 'refused', reason }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
