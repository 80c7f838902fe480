/**
 * Finds unintended gaps: a nonce below the lane's lowest that no transaction of ours has and that no node has either.
 * For example, the nonce was left to a foreign transaction, and the pools dropped it. Nothing above the gap can be
 * mined, whatever it pays.
 *
 * A reorg in progress looks the same, so the picture has to stay the same over several blocks, and the search only
 * starts once the lowest has waited for long. A nonce that a transaction of ours has never counts as free, whatever the
 * counts say.
 */
import type { Lane } from '../../core/lane/lane.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { readCounts } from '../chain-counts/read-counts.ts'

export interface GapScene {
  readonly policy: Policy
  readonly head: number | null
  /** The lowest nonce with bytes that are not mined yet, and since when; null if there is none. */
  readonly lowest: { readonly nonce: number; readonly since: number } | null
  /** Whether a nonce in this range, the first included, is held: by a transaction, mined or not, or by a caller. */
  isHeld(from: number, to: number): boolean
  /** A nonce below it is known to be free or reserved: there is nothing to find out. */
  readonly isBlocked: boolean
}

export interface GapWatch {
  /** Nonces that are proved to be free, lowest first; queries the chain if that has to be found out. */
  find(scene: GapScene): readonly number[]
}

interface GapPorts {
  readonly chain: Pick<Chain, 'getTransactionCount'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

const LOOKS = 3

export function createGapWatch({ chain, clock, telemetry, lane, wake }: GapPorts): GapWatch {
  /** The same count, and how often it was seen in a row. */
  let seen: { readonly count: number; readonly looks: number } | null = null
  /** The chain is queried once per block, even if it does not respond. */
  let askedAt: number | null = null
  let asking = false

  async function ask(head: number): Promise<void> {
    try {
      const wanted = { head, mustHaveHead: true, latest: false, finalHeight: null }
      const { latest, pending } = await readCounts(chain, lane.signer, wanted)
      // A transaction waits there.
      const count = pending > latest ? Number.POSITIVE_INFINITY : latest
      seen = { count, looks: seen?.count === count ? seen.looks + 1 : 1 }
    } catch (error) {
      seen = null
      if (!(error instanceof ChainUnavailable)) throw error
    }
  }

  return {
    find: ({ policy, head, lowest, isHeld, isBlocked }) => {
      const isQuiet = lowest !== null && clock.now() - lowest.since >= policy.bumpAfterMs
      if (head === null || lowest === null || isBlocked || !isQuiet) {
        seen = null
        return []
      }
      if (seen !== null && seen.looks >= LOOKS && seen.count < lowest.nonce) {
        const first = seen.count
        seen = null
        // Mined as far as is known, but not counted: the chain is changing.
        if (isHeld(first, lowest.nonce)) return []
        return Array.from({ length: lowest.nonce - first }, (_, index) => first + index)
      }
      if (asking || askedAt === head) return []
      asking = true
      askedAt = head
      ask(head)
        .catch((error: unknown) => telemetry.log('error', 'gap check failed', { ...lane, error }))
        .finally(() => {
          asking = false
          wake()
        })
      return []
    },
  }
}
