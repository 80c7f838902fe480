/**
 * How often bytes that a node does not show, or does not mine, are sent again: with each block at first, then after 2,
 * 4, 8 … blocks, so a node that hides them forever does not get them with every block. Each nonce has its own pace:
 * two batches that are refused in turn must not make each other start over.
 */
import { backOff } from '../../core/back-off.ts'

export interface ResendPace {
  /**
   * True, and counted, if the first of these may be sent again now; the others are sent along with it. `lowest`: what is
   * known about lower nonces is forgotten.
   */
  take(nonces: readonly number[], head: number, lowest: number): boolean
}

interface Sent {
  /** As the first of a batch. */
  readonly tries: number
  readonly nextHead: number
}

const AT_ONCE = 3
const MAX_PAUSE_BLOCKS = 64

export function createResendPace(): ResendPace {
  const sent = new Map<number, Sent>()

  function mayGo(nonce: number, head: number): boolean {
    const nextHead = sent.get(nonce)?.nextHead ?? head
    // A head far below means that the chain was reset: its heights say nothing about the ones before.
    return head >= nextHead || head + MAX_PAUSE_BLOCKS < nextHead
  }

  return {
    take: (nonces, head, lowest) => {
      for (const nonce of sent.keys()) if (nonce < lowest) sent.delete(nonce)
      const [first, ...others] = nonces
      if (first === undefined || !mayGo(first, head)) return false
      const tries = (sent.get(first)?.tries ?? 0) + 1
      const pause = tries < AT_ONCE ? 1 : backOff(tries - AT_ONCE + 1, { first: 1, max: MAX_PAUSE_BLOCKS })
      sent.set(first, { tries, nextHead: head + pause })
      for (const nonce of others) sent.set(nonce, { tries: sent.get(nonce)?.tries ?? 0, nextHead: head + 1 })
      return true
    },
  }
}
