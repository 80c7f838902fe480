/** How long to wait after failures in a row: each pause is longer than the one before, up to a maximum. */

export interface BackOff {
  /** After the first failure. */
  readonly first: number
  readonly max: number
  /** 2 unless given: each pause is twice the one before. */
  readonly factor?: number
}

/** In the unit of `first` and `max`, and whole: a timer would cut the rest off. */
export function backOff(failures: number, { first, max, factor = 2 }: BackOff): number {
  // So many that no maximum is higher; without this bound the product would become infinite.
  const steps = Math.min(Math.max(0, failures - 1), 64)
  return Math.min(max, Math.round(first * factor ** steps))
}

/** With half of it left to chance (0 to 1), so that what failed together does not come back together. */
export function spreadPause(pause: number, chance: number): number {
  return pause * (0.5 + chance / 2)
}
