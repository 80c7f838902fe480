/**
 * How often bytes that a node does not show, or does not mine, are sent again: with each block at first, then after 2,
 * 4, 8 … blocks, so a node that hides them forever does not get them with every block.
 */
import { backOff } from '../../core/back-off.ts'

export interface ResendPace {
  /** True, and counted, if it may be sent again now. Another nonce starts over. */
  take(nonce: number, head: number): boolean
}

const AT_ONCE = 3
const MAX_PAUSE_BLOCKS = 64

export function createResendPace(): ResendPace {
  let last: { readonly nonce: number; readonly tries: number; readonly nextHead: number } | null = null
  return {
    take: (nonce, head) => {
      const before = last?.nonce === nonce ? last : null
      // A head far below means that the chain was reset: its heights say nothing about the ones before.
      const isReset = before !== null && head + MAX_PAUSE_BLOCKS < before.nextHead
      if (before !== null && head < before.nextHead && !isReset) return false
      const tries = (before?.tries ?? 0) + 1
      const pause = tries < AT_ONCE ? 1 : backOff(tries - AT_ONCE + 1, { first: 1, max: MAX_PAUSE_BLOCKS })
      last = { nonce, tries, nextHead: head + pause }
      return true
    },
  }
}
