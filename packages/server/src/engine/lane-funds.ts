/**
 * The money of a lane: what the account may still promise, what waits because it cannot be paid for or costs too much, and
 * when that may be tried again. Such a lane rests, but with each block it looks whether somebody has paid in, or whether
 * gas has become cheap enough.
 */
import { maxCostInFlight } from '../core/cost.ts'
import type { Policy } from '../core/policy.ts'
import { type InFlight, inclusionOf } from '../core/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import { type AccountWatch, createAccountWatch, type WatchPorts } from './account-watch.ts'
import type { AllocateResult } from './allocate.ts'
import { judgeBalance } from './balance-alert.ts'
import { createPriceWatch } from './fees/price-watch.ts'
import type { LaneDraft } from './lane-draft.ts'

export interface LaneFunds {
  readonly account: AccountWatch
  /** Those that wait for money are to be tried before their time. */
  mayRetryUnfunded(): boolean
  /** Those that wait for a price are. */
  mayRetryPriced(): boolean
  /** The lane was loaded anew: nobody knows any more what waits for money; what was told of the balance went with it. */
  recall(balanceWei: bigint | null, policy: Policy): void
  /** Reads the balance, unless that was done for this head. */
  read(head: number | null, inFlight: Iterable<InFlight>): Promise<void>
  /** With a new block: looks at the balance, or at the market, beside the cycles if anything waits for them. */
  watch(draft: LaneDraft, head: number | null): void
  /** Takes what was found out since the last cycle. True: what waited for money or a price may be tried now. */
  mind(draft: LaneDraft, policy: Policy): boolean
  /** A pass over the queue is over. */
  settle(pass: Pass, result: PassResult): void
}

type PassResult = Pick<AllocateResult, 'holdUntil' | 'allocated' | 'leastUnfunded' | 'unfundedPrice' | 'priceWaits'>

export interface Pass {
  /** As many were read from the queue as were asked for: there may be more. */
  readonly isFull: boolean
  /** Those that wait for funds were read as well. */
  readonly hasUnfunded: boolean
  /** Those that wait for a price were read as well. */
  readonly hasPriced: boolean
  readonly heldUntil: number | null
}

interface FundsPorts extends WatchPorts {
  readonly chain: WatchPorts['chain'] & Pick<Chain, 'getFeeMarket'>
}

export function createLaneFunds(ports: FundsPorts): LaneFunds {
  const { telemetry, lane } = ports
  const account = createAccountWatch(ports)
  const prices = createPriceWatch(ports.chain)
  /** What the cheapest needs that the balance did not cover, and the highest price at which any of them was reckoned. */
  let leastUnfunded: bigint | null = null
  let unfundedPrice: bigint | null = null
  let retryUnfunded = true
  let reading = false
  let isLow: boolean | null = null

  async function read(head: number | null, inFlight: Iterable<InFlight>): Promise<void> {
    await account.readBalance(head, () => sumReserved(inFlight))
  }

  /** What is to be read because something waits for it. */
  function findReads(draft: LaneDraft, head: number | null): readonly Promise<void>[] {
    const isShort = leastUnfunded !== null || draft.inFlight().some((tx) => tx.subState === 'waiting_for_funds')
    const isDear = prices.isWaiting() || unfundedPrice !== null
    return [...(isShort ? [read(head, draft.inFlight())] : []), ...(isDear ? [prices.read()] : [])]
  }

  /** No less than this is needed at the price of now: the value that is sent does not become cheaper. */
  function leastNeededNow(): bigint | null {
    const price = prices.lowest()
    if (leastUnfunded === null || unfundedPrice === null || price === null || price >= unfundedPrice)
      return leastUnfunded
    return (leastUnfunded * price) / unfundedPrice
  }

  /** False: it was not read since. */
  function takeBalance(draft: LaneDraft, policy: Policy): boolean {
    const news = account.takeNews()
    if (news === null) return false
    draft.setBalance({ wei: news.wei, at: news.at })
    isLow = judgeBalance(draft, { balanceWei: news.wei, wasLow: isLow, policy, telemetry, fields: { ...lane } })
    if (news.isRise) {
      for (const tx of draft.inFlight()) {
        if (tx.subState === 'waiting_for_funds') draft.apply(tx, { type: 'resubmit.claimed', at: news.at })
      }
    }
    return true
  }

  function isCovered(): boolean {
    const [needed, available] = [leastNeededNow(), account.available()]
    return needed !== null && available !== null && available >= needed
  }

  return {
    account,
    mayRetryUnfunded: () => retryUnfunded,
    mayRetryPriced: prices.mayRetry,
    recall: (balanceWei, { lowBalanceWei }) => {
      retryUnfunded = true
      prices.recall()
      isLow = balanceWei === null || lowBalanceWei === null ? null : balanceWei < lowBalanceWei
    },
    read,
    watch: (draft, head) => {
      const reads = reading ? [] : findReads(draft, head)
      if (reads.length === 0) return
      reading = true
      Promise.all(reads)
        .catch((error: unknown) => telemetry.log('error', 'reading a balance or the market broke', { ...lane, error }))
        .finally(() => {
          reading = false
          ports.wake()
        })
    },
    mind: (draft, policy) => {
      account.lookAtCode()
      const [hasBalance, hasPrice] = [takeBalance(draft, policy), prices.takeNews()]
      const isFunded = (hasBalance || hasPrice) && isCovered()
      if (isFunded) retryUnfunded = true
      return (hasPrice && prices.isReached()) || isFunded
    },
    settle: ({ isFull, hasUnfunded, hasPriced, heldUntil }, result) => {
      const isWhole = heldUntil === null && (!isFull || result.holdUntil !== null)
      const mayGoOn = isFull && result.allocated > 0
      // What was not read in this pass is as unfunded as it was; but a pass that got somewhere may find more to do.
      if (hasUnfunded) retryUnfunded = mayGoOn
      if (hasUnfunded && !isFull && heldUntil === null) {
        leastUnfunded = null
        unfundedPrice = null
      }
      const { leastUnfunded: least, unfundedPrice: price } = result
      if (least !== null && (leastUnfunded === null || least < leastUnfunded)) leastUnfunded = least
      if (price !== null && (unfundedPrice === null || price > unfundedPrice)) unfundedPrice = price
      prices.settle(result.priceWaits, { isWhole: hasPriced && isWhole, mayGoOn: hasPriced ? mayGoOn : null })
    },
  }
}

/** What the unmined ones may cost at most. */
function sumReserved(inFlight: Iterable<InFlight>): bigint {
  let sum = 0n
  for (const tx of inFlight) if (inclusionOf(tx) === null) sum += maxCostInFlight(tx)
  return sum
}
