/** R27: what an owner must be able to pay before its timer may fire, and what the producer is tipped. */
import type { Hex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'

/** Prices and balances at the start of the end of block. */
export interface Funds {
  readonly basefeeCycles: bigint
  readonly basefeeCells: bigint
  balanceOf(owner: Hex): bigint
}

interface Terms {
  readonly gasLimit: bigint
  readonly bidFp: bigint
}

/** floor(min(bid, MAX_BID) · cycles / 2^96): the bid is a Q32.96 price per cycle. */
export function tipOf(bidFp: bigint, cycles: bigint, maxBid: bigint): bigint {
  return ((bidFp < maxBid ? bidFp : maxBid) * cycles) >> 96n
}

/** The most a fire can cost: all its gas, all its cells, and the tip on all its gas. */
export function escrowOf(terms: Terms, prices: Omit<Funds, 'balanceOf'>, params: TimerParams): bigint {
  const cycles = terms.gasLimit * prices.basefeeCycles
  const cells = params.maxCellsPerFire * prices.basefeeCells
  return cycles + cells + tipOf(terms.bidFp, terms.gasLimit, params.maxBid)
}
