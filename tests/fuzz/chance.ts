/** Chance that comes out the same for the same seed: a request that broke something can be sent again. */
export interface Chance {
  /** From 0 to below this. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  /** True so often in a hundred. */
  percent(share: number): boolean
  hex(digits: number): string
}

/** Mulberry32: small, fast, and good enough to mix inputs. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    below,
    pick(from) {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
    percent: (share) => below(100) < share,
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}
