/**
 * The money of a lane: what the account has and can still commit, what its transactions cost, which ones wait because
 * they cannot be paid for or cost too much, and when to try them again. Such a lane rests, but with each block it
 * checks whether the account was funded, or whether gas is cheap enough. Otherwise the balance is read at the start,
 * after each block with a transaction of the lane, and by a slow timer.
 */

import type { Inclusion } from '../../core/chain/finality.ts'
import { maxCostInFlight } from '../../core/fees/cost.ts'
import type { QueueWait } from '../../core/lane/lane-problem.ts'
import { addSample, countRunway, estimateTxCost, type TxCost } from '../../core/lane/runway.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { findAttempt, type InFlight, isInFlight, type TxId } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import type { LaneHealth } from '../../ports/lane-write.ts'
import { createPriceWatch } from '../fees/price-watch.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { AllocateResult } from '../queue/allocate.ts'
import { type AccountWatch, createAccountWatch, type ReadMode, type WatchPorts } from './account-watch.ts'

export interface LaneFunds {
  readonly account: AccountWatch
  /** Transactions that wait for money can be tried early. */
  mayRetryUnfunded(): boolean
  /** Transactions that wait for a price can be tried early. */
  mayRetryPriced(): boolean
  /** The lane was reloaded, with what was stored about its account: what waits for money is no longer known. */
  recall(seen: Known): void
  /** Tries everything again that waits for money or a price. */
  retryAll(): void
  known(): Known
  /** The first in the queue that waits for money, and for a price; null until the queue was read. */
  waits(): PassResult['waits'] | null
  /** These have left the queue, or may have. Null: anything may. */
  left(ids: readonly TxId[] | null): void
  /** Blocks hold transactions of the lane: they were paid for, and the balance has changed. */
  paid(draft: LaneDraft, inclusions: readonly { readonly txId: TxId; readonly inclusion: Inclusion }[]): void
  /** The slow timer: a lane that has not read its balance for long reads it. */
  due(): void
  /** Reads the balance, unless it was read for this head. */
  read(head: number | null, unmined: Iterable<InFlight>): Promise<void>
  /** With a new block: reads the balance or the market, outside the cycles, if anything waits for them. */
  watch(draft: LaneDraft, head: number | null): void
  /** At the end of a cycle: reads the balance, outside the cycles, if that is due. */
  look(draft: LaneDraft, head: number | null): void
  /** Nothing waits for money or a price, and the balance is known. */
  isIdle(): boolean
  /** Takes in what was learned since the last cycle. True: what waited for money or a price can be tried now. */
  applyBalance(draft: LaneDraft): boolean
  /** A pass over the queue has ended. */
  settle(pass: Pass, result: PassResult): void
}

type Known = Pick<LaneHealth, 'balance' | 'txCost'>
type PassResult = Pick<
  AllocateResult,
  'holdUntil' | 'allocated' | 'leastUnfunded' | 'unfundedPrice' | 'priceWaits' | 'waits'
>

export interface Pass {
  /** The queue read returned as many as requested: there may be more. */
  readonly isFull: boolean
  /** Transactions that wait for funds were read as well. */
  readonly hasUnfunded: boolean
  /** Transactions that wait for a price were read as well. */
  readonly hasPriced: boolean
  readonly heldUntil: number | null
}

/** An unchanged balance is stored again after this many intervals, so an idle lane hardly ever writes. */
const STORED_AGAIN = 5

interface FundsPorts extends WatchPorts {
  readonly chain: WatchPorts['chain'] & Pick<Chain, 'getFeeMarket'>
  /** How old a balance may get. */
  readonly balanceIntervalMs: number
}

export function createLaneFunds(ports: FundsPorts): LaneFunds {
  const { telemetry, lane, clock, balanceIntervalMs } = ports
  const account = createAccountWatch(ports)
  const prices = createPriceWatch(ports.chain)
  /** What the cheapest unfunded one needs, and the highest price used to price any of them. */
  let leastUnfunded: bigint | null = null
  let unfundedPrice: bigint | null = null
  let retryUnfunded = true
  let reading = false
  let known: Known = { balance: null, txCost: null }
  let waits: PassResult['waits'] | null = null
  /** Read the balance at this block or a later one; null: not before something happens. */
  let dueFrom: number | null = 0
  let how: ReadMode = 'to_show'

  async function read(head: number | null, unmined: Iterable<InFlight>): Promise<void> {
    await account.readBalance(head, () => sumReserved(unmined))
  }

  function readBeside(reads: readonly Promise<void>[]): void {
    reading = true
    Promise.all(reads)
      .catch((error: unknown) =>
        telemetry.log('error', 'could not read a balance or the gas price', { ...lane, error }),
      )
      .finally(() => {
        reading = false
        ports.wake()
      })
  }

  function look(draft: LaneDraft, head: number | null): void {
    if (reading || dueFrom === null || head === null || head < dueFrom) return
    const mode = how
    dueFrom = null
    how = 'to_show'
    // Until something was paid for, the cost of a transaction is estimated from the current price.
    const needsPrice = (known.txCost?.samples ?? 0) === 0
    const balance = account.readBalance(head, () => sumReserved(draft.unmined()), mode)
    readBeside([balance, ...(needsPrice ? [prices.read()] : [])])
  }

  /** What to read because something waits for it. */
  function findReads(draft: LaneDraft, head: number | null): readonly Promise<void>[] {
    const isShort = leastUnfunded !== null || draft.unmined().some((tx) => tx.subState === 'waiting_for_funds')
    const isDear = prices.isWaiting() || unfundedPrice !== null
    return [...(isShort ? [read(head, draft.unmined())] : []), ...(isDear ? [prices.read()] : [])]
  }

  /** The minimum needed at the current price: the value that is sent does not become cheaper. */
  function leastNeededNow(): bigint | null {
    const price = prices.lowest()
    if (leastUnfunded === null || unfundedPrice === null || price === null || price >= unfundedPrice)
      return leastUnfunded
    return (leastUnfunded * price) / unfundedPrice
  }

  /** False: it was not read since. */
  function takeBalance(draft: LaneDraft): boolean {
    const news = account.takeNews()
    if (news === null) return false
    const { balance: before } = known
    const isNews = before === null || before.wei !== news.wei || news.at - before.at >= balanceIntervalMs * STORED_AGAIN
    known = { balance: { wei: news.wei, at: isNews ? news.at : before.at }, txCost: findTxCost() }
    draft.setBalance({ wei: news.wei, at: news.at }, known.txCost, isNews)
    const runway = countRunway(news.wei, known.txCost)
    if (runway !== null) telemetry.gauge('drover_signer_runway_transactions', runway, { ...lane })
    if (news.isRise) {
      for (const tx of draft.unmined()) {
        if (tx.subState === 'waiting_for_funds') draft.apply(tx, { type: 'resubmit.claimed', at: news.at })
      }
    }
    return true
  }

  function findTxCost(): TxCost | null {
    const price = prices.lowest()
    if (known.txCost !== null && known.txCost.samples > 0) return known.txCost
    return price === null ? known.txCost : estimateTxCost(price)
  }

  function retryAll(): void {
    retryUnfunded = true
    prices.recall()
  }

  function isCovered(): boolean {
    const [needed, available] = [leastNeededNow(), account.available()]
    return needed !== null && available !== null && available >= needed
  }

  /** Transactions that a pass did not read still wait, and so do those behind a full read. */
  function settleWaits({ isFull, hasUnfunded, hasPriced, heldUntil }: Pass, result: PassResult): void {
    if (heldUntil !== null) return
    const isWhole = !isFull || result.holdUntil !== null || result.allocated > 0
    const keep = (was: QueueWait | null, found: QueueWait | null, wasRead: boolean) =>
      found ?? (wasRead && isWhole ? null : was)
    waits = {
      unfunded: keep(waits?.unfunded ?? null, result.waits.unfunded, hasUnfunded),
      priced: keep(waits?.priced ?? null, result.waits.priced, hasPriced),
    }
  }

  return {
    account,
    mayRetryUnfunded: () => retryUnfunded,
    mayRetryPriced: prices.mayRetry,
    recall: ({ balance, txCost }) => {
      retryAll()
      known = { balance, txCost }
    },
    retryAll,
    known: () => known,
    waits: () => waits,
    left: (ids) => {
      const waiting = [waits?.unfunded?.txId, waits?.priced?.txId]
      if (!waiting.some((id) => id !== undefined && (ids === null || ids.includes(id)))) return
      waits = null
      // The next pass finds out whether others wait as well.
      retryAll()
    },
    paid: (draft, inclusions) => {
      for (const { txId, inclusion } of inclusions) {
        dueFrom = Math.max(dueFrom ?? 0, inclusion.blockNumber)
        const tx = draft.current(txId)
        const attempt = tx !== undefined && isInFlight(tx) ? findAttempt(tx, inclusion.txHash) : null
        if (tx === undefined || attempt === null) continue
        const value = inclusion.succeeded && attempt.kind !== 'cancel' ? tx.intent.value : 0n
        known = { ...known, txCost: addSample(known.txCost, inclusion.gasUsed * inclusion.effectiveGasPrice + value) }
      }
    },
    due: () => {
      if (known.balance !== null && clock.now() - known.balance.at < balanceIntervalMs / 2) return
      dueFrom ??= 0
      how = 'again'
    },
    read,
    look,
    isIdle: () =>
      !reading &&
      dueFrom === null &&
      known.balance !== null &&
      leastUnfunded === null &&
      unfundedPrice === null &&
      !prices.isWaiting(),
    watch: (draft, head) => {
      // A failed read is retried with the next block.
      if (known.balance === null) dueFrom ??= 0
      const reads = reading ? [] : findReads(draft, head)
      if (reads.length > 0) readBeside(reads)
    },
    applyBalance: (draft) => {
      account.lookAtCode()
      const [hasBalance, hasPrice] = [takeBalance(draft), prices.takeNews()]
      const isFunded = (hasBalance || hasPrice) && isCovered()
      if (isFunded) retryUnfunded = true
      return (hasPrice && prices.isReached()) || isFunded
    },
    settle: ({ isFull, hasUnfunded, hasPriced, heldUntil }, result) => {
      const isWhole = heldUntil === null && (!isFull || result.holdUntil !== null)
      const mayGoOn = isFull && result.allocated > 0
      // Transactions that this pass did not read are still unfunded, but a pass that made progress may find more to do.
      if (hasUnfunded) retryUnfunded = mayGoOn
      if (hasUnfunded && !isFull && heldUntil === null) {
        leastUnfunded = null
        unfundedPrice = null
      }
      settleWaits({ isFull, hasUnfunded, hasPriced, heldUntil }, result)
      const { leastUnfunded: least, unfundedPrice: price } = result
      if (least !== null && (leastUnfunded === null || least < leastUnfunded)) leastUnfunded = least
      if (price !== null && (unfundedPrice === null || price > unfundedPrice)) unfundedPrice = price
      prices.settle(result.priceWaits, { isWhole: hasPriced && isWhole, mayGoOn: hasPriced ? mayGoOn : null })
    },
  }
}

/** The maximum cost of the unmined transactions. */
function sumReserved(unmined: Iterable<InFlight>): bigint {
  let sum = 0n
  for (const tx of unmined) if (awaitsBlock(tx)) sum += maxCostInFlight(tx)
  return sum
}
