/**
 * The chain's current gas prices according to the nodes that are ready: one batch to each of a few, in parallel. Once
 * one has responded, slow ones are not waited for. `core/fees/fee-quotes.ts` makes one market of what they say.
 */
import { combineQuotes, type FeeQuote, type Suspicion } from '../core/fees/fee-quotes.ts'
import type { FeeMarket, FeeModel } from '../core/fees/fees.ts'
import { type PriceFloor, raiseToFloor } from '../core/fees/price-floor.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type FeeAnswers, feeReads, toQuote } from './fee-reads.ts'
import type { GasOracle } from './oracle/gas-oracle.ts'
import type { NodeReplies, RpcPool } from './rpc/pool.ts'

export interface FeeSettings {
  /** No tip is priced below this, except where gas is free. */
  readonly minPriorityFeeWei: bigint
  /** `legacy` leaves the base fee out, so that no transaction is priced by one; `eip1559` insists on it. */
  readonly feeModel: FeeModel
  /** Every transaction offers exactly this per gas, zero included; null: what the market asks. */
  readonly fixedPriceWei: bigint | null
  /** The lowest to offer where the price is not fixed. */
  readonly floor?: PriceFloor
}

interface FeeMarketPorts {
  readonly chainId: number
  readonly pool: Pick<RpcPool, 'readFromEach' | 'readEach' | 'inUse'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: FeeSettings
  /** Left out: only the nodes say what gas costs. */
  readonly oracle?: GasOracle
}

/** More nodes make the answer more expensive, not better. */
const MAX_NODES = 5
/** How long the others have once one has answered. */
const GRACE_MS = 1_000
/** A node that jumps ahead in blocks does not thereby double prices faster. */
const MIN_BLOCK_MS = 500
const WARN_INTERVAL_MS = 60_000

/** Each call reads; throws ChainUnavailable. Frequent callers share the result (`engine/fees/fee-markets.ts`). */
export function createFeeMarketReader(ports: FeeMarketPorts): () => Promise<FeeMarket> {
  const { chainId, pool, clock, telemetry, settings, oracle } = ports
  let last: { readonly market: FeeMarket; readonly head: number; readonly at: number } | null = null
  /** By host: at most as many as there are endpoints. */
  const warnedAt = new Map<string, number>()
  let hasBaseFee: boolean | null = settings.feeModel === 'auto' ? null : settings.feeModel === 'eip1559'

  function report(suspicions: readonly Suspicion[]): void {
    for (const { host, source, saidWei, usedWei } of suspicions) {
      telemetry.count('drover_fee_suspicions_total', { chainId, host, source })
      const now = clock.monotonic()
      if (now - (warnedAt.get(host) ?? Number.NEGATIVE_INFINITY) < WARN_INTERVAL_MS) continue
      warnedAt.set(host, now)
      telemetry.log('warn', 'RPC node reports a fee far above the others; ignored', {
        chainId,
        host,
        source,
        saidWei,
        usedWei,
      })
    }
  }

  function countDoublings(head: number): number {
    if (last === null || (head === last.head && head >= 0)) return 0
    const blocks = Math.max(1, head - last.head)
    return Math.min(blocks, 1 + Math.floor((clock.monotonic() - last.at) / MIN_BLOCK_MS))
  }

  async function readMarket(): Promise<FeeMarket> {
    oracle?.ask()
    const quotes = await readQuotes(pool, clock)
    const heads = quotes.map(({ head }) => head)
    const head = Math.max(-1, ...heads)
    const combined = combineQuotes(quotes, {
      feeModel: settings.feeModel,
      minTipWei: settings.minPriorityFeeWei,
      last: last && { market: last.market, doublings: countDoublings(head) },
    })
    if (combined === null) throw new ChainUnavailable('no RPC node returns a gas price')
    const { market, suspicions } = combined
    if (market.baseFeePerGas === null && settings.feeModel === 'eip1559')
      throw new ChainUnavailable('feeModel is eip1559, but blocks of this chain have no base fee; use auto or legacy')
    report(suspicions)
    last = { market, head, at: clock.monotonic() }
    const priced = oracle === undefined ? market : await oracle.apply(market)
    return settings.floor === undefined ? priced : raiseToFloor(priced, settings.floor)
  }

  /** Only whether blocks have a base fee has to be found out, once. */
  async function readFixed(price: bigint): Promise<FeeMarket> {
    hasBaseFee ??= (await readMarket()).baseFeePerGas !== null
    const priorityFeePerGas = { slow: price, standard: price, fast: price }
    return { baseFeePerGas: hasBaseFee ? 0n : null, gasPrice: price, priorityFeePerGas, isFixed: true }
  }

  return () => (settings.fixedPriceWei === null ? readMarket() : readFixed(settings.fixedPriceWei))
}

type HeadQuote = FeeQuote & { readonly head: number }

async function readQuotes(
  pool: Pick<RpcPool, 'readFromEach' | 'readEach' | 'inUse'>,
  clock: Pick<Clock, 'schedule'>,
): Promise<readonly HeadQuote[]> {
  const asked = pool.readFromEach<FeeAnswers>(feeReads, MAX_NODES)
  const quotes: HeadQuote[] = []
  await settleMost(
    asked.map(async ({ host, replies }: NodeReplies<FeeAnswers>) => {
      const quote = toQuote(host, await replies)
      if (quote !== null) quotes.push(quote)
      return quote !== null
    }),
    clock,
  )
  return quotes.length > 0 ? [...quotes] : [await readPatiently(pool)]
}

/** Where no node answers at once, one that only asks for patience is waited for, as for any read. */
async function readPatiently(pool: Pick<RpcPool, 'readEach' | 'inUse'>): Promise<HeadQuote> {
  const replies = await pool.readEach(feeReads)
  const quote = toQuote(pool.inUse()?.name ?? 'an RPC node', replies)
  if (quote !== null) return quote
  const failure = replies.find((reply) => reply.type !== 'value')
  const retryAfterMs = failure?.type === 'failed' ? failure.retryAfterMs : null
  throw new ChainUnavailable(`fees: ${failure?.message ?? 'no answer'}`, { retryAfterMs })
}

/** Waits for all, but only this long for the rest once one is true. */
async function settleMost(all: readonly Promise<boolean>[], clock: Pick<Clock, 'schedule'>): Promise<void> {
  let cancel = (): void => {}
  await new Promise<void>((resolve, reject) => {
    for (const each of all) {
      each.then((isGood) => {
        if (!isGood) return
        cancel()
        cancel = clock.schedule(GRACE_MS, resolve)
      }, reject)
    }
    Promise.all(all).then(() => resolve(), reject)
  })
  cancel()
}
