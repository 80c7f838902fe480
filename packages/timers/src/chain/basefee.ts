/** R28: each meter's price follows its use, by an eighth per block at most. */
export interface Prices {
  readonly cycles: bigint
  readonly cells: bigint
}

export const TARGET_USE: Prices = { cycles: 10_000_000n, cells: 500_000n }
/** The most that transactions may use of a block. */
export const MAX_USE: Prices = { cycles: TARGET_USE.cycles * 2n, cells: TARGET_USE.cells * 2n }

const STEP = 8n

export function nextBasefee(basefee: bigint, used: bigint, target: bigint): bigint {
  if (used === target) return basefee
  const distance = used > target ? used - target : target - used
  const most = basefee / STEP
  let delta = (basefee * distance) / target / STEP
  if (delta > most) delta = most
  if (used > target) return basefee + (delta > 0n ? delta : 1n)
  return basefee - delta > 1n ? basefee - delta : 1n
}

export function nextPrices(prices: Prices, used: Prices): Prices {
  return {
    cycles: nextBasefee(prices.cycles, used.cycles, TARGET_USE.cycles),
    cells: nextBasefee(prices.cells, used.cells, TARGET_USE.cells),
  }
}
