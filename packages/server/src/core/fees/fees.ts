/** What a transaction offers for its place in a block, in the two shapes that EVM chains know. */
export type Fees =
  | { readonly type: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly type: 'legacy'; readonly gasPrice: bigint }

/** What a caller wants to offer. Null: completed from the market before the transaction is signed. */
export type WantedFees =
  | {
      readonly type: 'eip1559'
      readonly maxFeePerGas: bigint | null
      readonly maxPriorityFeePerGas: bigint | null
    }
  | { readonly type: 'legacy'; readonly gasPrice: bigint | null }

export const SPEEDS = ['slow', 'standard', 'fast'] as const
export type Speed = (typeof SPEEDS)[number]

/** `auto`: depends on the chain's blocks. */
export const FEE_MODELS = ['auto', 'eip1559', 'legacy'] as const
export type FeeModel = (typeof FEE_MODELS)[number]

/** What the chain asks at the moment: `baseFeePerGas` is null if blocks have none. */
export interface FeeMarket {
  readonly baseFeePerGas: bigint | null
  readonly gasPrice: bigint
  readonly priorityFeePerGas: Readonly<Record<Speed, bigint>>
  /** The most to offer per gas, as a gas oracle says; absent: twice the base fee and the tip. */
  readonly maxFeePerGas?: bigint
  /** Hosts of the nodes that reported this; absent if no node was queried. */
  readonly saidBy?: readonly string[]
  /** An operator fixed the price, whatever nodes say. */
  readonly isFixed?: true
}

/** Fixed at zero: there is no higher price, and such chains may refuse any other. */
export function isGasFree({ isFixed, gasPrice }: FeeMarket): boolean {
  return isFixed === true && gasPrice === 0n
}

/** The most that one unit of gas can cost under these fees: the balance has to cover it. */
export function maxPricePerGas(fees: Fees): bigint
/** Null: not set. */
export function maxPricePerGas(fees: WantedFees): bigint | null
export function maxPricePerGas(fees: WantedFees): bigint | null {
  return fees.type === 'eip1559' ? fees.maxFeePerGas : fees.gasPrice
}
