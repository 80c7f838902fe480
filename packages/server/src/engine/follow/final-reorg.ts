/**
 * Notices when final blocks leave the chain. A final state never changes, so nothing is undone. But a confirmed
 * transaction may be gone from the chain, or be in another block with another result, and an operator has to know
 * which. Every reorg is compared with what was completed lately: a transaction may have its own, weaker finality rule,
 * and another node may have been further ahead when it called a block final.
 */
import { type ChainView, type Finality, finalHeight } from '../../core/chain/finality.ts'
import { type Lane, laneKey } from '../../core/lane/lane.ts'
import { inclusionOf, isTerminal, nonceOf, type Transaction, type TxId } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ChainUpdate } from './block-follower.ts'

export interface FinalReorg {
  /** Lowest block that was replaced, and the highest that had been final; null if none of these was. */
  readonly fromBlock: number
  readonly finalBlock: number | null
  /** Transactions that were final and are no longer on the chain. */
  readonly gone: readonly LostTransaction[]
  /** Those that another block includes now; they may have had another result there. */
  readonly moved: readonly LostTransaction[]
}

interface LostTransaction {
  readonly txId: TxId
  readonly lane: Lane
  readonly nonce: number | null
}

export interface FinalReorgWatch {
  /** `known`: the newest header of an earlier run. */
  start(known: number | null): void
  take(update: ChainUpdate): void
}

interface FinalReorgPorts {
  readonly chain: Pick<Chain, 'chainId' | 'findReceipts'>
  readonly store: Pick<Store, 'findLastEventId' | 'readCompletions' | 'findTransactions'>
  readonly telemetry: Telemetry
  readonly finality: Finality
  onFinalReorg(reorg: FinalReorg): void
}

interface Due {
  readonly forkFrom: number
  readonly finalBefore: number | null
}

/** How many events back completions are checked, and how many of them at most. */
const EVENTS_BACK = 20_000
const MAX_COMPLETIONS = 1_000
const MAX_NAMED = 20

export function createFinalReorgWatch(ports: FinalReorgPorts): FinalReorgWatch {
  const { chain, store, telemetry, finality } = ports
  let highestFinal: number | null = null
  // Present from the start: an alert on growth would miss a counter that begins at 1.
  telemetry.count('drover_final_reorgs_total', { chainId: chain.chainId }, 0)

  /** Reorgs that were not compared yet, as one: from the lowest block on. After an outage the next block tries again. */
  let due: Due | null = null
  let isChecking = false

  async function checkDue(view: ChainView): Promise<void> {
    const checked = due
    if (checked === null || isChecking) return
    isChecking = true
    try {
      await check(checked.forkFrom, view, checked.finalBefore)
      if (due === checked) due = null
    } catch (error) {
      const isOutage = error instanceof ChainUnavailable || error instanceof StoreUnavailable
      if (!isOutage) due = null
      telemetry.log(isOutage ? 'warn' : 'error', 'could not compare a reorg with final blocks', {
        chainId: chain.chainId,
        error,
      })
    } finally {
      isChecking = false
    }
  }

  async function check(forkFrom: number, view: ChainView, finalBefore: number | null): Promise<void> {
    const { gone, moved } = await findLost(forkFrom, view)
    const isPastFinality = finalBefore !== null && forkFrom <= finalBefore
    if (!isPastFinality && gone.length === 0 && moved.length === 0) return
    telemetry.count('drover_final_reorgs_total', { chainId: chain.chainId })
    telemetry.log('error', 'final blocks were reorged; confirmed transactions may be gone', {
      chainId: chain.chainId,
      fromBlock: forkFrom,
      finalBlock: finalBefore,
      gone: gone.length,
      moved: moved.length,
      transactions: gone.slice(0, MAX_NAMED).map(({ txId }) => txId),
    })
    ports.onFinalReorg({ fromBlock: forkFrom, finalBlock: isPastFinality ? finalBefore : null, gone, moved })
  }

  async function findLost(forkFrom: number, view: ChainView): Promise<Pick<FinalReorg, 'gone' | 'moved'>> {
    const last = await store.findLastEventId()
    const completions = await store.readCompletions(Math.max(0, last - EVENTS_BACK), MAX_COMPLETIONS * 10)
    const touched = completions.filter(({ lane, detail }) => {
      return lane.chainId === chain.chainId && typeof detail.blockNumber === 'number' && detail.blockNumber >= forkFrom
    })
    const ids = touched.flatMap(({ txId }) => txId ?? []).slice(-MAX_COMPLETIONS)
    const suspects = (await store.findTransactions(ids)).filter((tx) => isTerminal(tx) && !isShown(tx, view))
    const receipts = await chain.findReceipts(suspects.map((tx) => inclusionOf(tx)?.txHash ?? '0x'))
    const isFound = (index: number): boolean => receipts[index]?.type === 'found'
    return {
      gone: suspects.filter((_, index) => !isFound(index)).map(toLost),
      moved: suspects.filter((tx, index) => isFound(index) && isReplaced(tx, view)).map(toLost),
    }
  }

  return {
    start: (known) => {
      if (known !== null && finality.type === 'confirmations') highestFinal = known - finality.count
    },
    take: ({ view, forkFrom }) => {
      const finalBefore = highestFinal
      const final = finalHeight(view, finality)
      // After a reorg the count starts from the new chain, so the same loss is reported once.
      highestFinal = forkFrom === null && final !== null ? Math.max(final, finalBefore ?? final) : final
      if (forkFrom !== null) due = merge(due, { forkFrom, finalBefore })
      void checkDue(view)
    },
  }
}

function merge(earlier: Due | null, later: Due): Due {
  if (earlier === null) return later
  const finals = [earlier.finalBefore, later.finalBefore].filter((height) => height !== null)
  return {
    forkFrom: Math.min(earlier.forkFrom, later.forkFrom),
    finalBefore: finals.length === 0 ? null : Math.max(...finals),
  }
}

function toLost(tx: Transaction): LostTransaction {
  return { txId: tx.id, lane: tx.intent.lane, nonce: nonceOf(tx) }
}

/** Another block stands in the place of its own. */
function isReplaced(tx: Transaction, view: ChainView): boolean {
  const inclusion = inclusionOf(tx)
  const now = inclusion && view.header(inclusion.blockNumber)
  return inclusion !== null && now !== null && now.hash !== inclusion.blockHash
}

/** Its block is part of the chain that is followed now. */
function isShown(tx: Transaction, view: ChainView): boolean {
  const inclusion = inclusionOf(tx)
  return inclusion === null || view.header(inclusion.blockNumber)?.hash === inclusion.blockHash
}

/** What the stream says about one lane; null if the reorg changed nothing of it and was not past finality. */
export function noteFinalReorg({ fromBlock, finalBlock, gone, moved }: FinalReorg, lane: Lane) {
  const isOwn = (each: LostTransaction): boolean => laneKey(each.lane) === laneKey(lane)
  const own = gone.filter(isOwn)
  const elsewhere = moved.filter(isOwn)
  if (own.length === 0 && elsewhere.length === 0 && finalBlock === null) return null
  return {
    type: 'finality.broken',
    cause: 'reorg',
    detail: {
      fromBlock,
      finalBlock,
      gone: own.length,
      moved: elsewhere.length,
      transactions: own.slice(0, MAX_NAMED).map(({ txId }) => txId),
      nonces: own.slice(0, MAX_NAMED).map(({ nonce }) => nonce),
    },
  }
}
