/** Repeatable randomness: the same seed gives the same numbers on every machine. */
export interface Chance {
  /** At least 0 and below 1. */
  fraction(): number
  /** A whole number from 0 to below the limit. */
  below(limit: number): number
  hits(share: number): boolean
  pick<T>(items: readonly T[]): T
}

export function createChance(seed: string): Chance {
  let state = hashText(seed)
  /** Mulberry32: small, and the same everywhere. */
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    hits: (share) => fraction() < share,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

/** FNV-1a, mixed once more so that neighbouring seeds have nothing in common. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** No randomness: always the first choice. */
export const FIRST: Chance = {
  fraction: () => 0,
  below: () => 0,
  hits: () => false,
  pick: ([first]) => {
    if (first === undefined) throw new Error('nothing to pick from')
    return first
  },
}
