/** The fee market of each chain for whoever asks: read when asked for, at most once a second, and shared by all who ask meanwhile. */
import { AppError } from '../core/app-error.ts'
import type { FeeMarket } from '../core/fees.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'

export interface FeeMarkets {
  /** Throws ChainUnavailable. */
  read(chainId: number): Promise<FeeMarket>
}

interface FeeMarketPorts {
  readonly chains: ReadonlyMap<number, Pick<Chain, 'getFeeMarket'>>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly maxAgeMs?: number
}

interface Reading {
  readonly at: number
  readonly market: Promise<FeeMarket>
}

export function createFeeMarkets({ chains, clock, maxAgeMs = 1_000 }: FeeMarketPorts): FeeMarkets {
  const readings = new Map<number, Reading>()

  function readNow(chainId: number, chain: Pick<Chain, 'getFeeMarket'>): Promise<FeeMarket> {
    const market = chain.getFeeMarket()
    const reading = { at: clock.monotonic(), market }
    readings.set(chainId, reading)
    // A failure is the answer to those who asked for it, and not to those who come later.
    market.catch(() => {
      if (readings.get(chainId) === reading) readings.delete(chainId)
    })
    return market
  }

  return {
    async read(chainId) {
      const chain = chains.get(chainId)
      if (chain === undefined) {
        throw new AppError('not_found', `This service does not follow chain ${chainId}.`, { field: 'chainId' })
      }
      const last = readings.get(chainId)
      const isFresh = last !== undefined && clock.monotonic() - last.at < maxAgeMs
      return isFresh ? last.market : readNow(chainId, chain)
    },
  }
}
