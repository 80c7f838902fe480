/**
 * The prices that a lane's queue waits for: transactions whose cap, or whose own offer, is below what the chain asks,
 * and those that the balance would cover at a lower price. With each block the market, which all lanes share, is
 * compared with the one closest to going through. Only if the market has come down far enough is anything prepared
 * again.
 */
import type { FeeMarket } from '../../core/fees/fees.ts'
import { neededPerGas } from '../../core/fees/price.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { PriceWait } from '../queue/prepare.ts'

export interface PriceWaits {
  /** The highest price at which one of them can continue; null if none waits for it. */
  readonly market: bigint | null
  readonly base: bigint | null
}

export interface PriceWatch {
  /** Transactions that wait for a price can be tried early. */
  mayRetry(): boolean
  isWaiting(): boolean
  /** It is no longer known what waits, or whether it still has to. */
  recall(): void
  read(): Promise<void>
  /** True once for each reading. */
  takeNews(): boolean
  /** By the last reading something may continue and can be tried. */
  isReached(): boolean
  /** The lowest price per gas of the last reading; null if there is none. */
  lowest(): bigint | null
  /** A pass over the queue has ended. `mayGoOn` is null if it did not read those that wait. */
  settle(waits: PriceWaits, pass: { readonly isWhole: boolean; readonly mayGoOn: boolean | null }): void
}

const NOTHING: PriceWaits = { market: null, base: null }

export function createPriceWatch(chain: Pick<Chain, 'getFeeMarket'>): PriceWatch {
  let waits = NOTHING
  let retry = true
  let latest: FeeMarket | null = null
  let isNews = false

  return {
    mayRetry: () => retry,
    isWaiting: () => waits.market !== null || waits.base !== null,
    recall: () => {
      retry = true
    },
    read: async () => {
      try {
        latest = await chain.getFeeMarket()
        isNews = true
      } catch (error) {
        // Without a market nothing has become cheaper.
        if (!(error instanceof ChainUnavailable)) throw error
      }
    },
    takeNews: () => {
      const taken = isNews
      isNews = false
      return taken
    },
    isReached: () => {
      const reached = latest !== null && isCheapEnough(latest, waits)
      if (reached) retry = true
      return reached
    },
    lowest: () => latest && lowestPerGas(latest),
    settle: (found, { isWhole, mayGoOn }) => {
      retry = mayGoOn ?? retry
      // Transactions that this pass did not read still wait.
      waits = isWhole ? found : { market: higher(waits.market, found.market), base: higher(waits.base, found.base) }
    },
  }
}

export function addWait(waits: PriceWaits, { of, perGasWei }: PriceWait): PriceWaits {
  return { ...waits, [of]: higher(waits[of], perGasWei) }
}

/** What `priceTransaction` offers at the lowest speed without a cap. */
function lowestPerGas(market: FeeMarket): bigint {
  return neededPerGas(market, 'slow') + (market.baseFeePerGas ?? 0n)
}

function isCheapEnough(now: FeeMarket, { market, base }: PriceWaits): boolean {
  const needed = neededPerGas(now, 'slow')
  if (market !== null && needed <= market) return true
  return base !== null && (now.baseFeePerGas ?? now.gasPrice) <= base
}

function higher(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}
