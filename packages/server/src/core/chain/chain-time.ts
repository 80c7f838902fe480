/** How far a chain has come, and what a transaction may have to wait for. */

/** The newest block: its number, and its time in milliseconds. */
export interface ChainTime {
  readonly height: number
  readonly timeMs: number
}

/** By the newest block of the chain. Exactly one of them. */
export type NotBefore = { readonly height: number } | { readonly timeMs: number }

export function isReached(notBefore: NotBefore, { height, timeMs }: ChainTime): boolean {
  return 'height' in notBefore ? notBefore.height <= height : notBefore.timeMs <= timeMs
}
