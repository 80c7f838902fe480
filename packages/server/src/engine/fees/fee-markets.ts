/**
 * The fee market of each chain, for all lanes and all other callers: read on demand, at most once per block, and
 * shared. So its cost grows with blocks, not with lanes. On a quiet chain, or before the first block was seen, a
 * reading is shared for a short time.
 */
import { AppError } from '../../core/app-error.ts'
import type { FeeMarket } from '../../core/fees/fees.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'

export interface FeeMarkets {
  /** Throws ChainUnavailable. */
  read(chainId: number): Promise<FeeMarket>
}

interface FeeMarketPorts {
  readonly chains: ReadonlyMap<number, Pick<Chain, 'getFeeMarket'>>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Distinguishes the newest block seen from the one before; null: none was seen. */
  headOf?(chainId: number): string | null
}

interface Reading {
  readonly at: number
  readonly head: string | null
  readonly market: Promise<FeeMarket>
}

const MAX_AGE_MS = 1_000
/** A node's answer changes between blocks too, but hardly. */
const MAX_AGE_AT_HEAD_MS = 5_000

export function createFeeMarkets({ chains, clock, headOf = () => null }: FeeMarketPorts): FeeMarkets {
  const readings = new Map<number, Reading>()

  function readNow(chainId: number, head: string | null, chain: Pick<Chain, 'getFeeMarket'>): Promise<FeeMarket> {
    const market = chain.getFeeMarket()
    const reading = { at: clock.monotonic(), head, market }
    readings.set(chainId, reading)
    // A failure is the answer for the callers that share it, not for later ones.
    market.catch(() => {
      if (readings.get(chainId) === reading) readings.delete(chainId)
    })
    return market
  }

  function isFresh({ at, head }: Reading, now: string | null): boolean {
    return head === now && clock.monotonic() - at < (now === null ? MAX_AGE_MS : MAX_AGE_AT_HEAD_MS)
  }

  return {
    async read(chainId) {
      const chain = chains.get(chainId)
      if (chain === undefined) {
        throw new AppError('not_found', `This service does not follow chain ${chainId}.`, { field: 'chainId' })
      }
      const head = headOf(chainId)
      const last = readings.get(chainId)
      return last !== undefined && isFresh(last, head) ? last.market : readNow(chainId, head, chain)
    },
  }
}
