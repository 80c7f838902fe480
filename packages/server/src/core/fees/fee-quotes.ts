/**
 * Combines the answers of several nodes into one fee market, so no single answer decides what is paid.
 *
 * The tip is what can waste money: it is paid in full, while a base fee costs no more than the block asks. So each
 * node's tip is the median of three sources (what recent blocks paid, what the node suggests, what its gas price leaves
 * above the base fee), and across nodes the lower median counts: with two that disagree, the lower one. A bump fixes a
 * tip that is too low; a tip that is too high is lost. If only one node reports recent blocks, it is believed up to a
 * multiple of the other sources. A single node is compared with the market that was last accepted: the tip at most
 * doubles with each block.
 */
import { type FeeMarket, type FeeModel, SPEEDS, type Speed } from './fees.ts'

/** One node's answer. Null: it did not say. */
export interface FeeQuote {
  readonly host: string
  /** Of the next block; `none` if blocks have no base fee. */
  readonly baseFeePerGas: bigint | 'none' | null
  /** Tips that recent blocks paid at each speed; null if no recent block had transactions. */
  readonly paidTips: Readonly<Record<Speed, bigint>> | null
  readonly suggestedTip: bigint | null
  readonly gasPrice: bigint | null
}

export interface QuoteContext {
  readonly feeModel: FeeModel
  /** No tip is priced below this, unless gas is free. */
  readonly minTipWei: bigint
  /** The market accepted before, and how often a price may have doubled since; null at the start. */
  readonly last: { readonly market: FeeMarket; readonly doublings: number } | null
}

/** An answer that was not believed. */
export interface Suspicion {
  readonly host: string
  readonly source: 'eth_feeHistory' | 'eth_maxPriorityFeePerGas' | 'eth_gasPrice' | 'baseFeePerGas'
  readonly saidWei: bigint
  readonly usedWei: bigint
}

export interface Combined {
  readonly market: FeeMarket
  readonly suspicions: readonly Suspicion[]
}

/** A single answer may be this many times what the others say. */
const BELIEVED_FACTOR = 5n
/** A deviation this large is not normal: it is reported. */
const REPORTED_FACTOR = 100n
/** Base fees of two nodes within this are of neighbouring blocks; also how far a base fee may be from the last one. */
const SAME_BASE_FACTOR = 2n
const NEAR_FACTOR = 4n
/** Below this no rise counts as a jump: on a quiet chain everything is many times nothing. */
const NO_JUMP_WEI = 2_000_000_000n
const MAX_DOUBLINGS = 64

/** Null: the answers are not enough to price anything. */
export function combineQuotes(quotes: readonly FeeQuote[], context: QuoteContext): Combined | null {
  const base = combineBase(quotes, context)
  if (base === null && context.feeModel !== 'legacy') return null
  const baseWei = base === null || base === 'none' ? 0n : base
  const references = quotes.flatMap((quote) => referenceTip(quote, baseWei) ?? [])
  const reference = lowerMedian(references)
  const believed = max(reference ?? 0n, baseWei)
  const isAlone = references.length < 2
  const bound = (wei: bigint, last: bigint | undefined) =>
    isAlone && last !== undefined ? min(wei, max(doubled(last, context), max(baseWei, NO_JUMP_WEI))) : wei
  const isFree = baseWei === 0n && reference === 0n && asksNothing(quotes)
  const floor = isFree ? 0n : context.minTipWei
  const tips = priceTips(quotes, { reference: max(reference ?? 0n, floor), believed })
  const tipAt = (speed: Speed) => max(bound(tips[speed], context.last?.market.priorityFeePerGas[speed]), floor)
  const slow = tipAt('slow')
  const standard = max(tipAt('standard'), slow)
  const priorityFeePerGas = { slow, standard, fast: max(tipAt('fast'), standard) }
  const gasPrice = combineGasPrice(quotes, base === null || base === 'none' ? null : base + standard, {
    baseWei,
    reference,
    bound: (wei) => bound(wei, context.last?.market.gasPrice),
  })
  if (gasPrice === null) return null
  const market: FeeMarket = {
    baseFeePerGas: context.feeModel === 'legacy' || base === 'none' ? null : base,
    gasPrice,
    priorityFeePerGas,
    saidBy: quotes.map(({ host }) => host),
  }
  return { market, suspicions: quotes.flatMap((quote) => findSuspicions(quote, market, baseWei)) }
}

/**
 * An overstated base fee costs nothing, while an understated one keeps everything from being mined: of two that are
 * close the higher one counts. Of two that are not close the lower counts, unless the last market shows that it is the
 * outlier.
 */
function combineBase(quotes: readonly FeeQuote[], { last }: QuoteContext): bigint | 'none' | null {
  const said = quotes.flatMap(({ baseFeePerGas }) => baseFeePerGas ?? [])
  const values = said.filter((value) => value !== 'none')
  if (said.length === 0) return null
  if (values.length * 2 < said.length || values.length === 0) return 'none'
  if (values.length !== 2) return lowerMedian(values)
  const [low = 0n, high = 0n] = sort(values)
  if (high <= low * SAME_BASE_FACTOR) return high
  const before = last?.market.baseFeePerGas ?? null
  const isLowOdd = before !== null && low * NEAR_FACTOR < before && high <= before * NEAR_FACTOR
  return isLowOdd ? high : low
}

/** The median of what one node's different answers say about the tip. */
function referenceTip({ paidTips, suggestedTip, gasPrice }: FeeQuote, baseWei: bigint): bigint | null {
  const overBase = gasPrice === null ? null : max(0n, gasPrice - baseWei)
  return lowerMedian([paidTips?.standard ?? null, suggestedTip, overBase].filter((tip) => tip !== null))
}

function priceTips(
  quotes: readonly FeeQuote[],
  { reference, believed }: { readonly reference: bigint; readonly believed: bigint },
): Readonly<Record<Speed, bigint>> {
  const histories = quotes.flatMap(({ paidTips }) => paidTips ?? [])
  if (histories.length === 0) return { slow: reference, standard: reference, fast: (reference * 3n + 1n) / 2n }
  const [slow = 0n, standard = 0n, fast = 0n] = SPEEDS.map((speed) => {
    const paid = lowerMedian(histories.map((tips) => tips[speed])) ?? 0n
    // Two nodes that agree need no other source.
    return histories.length === 1 && paid > believed * BELIEVED_FACTOR ? believed : paid
  })
  return { slow, standard, fast: min(fast, max(standard, believed) * BELIEVED_FACTOR) }
}

function combineGasPrice(
  quotes: readonly FeeQuote[],
  fallback: bigint | null,
  scene: { readonly baseWei: bigint; readonly reference: bigint | null; bound(wei: bigint): bigint },
): bigint | null {
  const said = lowerMedian(quotes.flatMap(({ gasPrice }) => gasPrice ?? []))
  if (said === null) return fallback
  const others = scene.baseWei + (scene.reference ?? 0n)
  // Blocks of system transactions, or no payments yet, do not make a small price a lie.
  return scene.bound(said > others * BELIEVED_FACTOR ? max(others, min(said, NO_JUMP_WEI)) : said)
}

/** A gas price of zero includes the tip: some nodes of free chains still suggest one. */
function asksNothing(quotes: readonly FeeQuote[]): boolean {
  const price = lowerMedian(quotes.flatMap(({ gasPrice }) => gasPrice ?? []))
  return (price ?? lowerMedian(quotes.flatMap(({ suggestedTip }) => suggestedTip ?? [])) ?? 0n) === 0n
}

function findSuspicions(quote: FeeQuote, market: FeeMarket, baseWei: bigint): readonly Suspicion[] {
  const { host, paidTips, suggestedTip, gasPrice, baseFeePerGas } = quote
  const tip = market.priorityFeePerGas.standard
  const check = (source: Suspicion['source'], saidWei: bigint | null, usedWei: bigint, beside: bigint) =>
    saidWei !== null && saidWei > max(usedWei, beside) * REPORTED_FACTOR ? [{ host, source, saidWei, usedWei }] : []
  return [
    ...check('eth_feeHistory', paidTips?.standard ?? null, tip, max(baseWei, 1n)),
    ...check('eth_maxPriorityFeePerGas', suggestedTip, tip, max(baseWei, 1n)),
    ...check('eth_gasPrice', gasPrice, max(market.gasPrice, baseWei + tip), 1n),
    ...check('baseFeePerGas', baseFeePerGas === 'none' ? null : baseFeePerGas, baseWei, 1n),
  ]
}

function doubled(wei: bigint, { last }: QuoteContext): bigint {
  return wei << BigInt(Math.min(MAX_DOUBLINGS, Math.max(0, last?.doublings ?? 0)))
}

/** The next block's base fee, calculated from a block's header by EIP-1559. */
export function nextBaseFee(header: { readonly baseFee: bigint; readonly gasUsed: bigint; readonly gasLimit: bigint }) {
  const { baseFee, gasUsed, gasLimit } = header
  const target = gasLimit / 2n
  if (target === 0n) return baseFee
  const change = (baseFee * (gasUsed - target)) / target / 8n
  return max(0n, baseFee + change)
}

/** For an even number, the lower of the two in the middle; null if there are none. */
export function lowerMedian(values: readonly bigint[]): bigint | null {
  return sort(values)[(values.length - 1) >> 1] ?? null
}

function sort(values: readonly bigint[]): readonly bigint[] {
  return [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
