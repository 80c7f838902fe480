/** Chance that can be repeated: the same seed throws the same numbers. */
export type Dice = (sides: number) => number

export function createDice(seed: number): Dice {
  let state = seed * 2_654_435_761 + 1
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0
    const mixed = Math.imul(state ^ (state >>> 13), 3_266_489_917)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % sides
  }
}
