/**
 * Notices when final blocks leave the chain. A final state never changes, so nothing is undone. But a confirmed
 * transaction may be gone from the chain, or be in another block with another result, and an operator has to know
 * which. Every reorg is compared with what was completed lately: a transaction may have its own, weaker finality rule,
 * and another node may have been further ahead when it called a block final. A node that starts without the headers of
 * an earlier run, or lost its place, sees no reorg: it compares what was completed with the chain as it finds it.
 */
import { type ChainView, type Finality, finalHeight, type Header } from '../../core/chain/finality.ts'
import { coalesce } from '../../core/coalesced-task.ts'
import { FINAL_REORG_ENTRY } from '../../core/explain/runbook.ts'
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

/** The canonical block at this height; null if it is not known. */
type Shown = (number: number) => Pick<Header, 'hash'> | null

interface FinalReorgPorts {
  readonly chain: Pick<Chain, 'chainId' | 'findReceipts' | 'getBlocks'>
  readonly store: Pick<Store, 'findLastEventId' | 'readCompletions' | 'findTransactions'>
  readonly telemetry: Telemetry
  readonly finality: Finality
  onFinalReorg(reorg: FinalReorg): void
}

interface Due {
  readonly forkFrom: number
  readonly finalBefore: number | null
}

/** Blocks that no known header vouches for. */
interface Unproven {
  readonly from: number
  /** Something was completed as high as this: below it, the view is too old to judge. */
  readonly upTo: number
  /** How often blocks below the window could not be read. */
  readonly misses: number
}

/** How many events back completions are checked, and how many of them at most. */
const EVENTS_BACK = 20_000
const MAX_COMPLETIONS = 1_000
const MAX_NAMED = 20
/** Blocks below the window that a node without known headers reads at most, in one batch. */
const MAX_BLOCKS = 64
/** A node that does not have them, or does not answer, is asked again this many times, once per block. */
const MAX_MISSES = 10
const NOTHING_PROVEN: Unproven = { from: 0, upTo: 0, misses: 0 }

export function createFinalReorgWatch(ports: FinalReorgPorts): FinalReorgWatch {
  const { chain, store, telemetry, finality } = ports
  let highestFinal: number | null = null
  // Present from the start: an alert on growth would miss a counter that begins at 1.
  telemetry.count('drover_final_reorgs_total', { chainId: chain.chainId }, 0)

  /** Reorgs that were not compared yet, as one: from the lowest block on. After an outage the next block tries again. */
  let due: Due | null = null
  let latest: ChainView | null = null

  let unproven: Unproven | null = null

  const checks = coalesce(async () => {
    if (latest === null) return
    try {
      await checkDue(latest)
      await checkUnproven(latest)
    } catch (error) {
      const isOutage = error instanceof ChainUnavailable || error instanceof StoreUnavailable
      if (!isOutage) [due, unproven] = [null, null]
      telemetry.log(isOutage ? 'warn' : 'error', 'could not compare a reorg with final blocks', {
        chainId: chain.chainId,
        error,
      })
    }
  })

  async function checkDue(view: ChainView): Promise<void> {
    const checked = due
    if (checked === null) return
    const { forkFrom, finalBefore } = checked
    const { completed } = await readCompleted(forkFrom)
    const shown = (number: number) => view.header(number)
    const lost = await sort(
      completed.filter((tx) => !isIn(tx, shown)),
      shown,
    )
    const isPastFinality = finalBefore !== null && forkFrom <= finalBefore
    if (isPastFinality || lost.gone.length > 0 || lost.moved.length > 0)
      tell({ ...lost, fromBlock: forkFrom, finalBlock: isPastFinality ? finalBefore : null })
    if (due === checked) due = null
  }

  async function checkUnproven(view: ChainView): Promise<void> {
    const checked = unproven
    if (checked === null || view.head.number < checked.upTo) return
    const { completed, highest } = await readCompleted(checked.from)
    const below = listHeights(completed).filter((number) => number < view.head.number && view.header(number) === null)
    const wanted = below.slice(-MAX_BLOCKS)
    const read = new Map((await chain.getBlocks(wanted)).map((block) => [block.number, block]))
    if (read.size < wanted.length && checked.misses < MAX_MISSES) {
      if (unproven === checked) unproven = { ...checked, misses: checked.misses + 1 }
      return
    }
    const shown = (number: number) => view.header(number) ?? read.get(number) ?? null
    const suspects = completed.filter((tx) => isReplaced(tx, shown))
    if (suspects.length > 0)
      tell({ ...(await sort(suspects, shown)), fromBlock: listHeights(suspects)[0] ?? 0, finalBlock: null })
    if (unproven === checked)
      unproven = highest > view.head.number ? { ...NOTHING_PROVEN, from: view.head.number + 1, upTo: highest } : null
  }

  function tell(reorg: FinalReorg): void {
    const { fromBlock, finalBlock, gone, moved } = reorg
    telemetry.count('drover_final_reorgs_total', { chainId: chain.chainId })
    telemetry.log('error', 'final blocks were reorged; confirmed transactions may be gone', {
      chainId: chain.chainId,
      fromBlock,
      finalBlock,
      gone: gone.length,
      moved: moved.length,
      transactions: gone.slice(0, MAX_NAMED).map(({ txId }) => txId),
      runbook: FINAL_REORG_ENTRY,
    })
    ports.onFinalReorg({ fromBlock, finalBlock, gone, moved })
  }

  /** What was completed lately, from this block on. */
  async function readCompleted(from: number) {
    const last = await store.findLastEventId()
    const completions = await store.readCompletions(Math.max(0, last - EVENTS_BACK), MAX_COMPLETIONS * 10)
    const touched = completions.flatMap(({ lane, txId, detail: { blockNumber } }) =>
      lane.chainId === chain.chainId && typeof blockNumber === 'number' && blockNumber >= from
        ? { txId, blockNumber }
        : [],
    )
    const ids = touched.flatMap(({ txId }) => txId ?? []).slice(-MAX_COMPLETIONS)
    return {
      completed: (await store.findTransactions(ids)).filter(isTerminal),
      highest: touched.reduce((high, { blockNumber }) => Math.max(high, blockNumber), 0),
    }
  }

  /** Which of these are no longer on the chain, and which are in another block. */
  async function sort(suspects: readonly Transaction[], shown: Shown): Promise<Pick<FinalReorg, 'gone' | 'moved'>> {
    const receipts = await chain.findReceipts(suspects.map((tx) => inclusionOf(tx)?.txHash ?? '0x'))
    // Not an answer: the next block tries again.
    if (receipts.some(({ type }) => type === 'failed')) throw new ChainUnavailable('not all receipts could be read')
    const isFound = (index: number): boolean => receipts[index]?.type === 'found'
    return {
      gone: suspects.filter((_, index) => !isFound(index)).map(toLost),
      moved: suspects.filter((tx, index) => isFound(index) && isReplaced(tx, shown)).map(toLost),
    }
  }

  return {
    start: (known) => {
      unproven = { ...NOTHING_PROVEN, from: known === null ? 0 : known + 1 }
      if (known !== null && finality.type === 'confirmations') highestFinal = known - finality.count
    },
    take: ({ view, forkFrom, gap }) => {
      const finalBefore = highestFinal
      const final = finalHeight(view, finality)
      // After a reorg the count starts from the new chain, so the same loss is reported once.
      highestFinal = forkFrom === null && final !== null ? Math.max(final, finalBefore ?? final) : final
      if (forkFrom !== null) due = merge(due, { forkFrom, finalBefore })
      if (gap) unproven = NOTHING_PROVEN
      latest = view
      if (due !== null || unproven !== null) void checks.run()
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
function isReplaced(tx: Transaction, shown: Shown): boolean {
  const inclusion = inclusionOf(tx)
  const now = inclusion && shown(inclusion.blockNumber)
  return inclusion !== null && now !== null && now.hash !== inclusion.blockHash
}

/** Its block is part of the chain that is followed now. */
function isIn(tx: Transaction, shown: Shown): boolean {
  const inclusion = inclusionOf(tx)
  return inclusion === null || shown(inclusion.blockNumber)?.hash === inclusion.blockHash
}

/** The blocks of these, each once, lowest first. */
function listHeights(transactions: readonly Transaction[]): readonly number[] {
  const heights = transactions.flatMap((tx) => inclusionOf(tx)?.blockNumber ?? [])
  return [...new Set(heights)].sort((a, b) => a - b)
}

/** What the stream says about one lane; null if the reorg changed nothing of it and was not past finality. */
export function noteFinalReorg({ fromBlock, finalBlock, gone, moved }: FinalReorg, lane: Lane) {
  const isOwn = (each: LostTransaction): boolean => laneKey(each.lane) === laneKey(lane)
  const own = gone.filter(isOwn).sort((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0))
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
